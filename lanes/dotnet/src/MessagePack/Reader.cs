using System;
using System.Collections.Generic;
using System.IO;
using System.Text;

namespace Manywire.Lane.MessagePack
{
    /// <summary>
    /// Reads one MessagePack value from bytes (https://github.com/msgpack/msgpack/blob/master/spec.md).
    /// Allocates no more than the bytes that are there can fill, and refuses bytes after the value.
    /// </summary>
    public sealed class Reader
    {
        /// <summary>The number of open containers that are read; deeper nesting would overflow the stack.</summary>
        public const int DepthMax = 512;

        private static readonly Encoding Utf8 = new UTF8Encoding(false, true);

        private readonly byte[] bytes;
        private int at;
        private int depth;

        internal Reader(byte[] bytes)
        {
            this.bytes = bytes;
        }

        /// <summary>Returns the value of all bytes, or throws an error with the position of the fault.</summary>
        public static object Read(byte[] bytes)
        {
            var reader = new Reader(bytes);
            object value = reader.Value();
            reader.End();
            return value;
        }

        /// <summary>Throws if there are bytes after the value.</summary>
        internal void End()
        {
            if (at < bytes.Length)
            {
                throw Fault(at, $"{bytes.Length - at} bytes after the value");
            }
        }

        private Exception Fault(int position, string words)
        {
            return new InvalidDataException($"invalid MessagePack at byte {position}: {words}");
        }

        internal object Value()
        {
            byte marker = Marker();
            if (marker < 0x80)
            {
                return (long)marker;
            }
            if (marker < 0x90)
            {
                return Map(marker & 0x0fu);
            }
            if (marker < 0xa0)
            {
                return List(marker & 0x0fu);
            }
            if (marker < 0xc0)
            {
                return Text(marker & 0x1fu);
            }
            if (marker >= 0xe0)
            {
                return (long)(sbyte)marker;
            }
            switch (marker)
            {
                case 0xc0:
                    return null;
                case 0xc2:
                    return false;
                case 0xc3:
                    return true;
                case 0xc4:
                    return Data(Unsigned(1));
                case 0xc5:
                    return Data(Unsigned(2));
                case 0xc6:
                    return Data(Unsigned(4));
                case 0xc7:
                    return Extension(Unsigned(1));
                case 0xc8:
                    return Extension(Unsigned(2));
                case 0xc9:
                    return Extension(Unsigned(4));
                case 0xca:
                    return Single((uint)Unsigned(4));
                case 0xcb:
                    return BitConverter.Int64BitsToDouble((long)Unsigned(8));
                case 0xcc:
                    return (long)Unsigned(1);
                case 0xcd:
                    return (long)Unsigned(2);
                case 0xce:
                    return (long)Unsigned(4);
                case 0xcf:
                    ulong whole = Unsigned(8);
                    return whole <= long.MaxValue ? (object)(long)whole : whole;
                case 0xd0:
                    return (long)(sbyte)Unsigned(1);
                case 0xd1:
                    return (long)(short)Unsigned(2);
                case 0xd2:
                    return (long)(int)Unsigned(4);
                case 0xd3:
                    return (long)Unsigned(8);
                case 0xd4:
                    return Extension(1);
                case 0xd5:
                    return Extension(2);
                case 0xd6:
                    return Extension(4);
                case 0xd7:
                    return Extension(8);
                case 0xd8:
                    return Extension(16);
                case 0xd9:
                    return Text(Unsigned(1));
                case 0xda:
                    return Text(Unsigned(2));
                case 0xdb:
                    return Text(Unsigned(4));
                case 0xdc:
                    return List(Unsigned(2));
                case 0xdd:
                    return List(Unsigned(4));
                case 0xde:
                    return Map(Unsigned(2));
                case 0xdf:
                    return Map(Unsigned(4));
                default:
                    throw Fault(at - 1, $"the marker 0x{marker:x2} is not used");
            }
        }

        private byte Marker()
        {
            return at < bytes.Length ? bytes[at++] : throw Fault(at, "the input ends");
        }

        private Exception Unexpected(string expected)
        {
            at--;
            return Fault(at, $"expected {expected}, found the marker 0x{bytes[at]:x2}");
        }

