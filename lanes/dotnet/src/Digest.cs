using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Numerics;
using System.Security.Cryptography;
using System.Text;

namespace Manywire.Lane
{
    /// <summary>The error for a value that has no digest by the contract: an extension.</summary>
    public sealed class NoDigest : Exception
    {
        public NoDigest(string message) : base(message)
        {
        }
    }

    /// <summary>Computes the canonical digest of a value, as CONTRACT.md defines it.</summary>
    public static class Digest
    {
        private const double WholeStart = -9223372036854775808.0;
        private const double WholeMiddle = 9223372036854775808.0;
        private const double WholeEnd = 18446744073709551616.0;

        private static readonly Encoding Utf8 = new UTF8Encoding(false, true);

        /// <summary>SHA-256 over the canonical form, in hexadecimal.</summary>
        public static string Of(object value)
        {
            var form = new MemoryStream();
            Write(value, form);
            using (SHA256 hash = SHA256.Create())
            {
                return Hex(hash.ComputeHash(form.ToArray()));
            }
        }

        public static string Hex(byte[] bytes)
        {
            return BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant();
        }

        private static void Write(object value, MemoryStream form)
        {
            if (value == null)
            {
                Ascii(form, "n");
            }
            else if (value is bool truth)
            {
                Ascii(form, truth ? "t" : "f");
            }
            else if (value is long || value is ulong || value is int)
            {
                Ascii(form, "i" + Convert.ToString(value, CultureInfo.InvariantCulture) + ";");
            }
            else if (value is BigInteger big)
            {
                if (big >= long.MinValue && big <= ulong.MaxValue)
                {
                    Ascii(form, "i" + big.ToString(CultureInfo.InvariantCulture) + ";");
                }
                else
                {
                    // The conversion from text rounds to the nearest; the one of BigInteger truncates.
                    Number(double.Parse(big.ToString(CultureInfo.InvariantCulture), CultureInfo.InvariantCulture), form);
                }
            }
            else if (value is double number)
            {
                Number(number, form);
            }
            else if (value is float single)
            {
                Number(single, form);
            }
            else if (value is string text)
            {
                Sized(form, 's', Utf8.GetBytes(text));
            }
            else if (value is byte[] bytes)
            {
                Sized(form, 'b', bytes);
            }
            else if (value is List<object> list)
            {
                Ascii(form, "a" + list.Count + ":");
                foreach (object item in list)
                {
                    Write(item, form);
                }
            }
            else if (value is Dictionary<string, object> map)
            {
                var entries = new Dictionary<string, object>(StringComparer.Ordinal);
                foreach (KeyValuePair<string, object> entry in map)
                {
                    entries[entry.Key] = entry.Value;
                }
                Map(entries, form);
            }
            else if (value is MixedMap mixed)
            {
                var entries = new Dictionary<string, object>(StringComparer.Ordinal);
                foreach (KeyValuePair<object, object> entry in mixed)
                {
                    entries[Key(entry.Key)] = entry.Value;
                }
                Map(entries, form);
            }
            else if (value is Timestamp time)
            {
                Ascii(form, "T" + time.Seconds + "." + time.Nanoseconds + ";");
            }
            else if (value is Extension extension)
            {
                throw new NoDigest($"an extension (MessagePack {extension.Type}) has no digest");
            }
            else
            {
                throw new NoDigest($"a {value.GetType()} has no digest");
            }
        }

        private static string Key(object key)
        {
            if (key is string text)
            {
                return text;
            }
            if (key is bool truth)
            {
                return truth ? "true" : "false";
            }
            if (key is long || key is ulong)
            {
                return Convert.ToString(key, CultureInfo.InvariantCulture);
            }
            throw new NoDigest($"a {(key == null ? "null" : key.GetType().Name)} as a key has no digest");
        }

        private static void Map(Dictionary<string, object> entries, MemoryStream form)
        {
            var sorted = new List<KeyValuePair<byte[], object>>();
            foreach (KeyValuePair<string, object> entry in entries)
            {
                if (entry.Value == null)
                {
                    continue;
                }
                var key = new MemoryStream();
                Sized(key, 's', Utf8.GetBytes(entry.Key));
                sorted.Add(new KeyValuePair<byte[], object>(key.ToArray(), entry.Value));
            }
            sorted.Sort((a, b) => Compare(a.Key, b.Key));
            Ascii(form, "m" + sorted.Count + ":");
            foreach (KeyValuePair<byte[], object> entry in sorted)
            {
                form.Write(entry.Key, 0, entry.Key.Length);
                Write(entry.Value, form);
            }
        }

        private static int Compare(byte[] a, byte[] b)
        {
            for (int index = 0; index < Math.Min(a.Length, b.Length); index++)
            {
                if (a[index] != b[index])
                {
                    return a[index] - b[index];
                }
            }
            return a.Length - b.Length;
        }

        private static void Number(double number, MemoryStream form)
        {
            if (Math.Floor(number) == number && number >= WholeStart && number < WholeEnd)
            {
                string digits = number < WholeMiddle
                    ? ((long)number).ToString(CultureInfo.InvariantCulture)
                    : ((ulong)number).ToString(CultureInfo.InvariantCulture);
                Ascii(form, "i" + digits + ";");
                return;
            }
            long bits = double.IsNaN(number) ? 0x7ff8000000000000 : BitConverter.DoubleToInt64Bits(number);
            form.WriteByte((byte)'d');
            for (int shift = 56; shift >= 0; shift -= 8)
            {
                form.WriteByte((byte)(bits >> shift));
            }
        }

        private static void Sized(MemoryStream form, char kind, byte[] bytes)
        {
            Ascii(form, kind + bytes.Length.ToString(CultureInfo.InvariantCulture) + ":");
            form.Write(bytes, 0, bytes.Length);
        }

        private static void Ascii(MemoryStream form, string text)
        {
            byte[] bytes = Encoding.ASCII.GetBytes(text);
            form.Write(bytes, 0, bytes.Length);
        }
    }
}
