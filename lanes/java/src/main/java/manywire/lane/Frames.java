package manywire.lane;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;

/** Frames: a length of four bytes, most significant first, and that many bytes. */
final class Frames {
    private Frames() {}

    /** Returns the next frame of a stream, or {@code null} at its end. */
    static byte[] read(InputStream stream) throws IOException {
        byte[] head = stream.readNBytes(4);
        if (head.length == 0) {
            return null;
        }
        if (head.length < 4) {
            throw new EOFException(
                    "the input ends after " + head.length + " of the 4 bytes of a length");
        }
        long length = Integer.toUnsignedLong(ByteBuffer.wrap(head).getInt());
        if (length > Integer.MAX_VALUE - 8) {
            throw new EOFException(
                    "a frame of " + length + " bytes is more than an array of Java holds");
        }
        // readNBytes reads in parts, so a false length does not allocate memory.
        byte[] frame = stream.readNBytes((int) length);
        if (frame.length < length) {
            throw new EOFException(
                    "the input ends after "
                            + frame.length
                            + " of the "
                            + length
                            + " bytes of a frame");
        }
        return frame;
    }

    /** Writes frames and flushes the stream. */
    static void write(OutputStream stream, List<byte[]> frames) throws IOException {
        for (byte[] frame : frames) {
            stream.write(ByteBuffer.allocate(4).putInt(frame.length).array());
            stream.write(frame);
        }
        stream.flush();
    }
}
