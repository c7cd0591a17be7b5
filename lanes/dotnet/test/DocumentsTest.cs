using System.Linq;

namespace Manywire.Lane.Test
{
    /// <summary>Every subject reads what Manywire's codecs and every other subject wrote.</summary>
    public static class DocumentsTest
    {
        public static void EveryDocumentIsReadAndWritten()
        {
            string[] names = Documents.Names();
            using (var lane = new LaneProcess())
            {
                foreach (string name in names)
                {
                    string expected = string.Join(",", Documents.Texts(name).Select(Expected.OfText));
                    var written = new byte[LaneProcess.Names.Length][][];
                    for (int subject = 0; subject < written.Length; subject++)
                    {
                        string title = $"{name}: {LaneProcess.Names[subject]}";
                        byte[][] payloads = Documents.Payloads(name, LaneProcess.Formats[subject]);
                        Check.True(payloads.Length > 0, title);
                        Check.Equal(null, LaneProcess.Error(lane.Load(subject, payloads)), title);
                        Check.Equal(expected, string.Join(",", lane.Digests(subject)), title);
                        written[subject] = lane.Encode(subject, out string error);
                        Check.Equal(null, error, title);
                    }
                    for (int reader = 0; reader < written.Length; reader++)
                    {
                        for (int writer = 0; writer < written.Length; writer++)
                        {
                            if (LaneProcess.Formats[reader] == LaneProcess.Formats[writer])
                            {
                                string title = $"{name}: {LaneProcess.Names[reader]} reads {LaneProcess.Names[writer]}";
                                Check.Equal(null, LaneProcess.Error(lane.Load(reader, written[writer])), title);
                                Check.Equal(expected, string.Join(",", lane.Digests(reader)), title);
                            }
                        }
                    }
                    // The same shortest forms, in the same order.
                    byte[][] msgpack = Documents.Payloads(name, "msgpack");
                    Check.True(name == "kinds" || msgpack.Zip(written[2], (a, b) => a.SequenceEqual(b)).All(isEqual => isEqual), $"{name}: the bytes differ");
                }
            }
        }
    }
}
