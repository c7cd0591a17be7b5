// The frames of the contract: a length of four bytes, most significant first, and that many bytes.
package manywire.lane

import java.io.{EOFException, InputStream, OutputStream}
import java.nio.ByteBuffer

object Frames {

  /** Returns the next frame of a stream, or nothing at its end. */
  def read(stream: InputStream): Option[Array[Byte]] = {
    val head = stream.readNBytes(4)
    if (head.isEmpty) {
      None
    } else {
      if (head.length < 4) {
        throw new EOFException(s"the input ends after ${head.length} of the 4 bytes of a length")
      }
      val length = Integer.toUnsignedLong(ByteBuffer.wrap(head).getInt)
      if (length > Int.MaxValue - 8) {
        throw new EOFException(s"a frame of $length bytes is more than an array of Java holds")
      }
      // readNBytes reads in parts, so a false length does not allocate memory.
      val frame = stream.readNBytes(length.toInt)
      if (frame.length < length) {
        throw new EOFException(s"the input ends after ${frame.length} of the $length bytes of a frame")
      }
      Some(frame)
    }
  }

  /** Writes frames and flushes the stream. */
  def write(stream: OutputStream, frames: Seq[Array[Byte]]): Unit = {
    frames.foreach { frame =>
      stream.write(ByteBuffer.allocate(4).putInt(frame.length).array)
      stream.write(frame)
    }
    stream.flush()
  }
}
