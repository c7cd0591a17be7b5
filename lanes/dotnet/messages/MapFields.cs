using Google.Protobuf.Collections;

/// <summary>A method of maps that protoc's code calls and Google.Protobuf 3.10.1 does not have yet.</summary>
internal static class MapFields
{
    public static void MergeFrom<TKey, TValue>(this MapField<TKey, TValue> map, MapField<TKey, TValue> other)
    {
        foreach (var entry in other)
        {
            map[entry.Key] = entry.Value;
        }
    }
}
