using System.IO;
using System.IO.Compression;

namespace Manywire.Lane.Http
{
    /// <summary>gzip at level 6, which the runtime calls optimal.</summary>
    public static class Coding
    {
        public static byte[] Deflate(byte[] bytes)
        {
            var packed = new MemoryStream();
            using (var stream = new GZipStream(packed, CompressionLevel.Optimal))
            {
                stream.Write(bytes, 0, bytes.Length);
            }
            return packed.ToArray();
        }

        public static byte[] Inflate(byte[] packed)
        {
            var bytes = new MemoryStream();
            using (var stream = new GZipStream(new MemoryStream(packed), CompressionMode.Decompress))
            {
                stream.CopyTo(bytes);
            }
            return bytes.ToArray();
        }
    }
}
