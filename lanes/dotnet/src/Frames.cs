using System;
using System.IO;

namespace Manywire.Lane
{
    /// <summary>Frames: a length of four bytes, most significant first, and that many bytes.</summary>
    public static class Frames
    {
        // The longest array of the runtime.
        private const uint BytesMax = 0x7fffffc7;

        private const int ChunkBytes = 1 << 20;

        /// <summary>Returns the next frame, or null at the end of the stream.</summary>
        public static byte[] Read(Stream stream)
        {
            byte[] head = new byte[4];
            int count = Fill(stream, head, 0);
            if (count == 0)
            {
                return null;
            }
            if (count < 4)
            {
                throw new EndOfStreamException($"the input ends after {count} of the 4 bytes of a length");
            }
            uint length = (uint)head[0] << 24 | (uint)head[1] << 16 | (uint)head[2] << 8 | head[3];
            if (length > BytesMax)
            {
                throw new InvalidDataException($"a frame of {length} bytes, expected at most {BytesMax}");
            }
            // Grows with the bytes that arrive: an announced length allocates at most one chunk.
            byte[] frame = new byte[Math.Min(length, ChunkBytes)];
            int filled = 0;
            while (true)
            {
                filled += Fill(stream, frame, filled);
                if (filled == length)
                {
                    return frame;
                }
                if (filled < frame.Length)
                {
                    throw new EndOfStreamException($"the input ends after {filled} of the {length} bytes of a frame");
                }
                Array.Resize(ref frame, (int)Math.Min(length, 2L * frame.Length));
            }
        }

        /// <summary>Reads until the array is full or the stream ends. Returns the number of bytes.</summary>
        private static int Fill(Stream stream, byte[] bytes, int start)
        {
            int at = start;
            while (at < bytes.Length)
            {
                int count = stream.Read(bytes, at, bytes.Length - at);
                if (count == 0)
                {
                    break;
                }
                at += count;
            }
            return at - start;
        }

        public static void Write(Stream stream, byte[] frame)
        {
            uint length = (uint)frame.Length;
            byte[] head = { (byte)(length >> 24), (byte)(length >> 16), (byte)(length >> 8), (byte)length };
            stream.Write(head, 0, head.Length);
            stream.Write(frame, 0, frame.Length);
        }
    }
}
