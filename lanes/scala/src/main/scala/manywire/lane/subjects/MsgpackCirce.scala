// MessagePack to and from the values of circe, by msgpack-core. A service whose decoders are circe's reads both formats
// with them in this way. Bytes, timestamps, extensions, keys that are not text and numbers that are not finite
// have no form in these values.
package manywire.lane.subjects

import io.circe.{Json, JsonNumber, JsonObject}
import manywire.lane.{Coder, Refusal}
import org.msgpack.core.{MessageFormat, MessagePack, MessagePackException, MessagePacker, MessageUnpacker}
import org.msgpack.value.ValueType
import scala.collection.mutable.ArrayBuffer

object MsgpackCirce extends Coder {
  def check(payload: Array[Byte]): Unit = MsgpackBytes.check(payload)

  def decode(payload: Array[Byte]): Any = {
    val in = MessagePack.newDefaultUnpacker(payload)
    try unpack(in)
    finally in.close()
  }

  def encode(value: Any): Array[Byte] = {
    val out = MessagePack.newDefaultBufferPacker()
    try {
      value.asInstanceOf[Json].foldWith(new Packing(out))
      out.toByteArray
    } finally out.close()
  }

  override def plain(value: Any): Any = CirceValues.plain(value.asInstanceOf[Json])

  private def unpack(in: MessageUnpacker): Json = {
    val format = in.getNextFormat
    format.getValueType match {
      case ValueType.STRING => Json.fromString(in.unpackString())
      case ValueType.INTEGER =>
        if (format == MessageFormat.UINT64) Json.fromBigInt(BigInt(in.unpackBigInteger()))
        else Json.fromLong(in.unpackLong())
      case ValueType.MAP =>
        // The buffer grows as entries arrive, because the header may claim any length.
        val entries = ArrayBuffer.empty[(String, Json)]
        var left = in.unpackMapHeader()
        while (left > 0) {
          entries += unpackKey(in) -> unpack(in)
          left -= 1
        }
        Json.fromFields(entries)
      case ValueType.ARRAY =>
        val items = Vector.newBuilder[Json]
        var left = in.unpackArrayHeader()
        while (left > 0) {
          items += unpack(in)
          left -= 1
        }
        Json.fromValues(items.result())
      case ValueType.BOOLEAN => Json.fromBoolean(in.unpackBoolean())
      case ValueType.FLOAT =>
        val number = in.unpackDouble()
        Json.fromDouble(number).getOrElse(throw new Refusal(s"$number has no form in circe's Json"))
      case ValueType.NIL =>
        in.unpackNil()
        Json.Null
      case ValueType.BINARY => throw new Refusal("bytes have no form in circe's Json")
      case ValueType.EXTENSION => throw new Refusal("an extension has no form in circe's Json")
      case _ => throw new MessagePackException("a byte that begins no value")
    }
  }

  private def unpackKey(in: MessageUnpacker): String = in.getNextFormat.getValueType match {
    case ValueType.STRING => in.unpackString()
    case kind => throw new Refusal(s"a key of type $kind has no form in circe's Json")
  }

  private final class Packing(out: MessagePacker) extends Json.Folder[Unit] {
    def onNull: Unit = {
      out.packNil()
      ()
    }

    def onBoolean(value: Boolean): Unit = {
      out.packBoolean(value)
      ()
    }

    // A number of circe does not say whether it was an integer, so that 2.0 becomes 2.
    def onNumber(value: JsonNumber): Unit = {
      value.toLong match {
        case Some(whole) => out.packLong(whole)
        case None =>
          value.toBigInt.filter(whole => whole.signum > 0 && whole.bitLength <= 64) match {
            case Some(whole) => out.packBigInteger(whole.bigInteger)
            case None => out.packDouble(value.toDouble)
          }
      }
      ()
    }

    def onString(value: String): Unit = {
      out.packString(value)
      ()
    }

    def onArray(value: Vector[Json]): Unit = {
      out.packArrayHeader(value.size)
      value.foreach(_.foldWith(this))
    }

    def onObject(value: JsonObject): Unit = {
      out.packMapHeader(value.size)
      value.toIterable.foreach { case (key, item) =>
        out.packString(key)
        item.foldWith(this)
      }
    }
  }
}
