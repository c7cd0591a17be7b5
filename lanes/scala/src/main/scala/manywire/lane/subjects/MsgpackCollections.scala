// Hand-written code for msgpack-core, which reads and writes scalars and the headers of containers. Values are
// those of Scala: Vector, LinkedHashMap (which keeps the order of entries), String, Long, BigInt, Float, Double,
// Array[Byte], Instant and Extension.
package manywire.lane.subjects

import java.time.Instant
import manywire.lane.{Coder, Extension, Refusal}
import org.msgpack.core.{MessageFormat, MessagePack, MessagePackException, MessagePacker, MessageUnpacker}
import org.msgpack.value.ValueType
import scala.collection.mutable

object MsgpackCollections extends Coder {
  def check(payload: Array[Byte]): Unit = MsgpackBytes.check(payload)

  def decode(payload: Array[Byte]): Any = {
    val in = MessagePack.newDefaultUnpacker(payload)
    try unpack(in)
    finally in.close()
  }

  def encode(value: Any): Array[Byte] = {
    val out = MessagePack.newDefaultBufferPacker()
    try {
      pack(out, value)
      out.toByteArray
    } finally out.close()
  }

  override def plain(value: Any): Any = value match {
    case items: Vector[_] => items.map(plain)
    case entries: mutable.LinkedHashMap[_, _] => entries.map { case (key, item) => key -> plain(item) }
    case MsgpackExtension(kind, data) => Extension(s"MessagePack $kind", data)
    case _ => value
  }

  /** Reads a value of any type. */
  def unpack(in: MessageUnpacker): Any = {
    val format = in.getNextFormat
    format.getValueType match {
      case ValueType.STRING => in.unpackString()
      case ValueType.INTEGER => if (format == MessageFormat.UINT64) unpackUnsigned(in) else in.unpackLong()
      case ValueType.MAP =>
        // The map grows as entries arrive, because its header may claim any length.
        val entries = mutable.LinkedHashMap.empty[Any, Any]
        var left = in.unpackMapHeader()
        while (left > 0) {
          val key = unpack(in)
          entries.put(key, unpack(in))
          left -= 1
        }
        entries
      case ValueType.ARRAY =>
        val items = Vector.newBuilder[Any]
        var left = in.unpackArrayHeader()
        while (left > 0) {
          items += unpack(in)
          left -= 1
        }
        items.result()
      case ValueType.BOOLEAN => in.unpackBoolean()
      case ValueType.FLOAT => if (format == MessageFormat.FLOAT32) in.unpackFloat() else in.unpackDouble()
      case ValueType.NIL =>
        in.unpackNil()
        null
      case ValueType.BINARY => in.readPayload(in.unpackBinaryHeader())
      case ValueType.EXTENSION =>
        val head = in.unpackExtensionTypeHeader()
        if (head.getType == MsgpackBytes.timestamp) in.unpackTimestamp(head)
        else MsgpackExtension(head.getType, in.readPayload(head.getLength))
      case _ => throw new MessagePackException("a byte that begins no value")
    }
  }

  private def unpackUnsigned(in: MessageUnpacker): Any = {
    val number = in.unpackBigInteger()
    if (number.bitLength < 64) number.longValue else BigInt(number)
  }

  /** Writes a value of any type. */
  def pack(out: MessagePacker, value: Any): Unit = {
    value match {
      case text: String => out.packString(text)
      case number: Long => out.packLong(number)
      case entries: mutable.LinkedHashMap[_, _] =>
        out.packMapHeader(entries.size)
        entries.foreachEntry { (key, item) =>
          pack(out, key)
          pack(out, item)
        }
      case items: Vector[_] =>
        out.packArrayHeader(items.size)
        items.foreach(pack(out, _))
      case number: Double => out.packDouble(number)
      case truth: Boolean => out.packBoolean(truth)
      case null => out.packNil()
      case number: Float => out.packFloat(number)
      case number: BigInt => out.packBigInteger(number.bigInteger)
      case bytes: Array[Byte] =>
        out.packBinaryHeader(bytes.length)
        out.writePayload(bytes)
      case time: Instant => out.packTimestamp(time)
      case MsgpackExtension(kind, data) =>
        out.packExtensionTypeHeader(kind, data.length)
        out.writePayload(data)
      case _ => throw new Refusal(s"a ${value.getClass.getName} has no form in MessagePack")
    }
    ()
  }
}

/** An extension that is not a timestamp. */
final case class MsgpackExtension(kind: Byte, data: Array[Byte])