        /// <summary>Reads null if it is next.</summary>
        internal bool IsNil()
        {
            if (at < bytes.Length && bytes[at] == 0xc0)
            {
                at++;
                return true;
            }
            return false;
        }

        internal bool Truth()
        {
            byte marker = Marker();
            return marker == 0xc3 || (marker == 0xc2 ? false : throw Unexpected("a boolean"));
        }

        /// <summary>Reads an integer of a signed type.</summary>
        internal long Signed(long least, long most)
        {
            int start = at;
            bool isNegative = Integer(out ulong number);
            long signed = (long)number;
            bool isBeyond = isNegative ? signed < least : number > (ulong)most;
            return isBeyond ? throw Fault(start, $"an integer that is not between {least} and {most}") : signed;
        }

        /// <summary>Reads an integer of an unsigned type.</summary>
        internal ulong Positive(ulong most)
        {
            int start = at;
            bool isNegative = Integer(out ulong number);
            return isNegative || number > most ? throw Fault(start, $"an integer that is not between 0 and {most}") : number;
        }

        /// <summary>Reads an integer. Returns whether it is negative; then the number is its two's complement.</summary>
        private bool Integer(out ulong number)
        {
            byte marker = Marker();
            if (marker < 0x80)
            {
                number = marker;
                return false;
            }
            if (marker >= 0xe0)
            {
                number = (ulong)(sbyte)marker;
                return true;
            }
            switch (marker)
            {
                case 0xcc:
                    number = Unsigned(1);
                    return false;
                case 0xcd:
                    number = Unsigned(2);
                    return false;
                case 0xce:
                    number = Unsigned(4);
                    return false;
                case 0xcf:
                    number = Unsigned(8);
                    return false;
                case 0xd0:
                    number = (ulong)(sbyte)Unsigned(1);
                    break;
                case 0xd1:
                    number = (ulong)(short)Unsigned(2);
                    break;
                case 0xd2:
                    number = (ulong)(int)Unsigned(4);
                    break;
                case 0xd3:
                    number = Unsigned(8);
                    break;
                default:
                    throw Unexpected("an integer");
            }
            return (long)number < 0;
        }

        /// <summary>Reads a number as a double; a program may have written a whole number as an integer.</summary>
        internal double Real()
        {
            byte marker = Marker();
            if (marker == 0xcb)
            {
                return BitConverter.Int64BitsToDouble((long)Unsigned(8));
            }
            if (marker == 0xca)
            {
                return Single((uint)Unsigned(4));
            }
            at--;
            return Integer(out ulong number) ? (long)number : (double)number;
        }

        internal string Text()
        {
            byte marker = Marker();
            if (marker >= 0xa0 && marker < 0xc0)
            {
                return Text(marker & 0x1fu);
            }
            switch (marker)
            {
                case 0xd9:
                    return Text(Unsigned(1));
                case 0xda:
                    return Text(Unsigned(2));
                case 0xdb:
                    return Text(Unsigned(4));
                default:
                    throw Unexpected("text");
            }
        }

        internal byte[] Data()
        {
            switch (Marker())
            {
                case 0xc4:
                    return Data(Unsigned(1));
                case 0xc5:
                    return Data(Unsigned(2));
                case 0xc6:
                    return Data(Unsigned(4));
                default:
                    throw Unexpected("binary data");
            }
        }

        internal Timestamp Time()
        {
            int start = at;
            return Value() as Timestamp ?? throw Fault(start, "expected a timestamp");
        }

        /// <summary>Enters an array and returns the number of its items. <c>Leave</c> must follow them.</summary>
        internal int EnterList()
        {
            byte marker = Marker();
            ulong count = marker >= 0x90 && marker < 0xa0 ? marker & 0x0fu
                : marker == 0xdc ? Unsigned(2)
                : marker == 0xdd ? Unsigned(4)
                : throw Unexpected("an array");
            Enter(count, count);
            return (int)count;
        }

        /// <summary>Enters a map and returns the number of its entries. <c>Leave</c> must follow them.</summary>
        internal int EnterMap()
        {
            byte marker = Marker();
            ulong count = marker >= 0x80 && marker < 0x90 ? marker & 0x0fu
                : marker == 0xde ? Unsigned(2)
                : marker == 0xdf ? Unsigned(4)
                : throw Unexpected("a map");
            Enter(2 * count, count);
            return (int)count;
        }

