// The check of CBOR at `load`, outside of what is measured. borer allocates a map by its announced length, so that a
// few bytes would exhaust the memory, replaces invalid UTF-8, overflows the stack on deep values, and ends with a
// MatchError where the input does.
package manywire.lane.subjects

import manywire.lane.Refusal

object CborBytes {

  /** The maximum nesting. borer's own limit of 1000 overflows the default stack before the code is compiled. */
  private val levelsMax = 500

  /** Throws unless the bytes have the structure of one item with at most `levelsMax` levels. */
  def check(payload: Array[Byte]): Unit = new CborBytes(payload).item()
}

private final class CborBytes(payload: Array[Byte]) {
  private var at = 0
  private var levels = 0

  /** The items that are missing in each open level. Negative numbers are levels that a break ends. */
  private val missing = new Array[Long](CborBytes.levelsMax + 1)

  /** The items that all open levels announce together. An item has one byte at least. */
  private var announced = 0L

  def item(): Unit = {
    missing(0) = 1
    announced = 1
    while (levels > 0 || missing(0) > 0) {
      head()
      while (levels > 0 && missing(levels) == 0) {
        levels -= 1
      }
    }
    if (at < payload.length) {
      throw new Refusal(s"${payload.length - at} bytes after the value")
    }
  }

  private def head(): Unit = {
    if (at == payload.length) {
      throw new Refusal(s"the input ends at byte $at, before the end of the value")
    }
    val start = at
    val major = (payload(at) & 0xff) >>> 5
    val info = payload(at) & 0x1f
    at += 1
    if (major == 7 && info == 31) {
      if (missing(levels) >= 0) {
        throw new Refusal(s"a break at byte $start, outside of an item of indefinite length")
      }
      missing(levels) = 0
    } else {
      val count = argument(start, info)
      if (missing(levels) > 0) {
        missing(levels) -= 1
        announced -= 1
      }
      major match {
        case 2 | 3 | 4 | 5 if info == 31 => open(start, -1, 0)
        case 2 => skip(start, count)
        case 3 =>
          skip(start, count)
          Utf8.check(payload, at - count.toInt, count.toInt)
        case 4 => open(start, count, 1)
        case 5 => open(start, count, 2)
        case 6 => open(start, 1, 1)
        case _ =>
      }
    }
  }

  /** Returns the argument of a head. Those from 2^63 are negative. */
  private def argument(start: Int, info: Int): Long = {
    val size = if (info >= 24 && info <= 27) 1 << (info - 24) else 0
    if (size > payload.length - at) {
      throw new Refusal(s"the input ends in the item at byte $start")
    }
    at += size
    payload.slice(at - size, at).foldLeft(if (size == 0) info.toLong else 0L)((sum, byte) => sum << 8 | (byte & 0xff))
  }

  private def skip(start: Int, count: Long): Unit = {
    val rest = payload.length - at
    if (count < 0 || count > rest) {
      throw new Refusal(s"${java.lang.Long.toUnsignedString(count)} bytes at byte $start, and the input has $rest")
    }
    at += count.toInt
  }

  /** Opens a level of `count` items of a number of parts each, or of an unknown number if there are no parts. */
  private def open(start: Int, count: Long, parts: Int): Unit = {
    val rest = payload.length - at
    if (parts > 0 && (count < 0 || count > rest || announced + count * parts > rest)) {
      val length = java.lang.Long.toUnsignedString(count)
      throw new Refusal(s"a container of $length at byte $start, and the input ends before its items")
    }
    if (levels == CborBytes.levelsMax) {
      throw new Refusal(s"more than ${CborBytes.levelsMax} levels of nesting at byte $start")
    }
    levels += 1
    missing(levels) = if (parts == 0) -1 else count * parts
    announced += math.max(0, count) * parts
  }
}
