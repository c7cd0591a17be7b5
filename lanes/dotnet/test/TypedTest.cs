using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.Serialization;
using System.Text;

using Manywire.Lane.MessagePack;
using Manywire.Lane.Subjects;

namespace Manywire.Lane.Test
{
    /// <summary>The subjects of typed values, with the types of the sample and with types of this test.</summary>
    public static class TypedTest
    {
        private const int FirstTyped = 3;

        // The bytes that `protoc --encode` writes for the sample.
        private const string Message =
            "08ffffffffffffffffff0110ff0118ffff03250000003f299c7500883ce4377e30013a06c3a9f09f988048ffffffffffffffffff0152016152"
            + "01625a0d0a0b01feffffffffffffffff015a0a0a088180808080808010620e09000000000000f43f12017818006a0909000000000000e0bf72"
            + "110a016b120c0900000000000004401201797a050a030a01737a040a0210077a00820106080112020802880101";

        private static string File(string name)
        {
            return System.IO.File.ReadAllText(Path.Combine(AppDomain.CurrentDomain.BaseDirectory, "..", "sample", name));
        }

        /// <summary>Starts the lane with the types and the schema of the sample.</summary>
        private static LaneProcess Start()
        {
            var lane = new LaneProcess("out-typed");
            lane.Get(File("schema.json"), new byte[0]);
            return lane;
        }

        private static byte[] Sample(LaneProcess lane, int subject)
        {
            byte[] json = LaneProcess.Utf8(File("sample.json").TrimEnd());
            string format = LaneProcess.TypedFormats[subject - FirstTyped];
            if (format == "json")
            {
                return json;
            }
            if (format == "protobuf")
            {
                return MessagePackTest.Bytes(Message);
            }
            var map = (Dictionary<string, object>)new SystemTextJson().Decode(json);
            return Writer.Write(format == "msgpack" ? map : (object)Array(map));
        }

        /// <summary>Returns the sample with its records as arrays of their fields, in the order of the types.</summary>
        private static List<object> Array(Dictionary<string, object> root)
        {
            string[] keys =
            {
                "id", "small", "size", "ratio", "real", "flag", "odd key", "note", "count", "tags", "matrix", "place", "places", "by",
                "mixed", "parser", "has_note", "at", "data", "numbers",
            };
            string[] place = { "lat", "name", "has_name" };
            string[] parser = { "value", "next" };
            Func<object, string[], List<object>> fields = (value, names) =>
                names.Select(name => ((Dictionary<string, object>)value).TryGetValue(name, out object field) ? field : null).ToList();
            List<object> all = fields(root, keys);
            all[11] = fields(all[11], place);
            all[12] = ((List<object>)all[12]).Select(each => (object)fields(each, place)).ToList();
            all[13] = ((Dictionary<string, object>)all[13]).ToDictionary(entry => entry.Key, entry => (object)fields(entry.Value, place));
            List<object> outer = fields(all[15], parser);
            outer[1] = fields(outer[1], parser);
            all[15] = outer;
            return all;
        }

        private static IEnumerable<int> Subjects()
        {
            return Enumerable.Range(FirstTyped, LaneProcess.TypedNames.Length);
        }

        private static string Title(int subject)
        {
            return $"{LaneProcess.TypedNames[subject - FirstTyped]} {LaneProcess.TypedFormats[subject - FirstTyped]}";
        }

