// borer on the types of payloads, by codecs that borer-derivation derives.
package manywire.lane.typed

import io.bullet.borer.{Cbor, Codec, Decoder, Dom, Encoder, NullOptions, Tag, Writer}
import java.time.Instant
import manywire.lane.Refusal
import manywire.lane.subjects.{BorerCbor, BorerValues, CborBytes}
import scala.collection.mutable

final class BorerTyped[T](implicit encoder: Encoder[T], decoder: Decoder[T]) extends TypedCoder {
  def check(payload: Array[Byte]): Unit = CborBytes.check(payload)

  def decode(payload: Array[Byte]): Any = Cbor.decode(payload).withConfig(BorerCbor.config).to[T].value

  def encode(value: Any): Array[Byte] = Cbor.encode(value.asInstanceOf[T]).toByteArray
}

object BorerTyped {

  /** Returns a codec of its halves. */
  def codec[T](encoder: Encoder[T], decoder: Decoder[T]): Codec[T] = Codec(encoder, decoder)

  // By default, an Option is an array.
  implicit def optionEncoder[T](implicit inner: Encoder[T]): Encoder[Option[T]] =
    NullOptions.encoder[T]

  implicit def optionDecoder[T](implicit inner: Decoder[T]): Decoder[Option[T]] =
    NullOptions.decoder[T]

  /** Values of the type Any become those that a program works on, and not borer's. */
  implicit val anyEncoder: Encoder[Any] = Encoder((out, value) => write(out, value))

  implicit val anyDecoder: Decoder[Any] = Decoder[Dom.Element].map(BorerValues.plain)

  implicit val instant: Codec[Instant] = Codec(
    Encoder((out, value) => write(out, value)),
    Decoder[Dom.Element].map { element =>
      BorerValues.plain(element) match {
        case time: Instant => time
        case _ => throw new Refusal("expected a point in time")
      }
    }
  )

  private def write(out: Writer, value: Any): Writer = value match {
    case text: String => out.writeString(text)
    case number: Int => out.writeInt(number)
    case number: Long => out.writeLong(number)
    case number: Float => out.writeFloat(number)
    case number: Double => out.writeDouble(number)
    case number: BigInt => out.write(number)
    case truth: Boolean => out.writeBoolean(truth)
    case null => out.writeNull()
    case bytes: Array[Byte] => out.writeBytes(bytes)
    case time: Instant if time.getNano == 0 => out.writeTag(Tag.EpochDateTime).writeLong(time.getEpochSecond)
    // A double has fewer digits than nanoseconds.
    case time: Instant =>
      out.writeTag(BorerValues.extendedTime).writeMapHeader(2)
      out.writeInt(BorerValues.secondsKey).writeLong(time.getEpochSecond)
      out.writeInt(BorerValues.nanosecondsKey).writeInt(time.getNano)
    case items: Vector[_] =>
      out.writeArrayHeader(items.size)
      items.foreach(write(out, _))
      out
    case entries: mutable.LinkedHashMap[_, _] =>
      out.writeMapHeader(entries.size)
      entries.foreachEntry { (key, item) =>
        write(out, key)
        write(out, item)
      }
      out
    case _ => throw new Refusal(s"a ${value.getClass.getName} has no form in CBOR")
  }
}