        internal void Leave()
        {
            depth--;
        }

        /// <summary>Reads these bytes if they are next.</summary>
        internal bool Skip(byte[] expected)
        {
            if (expected.Length > bytes.Length - at)
            {
                return false;
            }
            for (int index = 0; index < expected.Length; index++)
            {
                if (bytes[at + index] != expected[index])
                {
                    return false;
                }
            }
            at += expected.Length;
            return true;
        }

        private ulong Unsigned(int size)
        {
            Need((ulong)size, "number or length");
            ulong number = 0;
            for (int end = at + size; at < end; at++)
            {
                number = number << 8 | bytes[at];
            }
            return number;
        }

        private void Need(ulong size, string what)
        {
            if (size > (ulong)(bytes.Length - at))
            {
                throw Fault(at, $"{what} of {size} bytes, and the input has {bytes.Length - at} more");
            }
        }

        private static float Single(uint bits)
        {
            return BitConverter.ToSingle(BitConverter.GetBytes(bits), 0);
        }

        private byte[] Data(ulong size)
        {
            Need(size, "binary data");
            var data = new byte[size];
            Buffer.BlockCopy(bytes, at, data, 0, data.Length);
            at += data.Length;
            return data;
        }

        private string Text(ulong size)
        {
            Need(size, "text");
            int start = at;
            at += (int)size;
            try
            {
                return Utf8.GetString(bytes, start, (int)size);
            }
            catch (DecoderFallbackException)
            {
                throw Fault(start, "the text is not UTF-8");
            }
        }

        /// <summary>Enters a container; each item has at least one byte.</summary>
        private void Enter(ulong items, ulong count)
        {
            if (items > (ulong)(bytes.Length - at))
            {
                throw Fault(at, $"a container of {count}, and the input has {bytes.Length - at} bytes more");
            }
            if (++depth > DepthMax)
            {
                throw Fault(at, $"nested in more than {DepthMax} containers");
            }
        }

        private List<object> List(ulong count)
        {
            Enter(count, count);
            var list = new List<object>((int)count);
            for (ulong index = 0; index < count; index++)
            {
                list.Add(Value());
            }
            depth--;
            return list;
        }

        private object Map(ulong count)
        {
            Enter(2 * count, count);
            var map = new Dictionary<string, object>((int)count);
            MixedMap mixed = null;
            for (ulong index = 0; index < count; index++)
            {
                object key = Value();
                object value = Value();
                if (mixed == null && key is string text)
                {
                    // The last of duplicate keys counts.
                    map[text] = value;
                    continue;
                }
                if (mixed == null)
                {
                    mixed = new MixedMap();
                    foreach (KeyValuePair<string, object> entry in map)
                    {
                        mixed.Add(new KeyValuePair<object, object>(entry.Key, entry.Value));
                    }
                }
                mixed.Add(new KeyValuePair<object, object>(key, value));
            }
            depth--;
            return mixed == null ? (object)map : mixed;
        }

        private object Extension(ulong size)
        {
            int start = at;
            sbyte type = (sbyte)Unsigned(1);
            byte[] data = Data(size);
            return type == -1 ? Time(data, start) : (object)new Extension(type, data);
        }

        private Timestamp Time(byte[] data, int start)
        {
            int end = at;
            at = end - data.Length;
            long seconds;
            ulong nanoseconds = 0;
            switch (data.Length)
            {
                case 4:
                    seconds = (long)Unsigned(4);
                    break;
                case 8:
                    ulong both = Unsigned(8);
                    seconds = (long)(both & 0x3ffffffff);
                    nanoseconds = both >> 34;
                    break;
                case 12:
                    nanoseconds = Unsigned(4);
                    seconds = (long)Unsigned(8);
                    break;
                default:
                    throw Fault(start, $"a timestamp of {data.Length} bytes, expected 4, 8 or 12");
            }
            if (nanoseconds > Timestamp.NanosecondsMax)
            {
                throw Fault(start, $"a timestamp with {nanoseconds} nanoseconds");
            }
            return new Timestamp(seconds, (uint)nanoseconds);
        }
    }
}
