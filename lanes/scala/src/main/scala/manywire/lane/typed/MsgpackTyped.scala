// msgpack-core on the types of payloads. The library reads and writes scalars and the headers of containers; generate/
// writes a codec of each class around it.
package manywire.lane.typed

import java.time.Instant
import manywire.lane.Refusal
import manywire.lane.subjects.{MsgpackBytes, MsgpackCollections}
import org.msgpack.core.{MessagePack, MessagePacker, MessageUnpacker}
import org.msgpack.value.ValueType

/** Reads and writes values of a type. */
trait MsgpackCodec[T] {
  def pack(out: MessagePacker, value: T): Unit

  def unpack(in: MessageUnpacker): T
}

final class MsgpackTyped[T](codec: MsgpackCodec[T]) extends TypedCoder {
  def check(payload: Array[Byte]): Unit = MsgpackBytes.check(payload)

  def decode(payload: Array[Byte]): Any = {
    val in = MessagePack.newDefaultUnpacker(payload)
    try codec.unpack(in)
    finally in.close()
  }

  def encode(value: Any): Array[Byte] = {
    val out = MessagePack.newDefaultBufferPacker()
    try {
      codec.pack(out, value.asInstanceOf[T])
      out.toByteArray
    } finally out.close()
  }
}

object MsgpackTyped {
  private def codec[T](write: (MessagePacker, T) => Any)(read: MessageUnpacker => T): MsgpackCodec[T] =
    new MsgpackCodec[T] {
      def pack(out: MessagePacker, value: T): Unit = {
        write(out, value)
        ()
      }

      def unpack(in: MessageUnpacker): T = read(in)
    }

  implicit val boolean: MsgpackCodec[Boolean] = codec[Boolean](_.packBoolean(_))(_.unpackBoolean())

  implicit val byte: MsgpackCodec[Byte] = codec[Byte](_.packByte(_))(_.unpackByte())

  implicit val short: MsgpackCodec[Short] = codec[Short](_.packShort(_))(_.unpackShort())

  implicit val int: MsgpackCodec[Int] = codec[Int](_.packInt(_))(_.unpackInt())

  implicit val long: MsgpackCodec[Long] = codec[Long](_.packLong(_))(_.unpackLong())

  implicit val bigInt: MsgpackCodec[BigInt] =
    codec[BigInt]((out, value) => out.packBigInteger(value.bigInteger))(in => BigInt(in.unpackBigInteger()))

  implicit val float: MsgpackCodec[Float] =
    codec[Float](_.packFloat(_))(in => if (isWhole(in)) in.unpackBigInteger().floatValue else in.unpackFloat())

  implicit val double: MsgpackCodec[Double] =
    codec[Double](_.packDouble(_))(in => if (isWhole(in)) in.unpackBigInteger().doubleValue else in.unpackDouble())

  implicit val string: MsgpackCodec[String] = codec[String](_.packString(_))(_.unpackString())

  implicit val bytes: MsgpackCodec[Array[Byte]] = codec[Array[Byte]] { (out, value) =>
    out.packBinaryHeader(value.length)
    out.writePayload(value)
  }(in => in.readPayload(in.unpackBinaryHeader()))

  implicit val instant: MsgpackCodec[Instant] = codec[Instant](_.packTimestamp(_))(_.unpackTimestamp())

  implicit val any: MsgpackCodec[Any] = codec[Any](MsgpackCollections.pack(_, _))(MsgpackCollections.unpack(_))

  implicit def option[T](implicit inner: MsgpackCodec[T]): MsgpackCodec[Option[T]] = codec[Option[T]] {
    (out, value) => if (value.isEmpty) out.packNil() else inner.pack(out, value.get)
  }(in => if (in.tryUnpackNil()) None else Some(inner.unpack(in)))

  implicit def list[T](implicit inner: MsgpackCodec[T]): MsgpackCodec[List[T]] = codec[List[T]] { (out, value) =>
    out.packArrayHeader(value.size)
    value.foreach(inner.pack(out, _))
  } { in =>
    // The list grows as items arrive, because its header may claim any length.
    val items = List.newBuilder[T]
    var left = in.unpackArrayHeader()
    while (left > 0) {
      items += inner.unpack(in)
      left -= 1
    }
    items.result()
  }

  implicit def map[K, T](implicit key: MsgpackCodec[K], inner: MsgpackCodec[T]): MsgpackCodec[Map[K, T]] =
    codec[Map[K, T]] { (out, value) =>
      out.packMapHeader(value.size)
      value.foreachEntry { (name, item) =>
        key.pack(out, name)
        inner.pack(out, item)
      }
    } { in =>
      val entries = Map.newBuilder[K, T]
      var left = in.unpackMapHeader()
      while (left > 0) {
        val name = key.unpack(in)
        entries += name -> inner.unpack(in)
        left -= 1
      }
      entries.result()
    }

  /** Returns the number of items of an array that has an item for each of `fields`, or less. */
  def arrayHeader(in: MessageUnpacker, fields: Int): Int = {
    val count = in.unpackArrayHeader()
    if (count > fields) {
      throw new Refusal(s"an array of $count items for a record of $fields fields")
    }
    count
  }

  def missing(key: String): Nothing = throw new Refusal(s"the field $key is missing")

  /** Returns whether the next value is an integer, which writers of other languages use for 2.0. */
  private def isWhole(in: MessageUnpacker): Boolean = in.getNextFormat.getValueType == ValueType.INTEGER
}
