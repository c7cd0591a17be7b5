using System;
using System.Collections.Generic;
using System.Text;

namespace Manywire.Lane.MessagePack
{
    /// <summary>Writes one value as MessagePack, each part in its shortest form.</summary>
    public sealed class Writer
    {
        private const int FirstBytes = 256;

        private static readonly Encoding Utf8 = new UTF8Encoding(false, true);

        private byte[] bytes = new byte[FirstBytes];
        private int at;

        internal Writer()
        {
        }

        /// <summary>Returns new bytes of a value, or throws an error that names the type that MessagePack cannot represent.</summary>
        public static byte[] Write(object value)
        {
            var writer = new Writer();
            writer.Value(value);
            return writer.Written();
        }

        /// <summary>Returns all that was written.</summary>
        internal byte[] Written()
        {
            var written = new byte[at];
            Buffer.BlockCopy(bytes, 0, written, 0, written.Length);
            return written;
        }

        internal void Value(object value)
        {
            if (value is string text)
            {
                Text(text);
            }
            else if (value is long number)
            {
                Signed(number);
            }
            else if (value is Dictionary<string, object> map)
            {
                MapHead(map.Count);
                foreach (KeyValuePair<string, object> entry in map)
                {
                    Text(entry.Key);
                    Value(entry.Value);
                }
            }
            else if (value is List<object> list)
            {
                ListHead(list.Count);
                foreach (object item in list)
                {
                    Value(item);
                }
            }
            else if (value == null)
            {
                Nil();
            }
            else if (value is bool truth)
            {
                Truth(truth);
            }
            else if (value is double real)
            {
                Real(real);
            }
            else if (value is float single)
            {
                Single(single);
            }
            else if (value is ulong whole)
            {
                Positive(whole);
            }
            else if (value is byte[] data)
            {
                Data(data);
            }
            else if (value is MixedMap mixed)
            {
                MapHead(mixed.Count);
                foreach (KeyValuePair<object, object> entry in mixed)
                {
                    Value(entry.Key);
                    Value(entry.Value);
                }
            }
            else if (value is Timestamp time)
            {
                Time(time);
            }
            else if (value is Extension extension)
            {
                ExtensionHead(extension.Data.Length, extension.Type);
                Raw(extension.Data);
            }
            else
            {
                throw new Refusal($"MessagePack cannot represent a {value.GetType()}");
            }
        }

        internal void Nil()
        {
            Put(0xc0);
        }

        internal void Truth(bool truth)
        {
            Put(truth ? (byte)0xc3 : (byte)0xc2);
        }

        internal void Real(double real)
        {
            Put(0xcb);
            Unsigned((ulong)BitConverter.DoubleToInt64Bits(real), 8);
        }

        internal void Single(float single)
        {
            Put(0xca);
            Unsigned(BitConverter.ToUInt32(BitConverter.GetBytes(single), 0), 4);
        }

        internal void Data(byte[] data)
        {
            Sized(data.Length, 0xc4);
            Raw(data);
        }

        internal void MapHead(int count)
        {
            Container(count, 0x80, 0xde);
        }

        internal void ListHead(int count)
        {
            Container(count, 0x90, 0xdc);
        }

        internal void Signed(long number)
        {
            if (number >= 0)
            {
                Positive((ulong)number);
            }
            else if (number >= -32)
            {
                Put((byte)number);
            }
            else
            {
                int power = number >= sbyte.MinValue ? 0 : number >= short.MinValue ? 1 : number >= int.MinValue ? 2 : 3;
                Put((byte)(0xd0 + power));
                Unsigned((ulong)number, 1 << power);
            }
        }

        internal void Positive(ulong number)
        {
            if (number < 0x80)
            {
                Put((byte)number);
                return;
            }
            int power = number <= byte.MaxValue ? 0 : number <= ushort.MaxValue ? 1 : number <= uint.MaxValue ? 2 : 3;
            Put((byte)(0xcc + power));
            Unsigned(number, 1 << power);
        }

        internal void Text(string text)
        {
            int size = Utf8.GetByteCount(text);
            if (size < 32)
            {
                Put((byte)(0xa0 + size));
            }
            else
            {
                Sized(size, 0xd9);
            }
            Reserve(size);
            at += Utf8.GetBytes(text, 0, text.Length, bytes, at);
        }

        /// <summary>Writes a marker with a length of 1, 2 or 4 bytes; <paramref name="first"/> is that of 1.</summary>
        private void Sized(int size, byte first)
        {
            int power = size <= byte.MaxValue ? 0 : size <= ushort.MaxValue ? 1 : 2;
            Put((byte)(first + power));
            Unsigned((ulong)size, 1 << power);
        }

        private void Container(int count, byte small, byte large)
        {
            if (count < 16)
            {
                Put((byte)(small + count));
                return;
            }
            bool isWide = count > ushort.MaxValue;
            Put((byte)(large + (isWide ? 1 : 0)));
            Unsigned((ulong)count, isWide ? 4 : 2);
        }

        private void ExtensionHead(int size, sbyte type)
        {
            int power = Array.IndexOf(FixedSizes, size);
            if (power >= 0)
            {
                Put((byte)(0xd4 + power));
            }
            else
            {
                Sized(size, 0xc7);
            }
            Put((byte)type);
        }

        private static readonly int[] FixedSizes = { 1, 2, 4, 8, 16 };

        internal void Time(Timestamp time)
        {
            if (time.Seconds < 0 || time.Seconds > 0x3ffffffff)
            {
                ExtensionHead(12, -1);
                Unsigned(time.Nanoseconds, 4);
                Unsigned((ulong)time.Seconds, 8);
            }
            else if (time.Nanoseconds > 0 || time.Seconds > uint.MaxValue)
            {
                ExtensionHead(8, -1);
                Unsigned((ulong)time.Nanoseconds << 34 | (ulong)time.Seconds, 8);
            }
            else
            {
                ExtensionHead(4, -1);
                Unsigned((ulong)time.Seconds, 4);
            }
        }

        private void Unsigned(ulong number, int size)
        {
            Reserve(size);
            for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
            {
                bytes[at++] = (byte)(number >> shift);
            }
        }

        internal void Raw(byte[] data)
        {
            Reserve(data.Length);
            Buffer.BlockCopy(data, 0, bytes, at, data.Length);
            at += data.Length;
        }

        private void Put(byte marker)
        {
            Reserve(1);
            bytes[at++] = marker;
        }

        private void Reserve(int size)
        {
            if (bytes.Length - at >= size)
            {
                return;
            }
            long length = Math.Max(2L * bytes.Length, (long)at + size);
            Array.Resize(ref bytes, (int)Math.Min(length, Math.Max(0x7fffffc7L, (long)at + size)));
        }
    }
}
