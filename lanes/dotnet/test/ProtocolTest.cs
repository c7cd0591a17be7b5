using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

namespace Manywire.Lane.Test
{
    /// <summary>
    /// An invalid request gets an error response, and the lane continues. After an invalid frame, the lane exits
    /// with a message and a status other than 0.
    /// </summary>
    public static class ProtocolTest
    {
        private const string Run = "{\"verb\":\"run\",\"subject\":0,\"operation\":\"decode\",\"window\":[0],\"repeats\":1}";

        public static void DescribeMatchesLaneToml()
        {
            string manifest = File.ReadAllText(Path.Combine(AppDomain.CurrentDomain.BaseDirectory, "..", "lane.toml"));
            // Each subject of the manifest has a library, formats and targets.
            var listed = Regex.Matches(manifest, "library = \"(.*)\"\nformats = \\[(.*)\\]\ntargets = \\[(.*)\\]").Cast<Match>()
                .SelectMany(match => Words(match.Groups[2]).SelectMany(format => Words(match.Groups[3]).Select(target => $"{match.Groups[1]} {format} {target}")));
            using (var lane = new LaneProcess())
            {
                Dictionary<string, object> said = lane.Get("{\"verb\":\"describe\"}");
                Check.Equal(1L, said["contract"], "contract");
                Check.Equal("dotnet", said["lane"], "lane");
                Check.True(Regex.IsMatch((string)said["runtime"], @"^\.NET 8\.\d+\.\d+, compiled by mcs$"), (string)said["runtime"]);
                var subjects = ((List<object>)said["subjects"]).Cast<Dictionary<string, object>>().ToArray();
                var named = subjects.Select(subject => $"{subject["library"]} {subject["format"]} {subject["target"]}");
                Check.Equal(string.Join(", ", listed.OrderBy(name => name)), string.Join(", ", named.OrderBy(name => name)), "subjects");
                foreach (Dictionary<string, object> subject in subjects)
                {
                    Check.True(Regex.IsMatch((string)subject["version"], @"^\d+\.\d+\.\d+"), (string)subject["version"]);
                }
                Check.Equal(0, lane.End(new byte[0], out _, out string messages), messages);
            }
        }

        private static string[] Words(Group list)
        {
            return list.Value.Split(',').Select(word => word.Trim(' ', '"')).ToArray();
        }

        public static void AnInvalidRequestGetsAnErrorAndTheLaneContinues()
        {
            using (var lane = new LaneProcess())
            {
                Action<string, string> refused = (request, words) => Check.Contains(words, lane.Refusal(request));
                refused("{\"verb\":\"dance\"}", "unknown verb \"dance\"");
                refused("{\"verb\":1}", "unknown verb 1");
                refused("{}", "unknown verb missing");
                foreach (string index in new[] { "999", "-1", "true", "0.5", "\"0\"", "4294967296", "null", "[]", "1e99" })
                {
                    refused($"{{\"verb\":\"digest\",\"subject\":{index}}}", "expected a whole number below 8");
                }
                refused("{\"verb\":\"digest\"}", "subject is missing");
                refused("{\"verb\":\"digest\",\"subject\":0}", "no payloads");
                refused(Run, "no payloads");
                Check.Equal(null, LaneProcess.Error(lane.Load(0, LaneProcess.Utf8("[1]"))), "load");
                refused(Run.Replace("decode", "sing"), "expected encode or decode");
                refused(Run.Replace("[0]", "[1]"), "of the 1 payloads");
                refused(Run.Replace("[0]", "[-1]"), "of the 1 payloads");
                refused(Run.Replace("[0]", "0"), "expected a list");
                refused(Run.Replace("\"repeats\":1", "\"repeats\":-1"), "expected a whole number");
                refused(Run.Replace("\"repeats\":1", "\"repeats\":1.5"), "expected a whole number");
                refused(Run.Replace("\"repeats\":1", "\"repeats\":1,\"coding\":\"br\""), "expected gzip or null");
                refused("{\"verb\":\"served\"}", "not running");
                refused("{\"verb\":\"serve\",\"offers\":1}", "expected a list");
                refused("{\"verb\":\"serve\",\"offers\":[1]}", "not a JSON object");
                refused("{\"verb\":\"serve\",\"offers\":[{\"subject\":1,\"media_type\":\"a/b\"}]}", "no payloads");
                refused("{\"verb\":\"serve\",\"offers\":[{\"subject\":0,\"media_type\":\"a/b\\nc\"}]}", "expected a media type");
                lane.Get(Run.Replace("\"repeats\":1", "\"repeats\":0,\"coding\":null"));
                lane.Get("{\"verb\":\"schema\"}", new byte[0]);
                Check.Equal(0, lane.End(new byte[0], out _, out string messages), messages);
            }
        }

        public static void APayloadThatIsRefusedLeavesNoPayloads()
        {
            using (var lane = new LaneProcess())
            {
                lane.Load(0, LaneProcess.Utf8("1"));
                Check.True(LaneProcess.Error(lane.Load(0, LaneProcess.Utf8("1"), LaneProcess.Utf8("x"))) != null, "x");
                Check.Contains("no payloads", lane.Refusal("{\"verb\":\"digest\",\"subject\":0}"));
            }
        }

        public static void AnInvalidFrameEndsTheLaneWithAMessage()
        {
            var inputs = new[]
            {
                (new byte[] { 0, 0 }, "ends after 2 of the 4 bytes of a length"),
                (new byte[] { 255, 255, 255, 255 }, "a frame of 4294967295 bytes"),
                (new byte[] { 127, 0, 0, 0 }, "ends after 0 of the 2130706432 bytes of a frame"),
                (new byte[] { 0, 0, 0, 9, (byte)'{', (byte)'}' }, "ends after 2 of the 9 bytes of a frame"),
                (LaneProcess.Framed(""), "does not contain any JSON tokens"),
                (LaneProcess.Framed("[1]"), "not a JSON object"),
                (LaneProcess.Framed("null"), "not a JSON object"),
                (LaneProcess.Framed("{"), "JSON"),
                (LaneProcess.Framed(new string('[', 1000000)), "depth"),
                (LaneProcess.Framed("{\"verb\":\"load\",\"subject\":0,\"payloads\":-1}"), "payloads is -1"),
                (LaneProcess.Framed("{\"verb\":\"load\",\"subject\":0,\"payloads\":1099511627776}"), "payloads is"),
                (LaneProcess.Framed("{\"verb\":\"load\",\"subject\":0,\"payloads\":2}"), "before the frames of \"load\""),
            };
            foreach ((byte[], string) input in inputs)
            {
                string words = input.Item2;
                using (var lane = new LaneProcess())
                {
                    Check.Equal(1, lane.End(input.Item1, out byte[] written, out string messages), words);
                    Check.Equal(0, written.Length, words);
                    Check.Contains(words, messages);
                }
            }
        }
    }
}
