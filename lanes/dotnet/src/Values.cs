using System.Collections.Generic;

namespace Manywire.Lane
{
    // Values are null, bool, long, ulong (beyond long), float, double, string, byte[], List<object>,
    // Dictionary<string, object>, and the types of this file.

    /// <summary>A map with keys that are not all text, in the order of its bytes.</summary>
    public sealed class MixedMap : List<KeyValuePair<object, object>>
    {
    }

    /// <summary>A MessagePack extension that is not a point in time.</summary>
    public sealed class Extension
    {
        public readonly sbyte Type;
        public readonly byte[] Data;

        public Extension(sbyte type, byte[] data)
        {
            Type = type;
            Data = data;
        }
    }

    /// <summary>A point in time: seconds since 1970, rounded down, and nanoseconds beyond them.</summary>
    public sealed class Timestamp
    {
        public const uint NanosecondsMax = 999999999;

        public readonly long Seconds;
        public readonly uint Nanoseconds;

        public Timestamp(long seconds, uint nanoseconds)
        {
            Seconds = seconds;
            Nanoseconds = nanoseconds;
        }
    }
}
