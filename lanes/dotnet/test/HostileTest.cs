using System;
using System.Collections.Generic;
using System.Linq;

namespace Manywire.Lane.Test
{
    /// <summary>The lane responds to any payload bytes, and continues.</summary>
    public static class HostileTest
    {
        private const int Depth = 100000;

        private static string Repeat(string text)
        {
            return string.Concat(Enumerable.Repeat(text, Depth));
        }

        private static IEnumerable<byte[]> Hostile(string format)
        {
            if (format == "json")
            {
                string[] texts =
                {
                    "", " ", "[[", "1 2", "nul", "\"\\ud800\"x", "{\"a\":}", Repeat("["), Repeat("{\"a\":"), Repeat("[") + Repeat("]"), "\"a",
                };
                return texts.Select(LaneProcess.Utf8).Concat(new[] { new byte[] { 0x22, 0xff, 0x22 }, new byte[] { 0xff } });
            }
            string[] hex =
            {
                "", "ddffffffff", "dfffffffff", "dbffffffff", "c6ffffffff", "c67fffffff", "c9ffffffff01", "c1", "d405", "a1ff", "0000",
                string.Concat(Enumerable.Repeat("dd01ffffff", 8)), Repeat("91"), Repeat("81a161"), Repeat("91") + "c0",
                string.Concat(Enumerable.Repeat("ff", 64)),
            };
            return hex.Select(MessagePackTest.Bytes);
        }

        private static void Continues(LaneProcess lane, int subject)
        {
            byte[] valid = LaneProcess.Formats[subject] == "json" ? LaneProcess.Utf8("{\"a\":1}") : MessagePackTest.Bytes("81a16101");
            Check.Equal(null, LaneProcess.Error(lane.Load(subject, valid)), "it continues");
            Check.True(lane.Encode(subject, out _).Single().SequenceEqual(valid), "it continues");
        }

        public static void EverySubjectRefusesHostileBytes()
        {
            using (var lane = new LaneProcess())
            {
                for (int subject = 0; subject < LaneProcess.Names.Length; subject++)
                {
                    foreach (byte[] bytes in Hostile(LaneProcess.Formats[subject]))
                    {
                        string title = $"{LaneProcess.Names[subject]}: {Digest.Hex(bytes.Take(20).ToArray())}";
                        Check.True(!string.IsNullOrEmpty(LaneProcess.Error(lane.Load(subject, bytes))), title);
                    }
                    Continues(lane, subject);
                }
            }
        }

        public static void EveryStrictPrefixOfADocumentIsRefused()
        {
            using (var lane = new LaneProcess())
            {
                for (int subject = 0; subject < LaneProcess.Names.Length; subject++)
                {
                    foreach (byte[] payload in Documents.Payloads("record-a", LaneProcess.Formats[subject]))
                    {
                        for (int length = 0; length < payload.Length; length++)
                        {
                            string error = LaneProcess.Error(lane.Load(subject, payload.Take(length).ToArray()));
                            Check.True(error != null, $"{LaneProcess.Names[subject]}: {length} bytes");
                        }
                    }
                    Continues(lane, subject);
                }
            }
        }

        public static void ChangedDocumentsAreRefusedOrReadAndWritten()
        {
            using (var lane = new LaneProcess())
            {
                for (int subject = 0; subject < LaneProcess.Names.Length; subject++)
                {
                    byte[] payload = Documents.Payloads("record-a", LaneProcess.Formats[subject])[0];
                    // The same sequence in every run.
                    var random = new Random(20161117);
                    int refused = 0;
                    for (int turn = 0; turn < 1000; turn++)
                    {
                        var changed = (byte[])payload.Clone();
                        for (int left = random.Next(1, 5); left > 0; left--)
                        {
                            changed[random.Next(changed.Length)] = (byte)random.Next(256);
                        }
                        if (LaneProcess.Error(lane.Load(subject, changed)) != null)
                        {
                            refused++;
                            continue;
                        }
                        lane.Ask($"{{\"verb\":\"digest\",\"subject\":{subject}}}");
                        lane.Encode(subject, out _);
                    }
                    Check.True(refused > 100, $"{LaneProcess.Names[subject]}: {refused} refused");
                    Continues(lane, subject);
                }
            }
        }

        public static void ValuesThatALibraryWouldChangeAreErrors()
        {
            using (var lane = new LaneProcess())
            {
                Check.Contains("beyond a double", LaneProcess.Error(lane.Load(0, LaneProcess.Utf8("1e999"))));
                Check.True(LaneProcess.Error(lane.Load(0, LaneProcess.Utf8("\"\\ud800\""))) != null, "a lone surrogate");
                // Newtonsoft.Json alone reads all of these, and some as another value.
                string[] texts = { "1e999", "\"\\ud800\"", "\"\\ud800\"x", "[1,]", "[1,,2]", "['a']", "[/**/1]", "[01]", "[0x10]", "[NaN]", "{a:1}", "new Date(5)" };
                foreach (string text in texts)
                {
                    Check.True(LaneProcess.Error(lane.Load(1, LaneProcess.Utf8(text))) != null, text);
                }
                // Text that looks like a date stays as it is.
                byte[] date = LaneProcess.Utf8("[\"2016-11-17T00:00:00+05:00\"]");
                lane.Load(1, date);
                Check.True(lane.Encode(1, out _).Single().SequenceEqual(date), "a date");
            }
        }

        public static void ExtensionsAreKeptAndHaveNoDigest()
        {
            using (var lane = new LaneProcess())
            {
                byte[] extension = MessagePackTest.Bytes("92d405aac0");
                Check.Equal(null, LaneProcess.Error(lane.Load(2, extension)), "an extension");
                Check.Contains("an extension (MessagePack 5) has no digest", lane.Refusal("{\"verb\":\"digest\",\"subject\":2}"));
                Check.True(lane.Encode(2, out _).Single().SequenceEqual(extension), "an extension");
            }
        }
    }
}
