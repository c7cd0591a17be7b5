// jsoniter-scala on the types of payloads, by codecs that its macro makes.
package manywire.lane.typed

import com.github.plokhotnyuk.jsoniter_scala.core._
import manywire.lane.Refusal
import manywire.lane.subjects.JsonText
import scala.collection.mutable

final class JsoniterTyped[T](codec: JsonValueCodec[T]) extends TypedCoder {
  // By default, text of more than four million characters is refused.
  private val config = ReaderConfig.withMaxCharBufSize(JsoniterTyped.textMax)

  def check(payload: Array[Byte]): Unit = JsonText.check(payload)

  def decode(payload: Array[Byte]): Any = readFromArray(payload, config)(codec)

  def encode(value: Any): Array[Byte] = writeToArray(value.asInstanceOf[T])(codec)
}

object JsoniterTyped {
  private val textMax = 1 << 28

  /** Digits that every `Long` has room for. */
  private val longDigits = 18

  implicit val any: JsonValueCodec[Any] = new JsonValueCodec[Any] {
    def nullValue: Any = null

    def decodeValue(in: JsonReader, default: Any): Any = in.nextToken() match {
      case '"' =>
        in.rollbackToken()
        in.readString(null)
      case 'n' =>
        // The default must not be null, which would be an error.
        in.readNullOrError[Any](None, "expected a value")
        null
      case 't' | 'f' =>
        in.rollbackToken()
        in.readBoolean()
      case '[' => array(in)
      case '{' => record(in)
      case _ =>
        in.rollbackToken()
        number(in)
    }

    private def array(in: JsonReader): Any = {
      val items = Vector.newBuilder[Any]
      if (!in.isNextToken(']')) {
        in.rollbackToken()
        items += decodeValue(in, null)
        while (in.isNextToken(',')) items += decodeValue(in, null)
        if (!in.isCurrentToken(']')) in.arrayEndOrCommaError()
      }
      items.result()
    }

    private def record(in: JsonReader): Any = {
      val entries = mutable.LinkedHashMap.empty[String, Any]
      if (!in.isNextToken('}')) {
        in.rollbackToken()
        entries.put(in.readKeyAsString(), decodeValue(in, null))
        while (in.isNextToken(',')) entries.put(in.readKeyAsString(), decodeValue(in, null))
        if (!in.isCurrentToken('}')) in.objectEndOrCommaError()
      }
      entries
    }

    private def number(in: JsonReader): Any = {
      in.setMark()
      var length = 0
      var next = in.nextByte()
      try {
        while (next >= '0' && next <= '9' || next == '-') {
          length += 1
          next = in.nextByte()
        }
      } catch {
        // The number ends the input.
        case _: JsonReaderException =>
      }
      in.rollbackToMark()
      if (next == '.' || next == 'e' || next == 'E') in.readDouble()
      else if (length <= longDigits) in.readLong()
      else {
        val whole = in.readBigInt(null)
        if (whole.isValidLong) whole.toLong else whole
      }
    }

    def encodeValue(value: Any, out: JsonWriter): Unit = value match {
      case text: String => out.writeVal(text)
      case number: Long => out.writeVal(number)
      case number: Double => out.writeVal(number)
      case number: BigInt => out.writeVal(number)
      case truth: Boolean => out.writeVal(truth)
      case null => out.writeNull()
      case items: Vector[_] =>
        out.writeArrayStart()
        items.foreach(encodeValue(_, out))
        out.writeArrayEnd()
      case entries: mutable.LinkedHashMap[_, _] =>
        out.writeObjectStart()
        entries.foreachEntry { (key, item) =>
          out.writeKey(key.toString)
          encodeValue(item, out)
        }
        out.writeObjectEnd()
      case _ => throw new Refusal(s"a ${value.getClass.getName} has no form in JSON")
    }
  }

  // JSON has no bytes: payloads with bytes are not JSON, but their types are compiled for every library.
  implicit val bytes: JsonValueCodec[Array[Byte]] = new JsonValueCodec[Array[Byte]] {
    def nullValue: Array[Byte] = null

    def decodeValue(in: JsonReader, default: Array[Byte]): Array[Byte] = in.decodeError("JSON has no bytes")

    def encodeValue(value: Array[Byte], out: JsonWriter): Unit = throw new Refusal("JSON has no bytes")
  }
}
