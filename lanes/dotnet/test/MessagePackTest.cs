using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;

using Manywire.Lane.MessagePack;

using Newtonsoft.Json.Linq;

namespace Manywire.Lane.Test
{
    /// <summary>The MessagePack of this lane, with bytes from the specification and from msgpack-test-suite.</summary>
    public static class MessagePackTest
    {
        // Values in their shortest form.
        private static readonly string[] Shortest =
        {
            "00", "7f", "cc80", "ccff", "cd0100", "cdffff", "ce00010000", "ceffffffff", "cf0000000100000000",
            "cf7fffffffffffffff", "cf8000000000000000", "cfffffffffffffffff", "ff", "e0", "d0df", "d080", "d1ff7f",
            "d18000", "d2ffff7fff", "d280000000", "d3ffffffff7fffffff", "d38000000000000000", "c0", "c2", "c3",
            "ca3fc00000", "cb3ff8000000000000", "cb8000000000000000", "ca7f800000", "a0", "a161", "c400", "c40100",
            "90", "9101", "80", "81a16101", "8201c0c2c3", "81c00a", "8190a0", "d40500", "d505aabb", "d605aabbccdd",
            "d7050102030405060708", "d80500000000000000000000000000000000", "c70005", "c70305aabbcc",
            "d6ff00000000", "d6ffffffffff", "d7ffee6b27fc00000000", "d7ff0000000100000000",
            "c70cff3b9ac9ffffffffffffffffff", "c70cff000000000000000400000000",
        };

        private static readonly Dictionary<string, string> Faults = new Dictionary<string, string>
        {
            [""] = "byte 0: the input ends",
            ["c1"] = "byte 0: the marker 0xc1 is not used",
            ["cd00"] = "byte 1: number or length of 2 bytes",
            ["dbffffffff"] = "byte 5: text of 4294967295 bytes, and the input has 0 more",
            ["c6ffffffff"] = "byte 5: binary data of 4294967295 bytes",
            ["c9ffffffff01"] = "byte 6: binary data of 4294967295 bytes",
            ["ddffffffff"] = "byte 5: a container of 4294967295",
            ["dfffffffff"] = "byte 5: a container of 4294967295",
            ["df80000001a161"] = "byte 5: a container of 2147483649",
            ["9201"] = "byte 1: a container of 2",
            ["929101"] = "byte 3: the input ends",
            ["a1ff"] = "byte 1: the text is not UTF-8",
            ["a3eda080"] = "byte 1: the text is not UTF-8",
            ["0000"] = "byte 1: 1 bytes after the value",
            ["d5ff0000"] = "byte 1: a timestamp of 2 bytes",
            ["d7ffee6b280000000000"] = "byte 1: a timestamp with 1000000000 nanoseconds",
            ["c70cff3b9aca000000000000000000"] = "a timestamp with 1000000000 nanoseconds",
        };

        public static byte[] Bytes(string hex)
        {
            return Enumerable.Range(0, hex.Length / 2).Select(index => byte.Parse(hex.Substring(2 * index, 2), NumberStyles.HexNumber)).ToArray();
        }

        public static void ShortestFormsAreWrittenAsTheyWereRead()
        {
            foreach (string hex in Shortest)
            {
                Check.Equal(hex, Digest.Hex(Writer.Write(Reader.Read(Bytes(hex)))), hex);
            }
        }

        public static void LengthsAreWrittenInTheirShortestForm()
        {
            foreach (int length in new[] { 15, 16, 31, 32, 255, 256, 65535, 65536 })
            {
                string shown = $"of {length}";
                string text = Digest.Hex(Writer.Write(new string('a', length)).Take(5).ToArray());
                string head = length < 32 ? $"{0xa0 + length:x2}" : length < 256 ? $"d9{length:x2}" : length < 65536 ? $"da{length:x4}" : $"db{length:x8}";
                Check.True(text.StartsWith(head), $"text {shown}: {text}");
                string data = Digest.Hex(Writer.Write(new byte[length]).Take(5).ToArray());
                head = length < 256 ? $"c4{length:x2}" : length < 65536 ? $"c5{length:x4}" : $"c6{length:x8}";
                Check.True(data.StartsWith(head), $"bytes {shown}: {data}");
                string list = Digest.Hex(Writer.Write(new List<object>(new object[length])).Take(5).ToArray());
                head = length < 16 ? $"{0x90 + length:x2}" : length < 65536 ? $"dc{length:x4}" : $"dd{length:x8}";
                Check.True(list.StartsWith(head), $"a list {shown}: {list}");
                Dictionary<string, object> entries = Enumerable.Range(0, length).ToDictionary(index => $"k{index}", index => (object)(long)index);
                byte[] map = Writer.Write(entries);
                head = length < 16 ? $"{0x80 + length:x2}" : length < 65536 ? $"de{length:x4}" : $"df{length:x8}";
                Check.True(Digest.Hex(map.Take(5).ToArray()).StartsWith(head), $"a map {shown}");
                Check.Equal(Digest.Of(entries), Digest.Of(Reader.Read(map)), $"a map {shown}");
            }
        }

