using System;
using System.Collections.Generic;
using System.Linq;

using Manywire.Lane.Subjects;

namespace Manywire.Lane.Test
{
    /// <summary>Time grows with the work, and memory is that of the operation.</summary>
    public static class MeterTest
    {
        public static void OperationsReportTimeAndMemory()
        {
            object value = Enumerable.Range(0, 100).Select(index => (object)new Dictionary<string, object> { ["index"] = (long)index, ["name"] = $"entry {index}" }).ToList();
            byte[] json = new SystemTextJson().Encode(value);
            byte[] msgpack = new ManywireNet().Encode(value);
            using (var lane = new LaneProcess())
            {
                for (int subject = 0; subject < LaneProcess.Names.Length; subject++)
                {
                    byte[] payload = LaneProcess.Formats[subject] == "json" ? json : msgpack;
                    Check.Equal(null, LaneProcess.Error(lane.Load(subject, payload)), "load");
                    foreach (string operation in new[] { "encode", "decode" })
                    {
                        foreach (string coding in new[] { "null", "\"gzip\"" })
                        {
                            string title = $"{LaneProcess.Names[subject]} {operation} {coding}";
                            int index = subject;
                            Func<int, Dictionary<string, object>> run = repeats => lane.Get(
                                $"{{\"verb\":\"run\",\"subject\":{index},\"operation\":\"{operation}\",\"coding\":{coding},\"window\":[0],\"repeats\":{repeats}}}");
                            run(500);
                            // A busy machine or the compiler may delay some batches, but not all of them.
                            long few = Enumerable.Range(0, 10).Min(_ => (long)run(5)["wall_ns"]);
                            Dictionary<string, object> many = run(1000);
                            Check.True((long)many["wall_ns"] > 5 * few, $"{title}: {many["wall_ns"]} ns for 200 times the work of {few} ns");
                            Check.True((long)many["cpu_ns"] > 1000, title);
                            Check.True((long)many["collections"] >= 0, title);
                            Check.True(Convert.ToDouble(many["compiled_ms"]) > 1, title);
                        }
                        Dictionary<string, object> memory = lane.Get($"{{\"verb\":\"memory\",\"subject\":{subject},\"operation\":\"{operation}\"}}");
                        Check.True(memory["allocs"] == null && memory["peak_bytes"] == null, "not provided");
                        double bytes = Convert.ToDouble(memory["alloc_bytes"]);
                        Check.True(bytes >= payload.Length && bytes < 1e6, $"{LaneProcess.Names[subject]} {operation}: {bytes} bytes");
                    }
                }
                // An operation allocates a buffer of 256 bytes, which is large enough, and the result.
                lane.Load(2, MessagePackTest.Bytes("c0"));
                double small = Convert.ToDouble(lane.Get("{\"verb\":\"memory\",\"subject\":2,\"operation\":\"encode\"}")["alloc_bytes"]);
                Check.True(small > 256 && small < 400, $"{small} bytes");
            }
        }
    }
}