        public static void EverySubjectReadsAndWritesTheSample()
        {
            string expected = Expected.OfText(LaneProcess.Utf8(File("sample.json")));
            using (LaneProcess lane = Start())
            {
                foreach (int subject in Subjects())
                {
                    byte[] payload = Sample(lane, subject);
                    for (int turn = 0; turn < 2; turn++)
                    {
                        Check.Equal(null, LaneProcess.Error(lane.Load(subject, payload)), Title(subject));
                        Check.Equal(expected, lane.Digests(subject).Single(), Title(subject));
                        // In the second turn the subject reads what it wrote.
                        payload = lane.Encode(subject, out string error).SingleOrDefault();
                        Check.Equal(null, error, Title(subject));
                    }
                    Check.True(!LaneProcess.TypedFormats[subject - FirstTyped].Equals("protobuf") || payload.SequenceEqual(MessagePackTest.Bytes(Message)), "the bytes of protoc");
                    foreach (string operation in new[] { "encode", "decode" })
                    {
                        lane.Get($"{{\"verb\":\"run\",\"subject\":{subject},\"operation\":\"{operation}\",\"window\":[0],\"repeats\":3}}");
                    }
                }
            }
        }

        public static void HostileBytesAreRefusedAndTheLaneContinues()
        {
            const int depth = 100000;
            Func<string, string> repeat = text => string.Concat(Enumerable.Repeat(text, depth));
            var hostile = new Dictionary<string, string[]>
            {
                ["json"] = new[]
                {
                    "", "[", "{\"id\":1} 2", "{\"id\":-1}", "{\"id\":18446744073709551616}", "{\"small\":128}", "{\"flag\":[]}", "{\"tags\":[[]]}",
                    "{\"parser\":" + repeat("{\"next\":"), "{\"mixed\":" + repeat("["), "{\"by\":[]}", "{\"id\":null}",
                },
                ["msgpack"] = new[]
                {
                    "", "90", "8001", "81a2", "81a26964ff", "81a26964cb3ff0000000000000", "81a5736d616c6c80", "81a5736d616c6ccc80", "81a4666c616790",
                    "81a474616773ddffffffff", "81a26279dfffffffff", "dfffffffff", "81a46e6f7465dbffffffff", "81a464617461c6ffffffff", "81a4646174610a",
                    "81a26964c0", "81a474616773" + "9190", "81a26174d5ff0000", "81a26174d7ffee6b27f000000001", "81a26174c70cff00000000" + "7fffffffffffffff",
                    "81a6706172736572" + repeat("81a46e657874"), "81a56d69786564" + repeat("91"),
                },
                ["msgpack-array"] = new[]
                {
                    "", "80", "91", "91ff", "91cb3ff0000000000000", "ddffffffff", "9201cc80", "dc001000000000000000000000000000000000" + repeat("9202"),
                },
                ["protobuf"] = new[]
                {
                    "08", "08ffffffffffffffffffff01", "3affffffff0f", "3a05", "6201", "ff", "07", "3a01ff", repeat("8201"), "8201ffffffff0f12",
                },
            };
            using (LaneProcess lane = Start())
            {
                foreach (int subject in Subjects())
                {
                    string format = LaneProcess.TypedFormats[subject - FirstTyped];
                    foreach (string text in hostile[format])
                    {
                        byte[] bytes = format == "json" ? LaneProcess.Utf8(text) : MessagePackTest.Bytes(text);
                        string shown = text.Substring(0, Math.Min(80, text.Length));
                        Check.True(!string.IsNullOrEmpty(LaneProcess.Error(lane.Load(subject, bytes))), $"{Title(subject)}: {shown}");
                    }
                    byte[] sample = Sample(lane, subject);
                    Check.Equal(null, LaneProcess.Error(lane.Load(subject, sample)), "it continues");
                    // A message may end after any field.
                    for (int length = 0; format != "protobuf" && length < sample.Length; length++)
                    {
                        Check.True(LaneProcess.Error(lane.Load(subject, sample.Take(length).ToArray())) != null, $"{Title(subject)}: {length} bytes");
                    }
                }
            }
        }

        public static void ABuildWithoutTypesSaysSo()
        {
            using (var lane = new LaneProcess())
            {
                foreach (int subject in Subjects())
                {
                    Check.Contains("built without types", LaneProcess.Error(lane.Load(subject, LaneProcess.Utf8("{}"))));
                }
            }
        }