        public static void EveryStrictPrefixIsAnError()
        {
            foreach (string hex in Shortest)
            {
                for (int length = 0; length < hex.Length / 2; length++)
                {
                    byte[] prefix = Bytes(hex).Take(length).ToArray();
                    Check.Contains("invalid MessagePack at byte", Check.Throws(() => Reader.Read(prefix), $"{hex}, {length} bytes"));
                }
            }
        }

        public static void AnErrorSaysWhereTheFaultIs()
        {
            foreach (KeyValuePair<string, string> fault in Faults)
            {
                Check.Contains(fault.Value, Check.Throws(() => Reader.Read(Bytes(fault.Key)), fault.Key));
            }
        }

        public static void NestingHasALimit()
        {
            Func<int, string> nested = levels => string.Concat(Enumerable.Repeat("91", levels)) + "c0";
            Check.Equal(nested(512), Digest.Hex(Writer.Write(Reader.Read(Bytes(nested(512))))), "512 levels");
            Check.Contains("more than 512 containers", Check.Throws(() => Reader.Read(Bytes(nested(513))), "513 levels"));
            // Containers beside each other are not nested.
            Reader.Read(Bytes("dc0400" + string.Concat(Enumerable.Repeat("90", 1024))));
        }

        public static void TextWithoutUtf8AndUnknownTypesAreErrors()
        {
            Check.Throws(() => Writer.Write("\ud800"), "a lone surrogate");
            Check.Contains("MessagePack cannot represent a System.Decimal", Check.Throws(() => Writer.Write(1m), "a decimal"));
        }

        public static void TheSuiteIsReadAndWritten()
        {
            string folder = Environment.GetEnvironmentVariable("MANYWIRE_SUITES") ?? throw new Skipped("no suites");
            JObject suite = JObject.Parse(File.ReadAllText(Path.Combine(folder, "msgpack", "msgpack-test-suite.json")));
            int count = 0;
            foreach (JToken test in suite.PropertyValues().SelectMany(group => group))
            {
                string[] encodings = test["msgpack"].Select(hex => ((string)hex).Replace("-", "")).ToArray();
                object expected = Value((JObject)test);
                foreach (string hex in encodings)
                {
                    object read = Reader.Read(Bytes(hex));
                    Check.True(IsSame(expected, read), $"{hex}: expected {test}, found {read}");
                    string written = Digest.Hex(Writer.Write(read));
                    // Floats keep their size. All others get the shortest form; an integer never becomes a float.
                    bool isFloat = read is double || read is float;
                    string[] others = encodings.Where(each => !each.StartsWith("ca") && !each.StartsWith("cb")).ToArray();
                    bool isKept = isFloat ? written == hex : others.Contains(written) && written.Length == others.Min(each => each.Length);
                    Check.True(isKept, $"{hex} is written as {written}");
                    count++;
                }
            }
            Check.True(count > 150, $"{count} encodings");
        }

        private static object Value(JObject test)
        {
            JProperty property = test.Properties().First(each => each.Name != "msgpack" && (each.Name != "number" || test["bignum"] == null));
            switch (property.Name)
            {
                case "binary":
                    return Bytes(((string)property.Value).Replace("-", ""));
                case "bignum":
                    string digits = (string)property.Value;
                    return digits.StartsWith("-") || digits.Length < 19 || digits == "9223372036854775807"
                        ? long.Parse(digits)
                        : (object)ulong.Parse(digits);
                case "timestamp":
                    return new Timestamp((long)property.Value[0], (uint)property.Value[1]);
                case "ext":
                    return new Extension((sbyte)property.Value[0], Bytes(((string)property.Value[1]).Replace("-", "")));
                default:
                    return Plain(property.Value);
            }
        }

        private static object Plain(JToken token)
        {
            switch (token.Type)
            {
                case JTokenType.Object:
                    return ((JObject)token).Properties().ToDictionary(each => each.Name, each => Plain(each.Value));
                case JTokenType.Array:
                    return token.Select(Plain).ToList();
                default:
                    return ((JValue)token).Value;
            }
        }

        private static bool IsSame(object expected, object read)
        {
            if (expected is Extension extension)
            {
                return read is Extension other && extension.Type == other.Type && extension.Data.SequenceEqual(other.Data);
            }
            return Digest.Of(expected) == Digest.Of(read);
        }
    }
}
