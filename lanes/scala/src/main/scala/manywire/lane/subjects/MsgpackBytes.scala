// The check of MessagePack at `load`, outside of what is measured. msgpack-core replaces invalid UTF-8 and makes a
// later second of a timestamp with too many nanoseconds, and readers of values ignore what follows the value and
// overflow the stack on deep ones.
package manywire.lane.subjects

import java.nio.ByteBuffer
import java.nio.charset.CodingErrorAction
import manywire.lane.Refusal
import org.msgpack.core.{MessagePack, MessageUnpacker}
import org.msgpack.value.ValueType

object MsgpackBytes {
  val timestamp: Byte = -1

  private val levelsMax = 1000
  private val nanosMax = 999999999

  private val strict = new MessagePack.UnpackerConfig()
    .withActionOnMalformedString(CodingErrorAction.REPORT)
    .withActionOnUnmappableString(CodingErrorAction.REPORT)

  /** Throws unless the bytes are one value with at most `levelsMax` levels, valid text and valid timestamps. */
  def check(payload: Array[Byte]): Unit = {
    val in = strict.newUnpacker(payload)
    try {
      skip(in, payload.length, 0)
      if (in.hasNext) {
        throw new Refusal(s"${payload.length - in.getTotalReadBytes} bytes after the value")
      }
    } finally in.close()
  }

  private def skip(in: MessageUnpacker, length: Int, levels: Int): Unit = {
    val start = in.getTotalReadBytes
    in.getNextFormat.getValueType match {
      case ValueType.STRING =>
        in.unpackString()
      case ValueType.BINARY => skipBytes(in, length, in.unpackBinaryHeader())
      case ValueType.ARRAY => skipItems(in, length, levels, start, in.unpackArrayHeader().toLong)
      case ValueType.MAP => skipItems(in, length, levels, start, 2L * in.unpackMapHeader())
      case ValueType.EXTENSION =>
        val head = in.unpackExtensionTypeHeader()
        if (head.getType == timestamp) checkTimestamp(in, head.getLength, start)
        else skipBytes(in, length, head.getLength)
      case _ => in.skipValue()
    }
  }

  private def skipItems(in: MessageUnpacker, length: Int, levels: Int, start: Long, count: Long): Unit = {
    if (levels == levelsMax) {
      throw new Refusal(s"more than $levelsMax levels of nesting at byte $start")
    }
    // Each item has one byte at least.
    if (count > length - in.getTotalReadBytes) {
      throw new Refusal(s"a container of $count items at byte $start, and the input has fewer bytes")
    }
    var left = count
    while (left > 0) {
      skip(in, length, levels + 1)
      left -= 1
    }
  }

  private def skipBytes(in: MessageUnpacker, length: Int, count: Int): Unit = {
    if (count > length - in.getTotalReadBytes) {
      throw new Refusal(s"$count bytes at byte ${in.getTotalReadBytes}, and the input has fewer")
    }
    in.readPayload(count)
    ()
  }

  private def checkTimestamp(in: MessageUnpacker, count: Int, start: Long): Unit = {
    val nanos = count match {
      case 4 =>
        in.readPayload(4)
        0
      case 8 => ByteBuffer.wrap(in.readPayload(8)).getInt() >>> 2
      case 12 => ByteBuffer.wrap(in.readPayload(12)).getInt()
      case _ => throw new Refusal(s"a timestamp of $count bytes at byte $start")
    }
    if (nanos < 0 || nanos > nanosMax) {
      throw new Refusal(s"a timestamp with ${Integer.toUnsignedString(nanos)} nanoseconds at byte $start")
    }
  }
}