        public static void ARecordInAUnionCannotBeAnArray()
        {
            string schema = File("schema.json").Replace("\"kind\": \"int64\", \"label\": \"optional\", \"absent\": \"missing\"}", "\"kind\": \"message\", \"of\": \"Place\", \"label\": \"optional\", \"absent\": \"missing\"}");
            using (LaneProcess lane = Start())
            {
                byte[] sample = Sample(lane, FirstTyped + 3);
                Check.Equal(null, LaneProcess.Error(lane.Load(FirstTyped + 3, sample)), "a union without records");
                lane.Get(schema, new byte[0]);
                Check.Contains("nothing says which fields it has", LaneProcess.Error(lane.Load(FirstTyped + 3, sample)));
            }
        }

        [DataContract]
        public sealed class Small
        {
            [DataMember(Name = "a")]
            public long A { get; set; }

            [DataMember(Name = "b", EmitDefaultValue = false)]
            public string B { get; set; }

            [DataMember(Name = "at", EmitDefaultValue = false)]
            public DateTimeOffset? At { get; set; }

            [DataMember(Name = "c")]
            public double? C { get; set; }
        }

        public static void RecordsAreMapsOrArraysOfTheirFields()
        {
            var map = new ManywireNetTyped<Small>(false);
            foreach (string hex in new[]
            {
                "82a16101a163c0", "84a16101a162a178a26174d6ff00000000a163cb3ff8000000000000", "83a161ffa26174d7ff0000019000000001a163c0",
                "83a161ffa26174c70cff3b9ac99cffffffffffffffffa163c0",
            })
            {
                Check.Equal(hex, Digest.Hex(map.Encode(map.Decode(MessagePackTest.Bytes(hex)))), hex);
            }
            // Other orders, unknown keys and whole numbers are read, too.
            Check.Equal("82a16101a163cb4000000000000000", Digest.Hex(map.Encode(map.Decode(MessagePackTest.Bytes("83a16302a17891c0a16101")))), "another order");
            Check.Contains("steps of 100 ns", Check.Throws(() => map.Decode(MessagePackTest.Bytes("81a26174d7ff0000000400000001")), "a nanosecond"));
            Check.Contains("byte 3: an integer that is not between", Check.Throws(() => map.Decode(MessagePackTest.Bytes("81a161cfffffffffffffffff")), "2^64 - 1"));
            Check.Contains("byte 3: expected an integer, found the marker 0xa1", Check.Throws(() => map.Decode(MessagePackTest.Bytes("81a161a178")), "text"));

            var array = new ManywireNetTyped<Small>(true);
            foreach (string hex in new[] { "9401c0c0c0", "9401a178d6ff00000000cb3ff8000000000000" })
            {
                Check.Equal(hex, Digest.Hex(array.Encode(array.Decode(MessagePackTest.Bytes(hex)))), hex);
            }
            Check.Equal("9401c0c0c0", Digest.Hex(array.Encode(array.Decode(MessagePackTest.Bytes("9101")))), "a shorter array");
            Check.Equal("9401c0c0c0", Digest.Hex(array.Encode(array.Decode(MessagePackTest.Bytes("9501c0c0c090")))), "a longer array");
        }

        public static void ADeepTypedValueIsRefused()
        {
            var nested = new ManywireNetTyped<Nested>(false);
            Func<int, byte[]> deep = depth => MessagePackTest.Bytes(string.Concat(Enumerable.Repeat("81a161", depth)) + "c0");
            nested.Decode(deep(Reader.DepthMax));
            Check.Contains($"nested in more than {Reader.DepthMax} containers", Check.Throws(() => nested.Decode(deep(Reader.DepthMax + 1)), "a deep value"));
        }

        [DataContract]
        public sealed class Nested
        {
            [DataMember(Name = "a")]
            public Nested A { get; set; }
        }
    }
}
