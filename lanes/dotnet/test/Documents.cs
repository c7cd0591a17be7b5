using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Manywire.Lane.Test
{
    /// <summary>
    /// Documents in every format, written by Manywire's codecs: a folder for each with, for each payload,
    /// <c>0.document</c>, <c>0.msgpack</c>, ….
    /// </summary>
    public static class Documents
    {
        private static string Folder =>
            Environment.GetEnvironmentVariable("MANYWIRE_LANE_DOCUMENTS") ?? throw new Skipped("no documents (MANYWIRE_LANE_DOCUMENTS is not set)");

        public static string[] Names()
        {
            return Directory.GetDirectories(Folder).Select(Path.GetFileName).OrderBy(name => name, StringComparer.Ordinal).ToArray();
        }

        public static byte[][] Texts(string name)
        {
            return Files(name, "document");
        }

        /// <summary>Returns the payloads in a format, or none if it cannot represent all of them.</summary>
        public static byte[][] Payloads(string name, string format)
        {
            byte[][] found = Files(name, format);
            return found.Length == Texts(name).Length ? found : new byte[0][];
        }

        private static byte[][] Files(string name, string suffix)
        {
            var found = new List<byte[]>();
            for (int index = 0; File.Exists(Path.Combine(Folder, name, $"{index}.document")); index++)
            {
                string file = Path.Combine(Folder, name, $"{index}.{suffix}");
                if (File.Exists(file))
                {
                    found.Add(File.ReadAllBytes(file));
                }
            }
            return found.ToArray();
        }
    }
}
