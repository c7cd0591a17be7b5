// The canonical digest of a value, as CONTRACT.md defines it. Values are those of Scala collections, to which each
// subject converts its own: null, Boolean, numbers of Java and Scala, String, Array[Byte], Seq, Map, Instant and
// Extension.
package manywire.lane

import java.io.ByteArrayOutputStream
import java.math.{BigDecimal => JavaDecimal, BigInteger}
import java.nio.{ByteBuffer, CharBuffer}
import java.nio.charset.{CharacterCodingException, StandardCharsets}
import java.security.MessageDigest
import java.time.Instant
import java.util.{Arrays, HexFormat, TreeMap}
import scala.jdk.CollectionConverters._

/** An extension of MessagePack, or a tag or simple value of CBOR, which Scala has no value for. */
final case class Extension(kind: String, content: Any)

object Digest {
  private val wholeMin = BigInteger.ONE.shiftLeft(63).negate
  private val wholeEnd = BigInteger.ONE.shiftLeft(64)

  /** 2^64. */
  private val limit = 18446744073709551616.0

  /** Returns the SHA-256 of the canonical form of a value, in hexadecimal. */
  def of(value: Any): String = hex(new Digest(keepsExtensions = false), value)

  /** Returns a digest by which a lane compares values with each other. Extensions are a part of it. */
  def withExtensions(value: Any): String = hex(new Digest(keepsExtensions = true), value)

  private def hex(form: Digest, value: Any): String = {
    form.add(value)
    HexFormat.of.formatHex(MessageDigest.getInstance("SHA-256").digest(form.out.toByteArray))
  }

  private def utf8(text: String): Array[Byte] =
    try {
      val bytes = StandardCharsets.UTF_8.newEncoder.encode(CharBuffer.wrap(text))
      Arrays.copyOf(bytes.array, bytes.limit)
    } catch {
      case _: CharacterCodingException => throw new Refusal("text with half of a surrogate pair has no UTF-8")
    }

  private def key(value: Any): String = value match {
    case text: String => text
    case _: Boolean | _: Int | _: Long | _: BigInt => value.toString
    case null => throw new Refusal("null as a key has no digest")
    case _ => throw new Refusal(s"a ${value.getClass.getSimpleName} as a key has no digest")
  }
}

private final class Digest(keepsExtensions: Boolean) {
  private val out = new ByteArrayOutputStream

  private def add(value: Any): Unit = value match {
    case null => ascii("n")
    case truth: Boolean => ascii(if (truth) "t" else "f")
    case text: String => sized('s', Digest.utf8(text))
    case bytes: Array[Byte] => sized('b', bytes)
    case number: Int => ascii(s"i$number;")
    case number: Long => ascii(s"i$number;")
    case number: Float => real(number.toDouble)
    case number: Double => real(number)
    case number: BigInt => whole(number.bigInteger)
    case number: BigInteger => whole(number)
    case number: JavaDecimal => decimal(number)
    case items: collection.Seq[_] =>
      ascii(s"a${items.size}:")
      items.foreach(add)
    case entries: collection.Map[_, _] => map(entries)
    case time: Instant => ascii(s"T${time.getEpochSecond}.${time.getNano};")
    case Extension(kind, content) if keepsExtensions =>
      ascii(s"x$kind:")
      add(content)
    case Extension(kind, _) => throw new Refusal(s"an extension ($kind) has no digest")
    case _ => throw new Refusal(s"a ${value.getClass.getName} has no digest")
  }

  private def map(entries: collection.Map[_, _]): Unit = {
    val forms = new TreeMap[Array[Byte], Array[Byte]]((left, right) => Arrays.compareUnsigned(left, right))
    entries.foreach { case (key, value) =>
      val name = new Digest(keepsExtensions)
      name.add(Digest.key(key))
      if (value == null) {
        forms.remove(name.out.toByteArray)
      } else {
        val form = new Digest(keepsExtensions)
        form.add(value)
        forms.put(name.out.toByteArray, form.out.toByteArray)
      }
    }
    ascii(s"m${forms.size}:")
    forms.asScala.foreach { case (name, form) =>
      out.writeBytes(name)
      out.writeBytes(form)
    }
  }

  private def decimal(number: JavaDecimal): Unit = {
    val near = number.doubleValue
    // The size is compared first, because the digits of 1e999999999 would fill the memory.
    if (near.abs <= Digest.limit && number.stripTrailingZeros.scale <= 0) whole(number.toBigInteger) else real(near)
  }

  private def whole(number: BigInteger): Unit =
    if (number.compareTo(Digest.wholeMin) >= 0 && number.compareTo(Digest.wholeEnd) < 0) {
      ascii(s"i$number;")
    } else {
      real(number.doubleValue)
    }

  private def real(number: Double): Unit =
    if (number == Math.rint(number) && number >= -Digest.limit / 2 && number < Digest.limit) {
      ascii(s"i${new JavaDecimal(number).toBigInteger};")
    } else {
      ascii("d")
      // doubleToLongBits returns the NaN that the contract requires.
      out.writeBytes(ByteBuffer.allocate(8).putLong(java.lang.Double.doubleToLongBits(number)).array)
    }

  private def sized(kind: Char, content: Array[Byte]): Unit = {
    ascii(s"$kind${content.length}:")
    out.writeBytes(content)
  }

  private def ascii(text: String): Unit = out.writeBytes(text.getBytes(StandardCharsets.US_ASCII))
}
