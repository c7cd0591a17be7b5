// uPickle on the types of payloads: MessagePack, by codecs that its macro derives.
package manywire.lane.typed

import java.nio.ByteBuffer
import java.time.Instant
import manywire.lane.{Coder, Refusal}
import manywire.lane.subjects.{MsgpackBytes, MsgpackExtension}
import scala.collection.mutable
import upack.Msg
import upickle.core.{Abort, Visitor}

/** The codecs of scalars that uPickle has not, or has for JSON only. */
trait UpickleTyped extends upickle.AttributeTagged {

  /** Returns the coder of a type whose codec is known. */
  protected def coderOf[T](implicit codec: ReadWriter[T]): Coder = new TypedCoder {
    def check(payload: Array[Byte]): Unit = MsgpackBytes.check(payload)

    // The codec of a class reads nil as null.
    def decode(payload: Array[Byte]): Any =
      Option(readBinary[T](payload)).getOrElse(throw new Refusal("the value is nil"))

    def encode(value: Any): Array[Byte] = writeBinary[T](value.asInstanceOf[T])
  }

  // By default, an integer from 2^63 becomes a negative one.
  implicit val wholeLong: ReadWriter[Long] = ReadWriter.join(
    new SimpleReader[Long] {
      def expectedMsg: String = "expected an integer of 64 bits"

      override def visitNull(index: Int): Long = throw new Abort(s"$expectedMsg got null")

      override def visitInt32(number: Int, index: Int): Long = number.toLong

      override def visitInt64(number: Long, index: Int): Long = number

      // Some writers have positive integers without a sign.
      override def visitUInt64(number: Long, index: Int): Long =
        if (number >= 0) number else super.visitUInt64(number, index)
    },
    new Writer[Long] {
      def write0[R](out: Visitor[_, R], value: Long): R = out.visitInt64(value, -1)
    }
  )

  // By default, a BigInt is text.
  implicit val wholeBigInt: ReadWriter[BigInt] = ReadWriter.join(
    new SimpleReader[BigInt] {
      def expectedMsg: String = "expected an integer"

      override def visitNull(index: Int): BigInt = throw new Abort(s"$expectedMsg got null")

      override def visitInt32(number: Int, index: Int): BigInt = BigInt(number)

      override def visitInt64(number: Long, index: Int): BigInt = BigInt(number)

      override def visitUInt64(number: Long, index: Int): BigInt = UpickleTyped.unsigned(number)
    },
    new Writer[BigInt] {
      def write0[R](out: Visitor[_, R], value: BigInt): R =
        if (value.isValidLong) out.visitInt64(value.toLong, -1) else out.visitUInt64(UpickleTyped.bits(value), -1)
    }
  )

  implicit val instant: ReadWriter[Instant] = ReadWriter.join(
    new SimpleReader[Instant] {
      def expectedMsg: String = "expected a point in time"

      override def visitExt(tag: Byte, bytes: Array[Byte], offset: Int, length: Int, index: Int): Instant =
        UpickleTyped.readInstant(tag, ByteBuffer.wrap(bytes, offset, length))
    },
    new Writer[Instant] {
      def write0[R](out: Visitor[_, R], value: Instant): R = {
        val bytes = UpickleTyped.writeInstant(value)
        out.visitExt(MsgpackBytes.timestamp, bytes, 0, bytes.length, -1)
      }
    }
  )

  /** Values of the type Any become those that a program works on, and not uPickle's. */
  implicit val any: ReadWriter[Any] = readwriter[Msg].bimap[Any](UpickleTyped.message, UpickleTyped.value)
}

object UpickleTyped {
  private def unsigned(bits: Long): BigInt = BigInt(java.lang.Long.toUnsignedString(bits))

  private def bits(value: BigInt): Long = {
    if (value.signum < 0 || value.bitLength > java.lang.Long.SIZE) {
      throw new Refusal(s"$value has no form in MessagePack")
    }
    value.longValue
  }

  private def readInstant(tag: Byte, bytes: ByteBuffer): Instant = {
    if (tag != MsgpackBytes.timestamp) {
      throw new Refusal(s"extension $tag is no point in time")
    }
    bytes.remaining match {
      case 4 => Instant.ofEpochSecond(Integer.toUnsignedLong(bytes.getInt))
      case 8 =>
        val both = bytes.getLong
        Instant.ofEpochSecond(both & ((1L << 34) - 1), both >>> 34)
      case _ =>
        val nanos = bytes.getInt
        Instant.ofEpochSecond(bytes.getLong, nanos.toLong)
    }
  }

  private def writeInstant(time: Instant): Array[Byte] = {
    val seconds = time.getEpochSecond
    if (seconds >>> 34 != 0) ByteBuffer.allocate(12).putInt(time.getNano).putLong(seconds).array
    else if (time.getNano != 0 || seconds >>> 32 != 0)
      ByteBuffer.allocate(8).putLong(time.getNano.toLong << 34 | seconds).array
    else ByteBuffer.allocate(4).putInt(seconds.toInt).array
  }

  private def value(message: Msg): Any = message match {
    case upack.Null => null
    case upack.True => true
    case upack.False => false
    case upack.Int32(number) => number.toLong
    case upack.Int64(number) => number
    case upack.UInt64(bits) => if (bits >= 0) bits else unsigned(bits)
    case upack.Float32(number) => number
    case upack.Float64(number) => number
    case upack.Str(text) => text
    case upack.Binary(bytes) => bytes
    case upack.Arr(items) => items.iterator.map(value).toVector
    case upack.Obj(members) =>
      val entries = mutable.LinkedHashMap.empty[Any, Any]
      members.foreachEntry((key, item) => entries.put(value(key), value(item)))
      entries
    case upack.Ext(MsgpackBytes.timestamp, bytes) => readInstant(MsgpackBytes.timestamp, ByteBuffer.wrap(bytes))
    case upack.Ext(kind, bytes) => MsgpackExtension(kind, bytes)
  }

  private def message(value: Any): Msg = value match {
    case null => upack.Null
    case truth: Boolean => upack.Bool(truth)
    case number: Long => upack.Int64(number)
    case number: BigInt => upack.UInt64(bits(number))
    case number: Float => upack.Float32(number)
    case number: Double => upack.Float64(number)
    case text: String => upack.Str(text)
    case bytes: Array[Byte] => upack.Binary(bytes)
    case items: Vector[_] => upack.Arr(items.map(message): _*)
    case entries: mutable.LinkedHashMap[_, _] =>
      val members = upack.Obj()
      entries.foreachEntry((key, item) => members.value.put(message(key), message(item)))
      members
    case time: Instant => upack.Ext(MsgpackBytes.timestamp, writeInstant(time))
    case MsgpackExtension(kind, bytes) => upack.Ext(kind, bytes)
    case _ => throw new Refusal(s"a ${value.getClass.getName} has no form in MessagePack")
  }
}
