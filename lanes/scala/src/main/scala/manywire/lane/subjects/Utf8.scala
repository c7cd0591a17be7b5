// The check of UTF-8, of which libraries replace invalid bytes without an error.
package manywire.lane.subjects

import java.nio.{ByteBuffer, CharBuffer}
import java.nio.charset.StandardCharsets
import manywire.lane.Refusal

object Utf8 {

  /** Throws unless `length` bytes from `start` are UTF-8. */
  def check(bytes: Array[Byte], start: Int, length: Int): Unit = {
    val input = ByteBuffer.wrap(bytes, start, length)
    if (StandardCharsets.UTF_8.newDecoder.decode(input, CharBuffer.allocate(length), true).isError) {
      throw new Refusal(s"invalid UTF-8 at byte ${input.position()}")
    }
  }
}
