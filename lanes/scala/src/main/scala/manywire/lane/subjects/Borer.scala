// borer: JSON and CBOR, from and to the values of its own Dom.
package manywire.lane.subjects

import io.bullet.borer.{Cbor, Dom, Json, Tag}
import java.math.{BigDecimal => JavaDecimal, BigInteger}
import java.time.{DateTimeException, Instant, OffsetDateTime}
import manywire.lane.{Coder, Extension, Refusal}
import scala.collection.mutable

object BorerJson extends Coder {
  // By default, a number has an exponent of at most 64 and at most 34 digits. These are the largest limits that
  // borer allows.
  private val config = Json.DecodingConfig.default.copy(
    maxNumberAbsExponent = 999,
    maxNumberMantissaDigits = 200,
    maxStringLength = Int.MaxValue
  )

  def check(payload: Array[Byte]): Unit = JsonText.check(payload)

  def decode(payload: Array[Byte]): Any = Json.decode(payload).withConfig(config).to[Dom.Element].value

  def encode(value: Any): Array[Byte] = Json.encode(value.asInstanceOf[Dom.Element]).toByteArray

  override def plain(value: Any): Any = BorerValues.plain(value.asInstanceOf[Dom.Element])
}

object BorerCbor extends Coder {
  // By default, text of more than a megabyte is refused.
  val config: Cbor.DecodingConfig =
    Cbor.DecodingConfig.default.copy(maxTextStringLength = Int.MaxValue, maxByteStringLength = Int.MaxValue)

  def check(payload: Array[Byte]): Unit = CborBytes.check(payload)

  def decode(payload: Array[Byte]): Any = Cbor.decode(payload).withConfig(config).to[Dom.Element].value

  def encode(value: Any): Array[Byte] = Cbor.encode(value.asInstanceOf[Dom.Element]).toByteArray

  override def plain(value: Any): Any = BorerValues.plain(value.asInstanceOf[Dom.Element])
}

object BorerValues {

  /** The tag of RFC 9581: a map of seconds and of parts of a second. */
  val extendedTime: Tag = Tag.Other(1001)
  val secondsKey = 1
  val nanosecondsKey = -9

  /** Converts a value to Scala collections, for digests. */
  def plain(element: Dom.Element): Any = element match {
    case Dom.NullElem => null
    case Dom.BooleanElem(truth) => truth
    case Dom.IntElem(number) => number
    case Dom.LongElem(number) => number
    case Dom.OverLongElem(isNegative, bits) =>
      val magnitude = BigInt(java.lang.Long.toUnsignedString(bits))
      if (isNegative) -1 - magnitude else magnitude
    case Dom.Float16Elem(number) => number
    case Dom.FloatElem(number) => number
    case Dom.DoubleElem(number) => number
    case Dom.NumberStringElem(text) => number(text)
    case bytes: Dom.AbstractBytesElem => bytes.compact
    case text: Dom.AbstractTextElem => text.compact
    case array: Dom.ArrayElem => array.elems.map(plain)
    case map: Dom.MapElem =>
      val entries = mutable.LinkedHashMap.empty[Any, Any]
      map.members.foreach { case (key, value) => entries.put(plain(key), plain(value)) }
      entries
    case Dom.TaggedElem(tag, value) => tagged(tag, plain(value))
    case Dom.UndefinedElem => Extension("CBOR undefined", null)
    case Dom.SimpleValueElem(value) => Extension(s"CBOR simple value ${value.value}", null)
    case other => throw new Refusal(s"a ${other.getClass.getName} has no digest")
  }

  private def number(text: String): Any = {
    val near = text.toDouble
    // The limits are compared first, because 1e999999999 has more digits than fit in memory.
    if (near.abs > 1e30 || near.abs < 1e-30) near else new JavaDecimal(text)
  }

  private def tagged(tag: Tag, value: Any): Any = (tag, value) match {
    case (Tag.PositiveBigNum, bytes: Array[Byte]) => BigInt(new BigInteger(1, bytes))
    case (Tag.NegativeBigNum, bytes: Array[Byte]) => -1 - BigInt(new BigInteger(1, bytes))
    // A decimal fraction: an exponent of ten and a whole number.
    case (Tag.DecimalFraction, Vector(exponent: Int, whole @ (_: Int | _: Long | _: BigInt))) =>
      number(s"${whole}e$exponent")
    case (Tag.EpochDateTime, seconds: Int) => Instant.ofEpochSecond(seconds.toLong)
    case (Tag.EpochDateTime, seconds: Long) => Instant.ofEpochSecond(seconds)
    case (Tag.EpochDateTime, seconds: Float) => instant(seconds.toDouble)
    case (Tag.EpochDateTime, seconds: Double) => instant(seconds)
    case (Tag.DateTimeString, text: String) =>
      try OffsetDateTime.parse(text).toInstant
      catch { case error: DateTimeException => throw new Refusal(s"a point in time: ${error.getMessage}") }
    case (BorerValues.extendedTime, entries: collection.Map[_, _]) => extended(tag, entries)
    case _ => Extension(s"CBOR tag ${tag.code}", value)
  }

  private def extended(tag: Tag, entries: collection.Map[_, _]): Any = {
    val parts = entries.toSeq.toMap[Any, Any]
    (parts.get(secondsKey), parts.get(nanosecondsKey)) match {
      case (Some(second: Int), Some(nanos: Int)) if parts.size == 2 => Instant.ofEpochSecond(second.toLong, nanos.toLong)
      case (Some(second: Long), Some(nanos: Int)) if parts.size == 2 => Instant.ofEpochSecond(second, nanos.toLong)
      case _ => Extension(s"CBOR tag ${tag.code}", entries)
    }
  }

  private def instant(seconds: Double): Instant = {
    if (seconds.isNaN || seconds.abs > 1e11) {
      throw new Refusal(s"a point in time $seconds seconds after 1970")
    }
    val nanos = new JavaDecimal(seconds).movePointRight(9).setScale(0, java.math.RoundingMode.HALF_EVEN)
    val parts = nanos.toBigInteger
    val billion = BigInteger.valueOf(1000000000)
    val second = parts.subtract(parts.mod(billion)).divide(billion)
    Instant.ofEpochSecond(second.longValueExact, parts.mod(billion).longValue)
  }
}
