// The declarations of System.Text.Json that the lane and generated types use, for a compiler that cannot read the
// runtime's own assembly. Nothing of this runs: the runtime loads its System.Text.Json.

using System.Collections.Generic;
using System.Text.Json.Serialization;

namespace System.Text.Json
{
    public enum JsonValueKind : byte
    {
        Undefined,
        Object,
        Array,
        String,
        Number,
        True,
        False,
        Null
    }

    public struct JsonDocumentOptions
    {
        public int MaxDepth
        {
            set => throw null;
        }
    }

    public sealed class JsonSerializerOptions
    {
        public IList<JsonConverter> Converters => throw null;
    }

    public ref struct Utf8JsonReader
    {
    }

    public sealed class Utf8JsonWriter
    {
    }

    public sealed class JsonDocument : IDisposable
    {
        public JsonElement RootElement => throw null;

        public static JsonDocument Parse(ReadOnlyMemory<byte> utf8Json, JsonDocumentOptions options) => throw null;

        public static JsonDocument ParseValue(ref Utf8JsonReader reader) => throw null;

        public void Dispose() => throw null;
    }

    public struct JsonElement
    {
        public JsonValueKind ValueKind => throw null;

        public JsonElement Clone() => throw null;

        public bool TryGetProperty(string propertyName, out JsonElement value) => throw null;

        public ArrayEnumerator EnumerateArray() => throw null;

        public ObjectEnumerator EnumerateObject() => throw null;

        public int GetArrayLength() => throw null;

        public string GetString() => throw null;

        public string GetRawText() => throw null;

        public bool TryGetInt64(out long value) => throw null;

        public bool TryGetUInt64(out ulong value) => throw null;

        public double GetDouble() => throw null;

        public struct ArrayEnumerator
        {
            public JsonElement Current => throw null;

            public ArrayEnumerator GetEnumerator() => throw null;

            public bool MoveNext() => throw null;
        }

        public struct ObjectEnumerator
        {
            public JsonProperty Current => throw null;

            public ObjectEnumerator GetEnumerator() => throw null;

            public bool MoveNext() => throw null;
        }
    }

    public struct JsonProperty
    {
        public string Name => throw null;

        public JsonElement Value => throw null;
    }

    public static class JsonSerializer
    {
        public static byte[] SerializeToUtf8Bytes<TValue>(TValue value, JsonSerializerOptions options) => throw null;

        public static void Serialize(Utf8JsonWriter writer, object value, Type inputType, JsonSerializerOptions options) => throw null;

        public static TValue Deserialize<TValue>(ReadOnlySpan<byte> utf8Json, JsonSerializerOptions options) => throw null;
    }
}

namespace System.Text.Json.Serialization
{
    public enum JsonIgnoreCondition
    {
        Never,
        Always,
        WhenWritingDefault,
        WhenWritingNull
    }

    public abstract class JsonConverter
    {
    }

    public abstract class JsonConverter<T> : JsonConverter
    {
        public abstract T Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options);

        public abstract void Write(Utf8JsonWriter writer, T value, JsonSerializerOptions options);
    }

    public abstract class JsonAttribute : Attribute
    {
    }

    public sealed class JsonPropertyNameAttribute : JsonAttribute
    {
        public JsonPropertyNameAttribute(string name)
        {
        }
    }

    public sealed class JsonIgnoreAttribute : JsonAttribute
    {
        public JsonIgnoreCondition Condition { get; set; }
    }

    public sealed class JsonExtensionDataAttribute : JsonAttribute
    {
    }
}
