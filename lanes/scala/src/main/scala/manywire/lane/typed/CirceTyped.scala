// circe on the types of payloads, by codecs that circe-generic derives.
package manywire.lane.typed

import io.circe.{ACursor, Codec, Decoder, DecodingFailure, Encoder, HCursor, Json, JsonNumber, JsonObject}
import io.circe.Printer
import java.nio.charset.StandardCharsets
import manywire.lane.Refusal
import manywire.lane.subjects.JsonText
import scala.collection.mutable

/** The coder. `dropsNulls`: the types have fields that may be absent, which derived encoders write as null. */
final class CirceTyped[T](dropsNulls: Boolean)(implicit decoder: Decoder[T], encoder: Encoder[T]) extends TypedCoder {
  private val printer = Printer.noSpaces.copy(dropNullValues = dropsNulls)

  def check(payload: Array[Byte]): Unit = JsonText.check(payload)

  def decode(payload: Array[Byte]): Any = io.circe.jawn.decodeByteArray[T](payload) match {
    case Right(value) => value
    case Left(failure: DecodingFailure) => throw new Refusal(failure.getMessage)
    case Left(failure) => throw failure
  }

  def encode(value: Any): Array[Byte] = {
    val buffer = printer.printToByteBuffer(encoder(value.asInstanceOf[T]), StandardCharsets.UTF_8)
    val bytes = new Array[Byte](buffer.remaining)
    buffer.get(bytes)
    bytes
  }
}

object CirceTyped {

  /** Returns a codec whose fields have other keys than names: `keys` maps the names to them. */
  def renamed[T](codec: Codec.AsObject[T], keys: Map[String, String]): Codec.AsObject[T] = {
    val names = keys.map(_.swap)
    // A key that is the name of a field with another key is not that field.
    def named(fields: JsonObject): JsonObject = rename(fields.filterKeys(!keys.contains(_)), names)
    Codec.AsObject.from(codec.prepare(_.withFocus(_.mapObject(named))), codec.mapJsonObject(rename(_, keys)))
  }

  private def rename(fields: JsonObject, names: Map[String, String]): JsonObject =
    JsonObject.fromIterable(fields.toIterable.map { case (name, value) => names.getOrElse(name, name) -> value })

  /** Values of the type Any become those that a program works on, and not circe's. */
  implicit val anyDecoder: Decoder[Any] = new Decoder[Any] {
    def apply(cursor: HCursor): Decoder.Result[Any] = Right(cursor.value.foldWith(AnyReader))

    // A field that is always null is of this type, and the printer leaves it out.
    override def tryDecode(cursor: ACursor): Decoder.Result[Any] = Right(cursor.focus.fold[Any](null)(_.foldWith(AnyReader)))
  }

  implicit val anyEncoder: Encoder[Any] = Encoder.instance(anyJson)

  // JSON has no bytes: payloads with bytes are not JSON, but their types are compiled for every library.
  implicit val bytesDecoder: Decoder[Array[Byte]] = Decoder.failedWithMessage("JSON has no bytes")

  implicit val bytesEncoder: Encoder[Array[Byte]] = Encoder.instance(_ => throw new Refusal("JSON has no bytes"))

  private object AnyReader extends Json.Folder[Any] {
    def onNull: Any = null

    def onBoolean(value: Boolean): Any = value

    def onNumber(value: JsonNumber): Any = {
      val text = value.toString
      val isWhole = !text.exists(char => char == '.' || char == 'e' || char == 'E')
      if (isWhole) value.toLong.getOrElse(BigInt(text)) else value.toDouble
    }

    def onString(value: String): Any = value

    def onArray(value: Vector[Json]): Any = value.map(_.foldWith(this))

    def onObject(value: JsonObject): Any = {
      val entries = mutable.LinkedHashMap.empty[String, Any]
      value.toIterable.foreach { case (key, item) => entries.put(key, item.foldWith(this)) }
      entries
    }
  }

  private def anyJson(value: Any): Json = value match {
    case text: String => Json.fromString(text)
    case number: Long => Json.fromLong(number)
    case number: Double => Json.fromDouble(number).getOrElse(throw new Refusal(s"$number has no form in JSON"))
    case number: BigInt => Json.fromBigInt(number)
    case truth: Boolean => Json.fromBoolean(truth)
    case null => Json.Null
    case items: Vector[_] => Json.fromValues(items.map(anyJson))
    case entries: mutable.LinkedHashMap[_, _] =>
      Json.fromFields(entries.map { case (key, item) => key.toString -> anyJson(item) })
    case _ => throw new Refusal(s"a ${value.getClass.getName} has no form in JSON")
  }
}
