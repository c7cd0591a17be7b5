// ScalaPB: Protocol Buffers, with the messages that it generates.
package manywire.lane.typed

import java.time.Instant
import manywire.lane.{Coder, Refusal, Schema, SchemaField, SchemaMessage}
import scalapb.descriptors.{PBoolean, PByteString, PDouble, PEmpty, PEnum, PFloat, PInt, PLong, PMessage, PRepeated}
import scalapb.descriptors.{PString, PValue}
import scalapb.{GeneratedMessage, GeneratedMessageCompanion}
import scala.collection.mutable

final class ScalapbTyped[T <: GeneratedMessage](companion: GeneratedMessageCompanion[T], schema: Schema) extends Coder {

  // The library refuses invalid UTF-8 and deep messages itself.
  def check(payload: Array[Byte]): Unit = ()

  def decode(payload: Array[Byte]): Any = companion.parseFrom(payload)

  def encode(value: Any): Array[Byte] = value.asInstanceOf[T].toByteArray

  override def plain(value: Any): Any =
    new MessageValues(schema).message(value.asInstanceOf[T].toPMessage, schema.root.flatMap(schema.messages.get).get)
}

/** Converts messages to the values that they represent, by the model. Only digests use this. */
private final class MessageValues(schema: Schema) {
  def message(value: PMessage, form: SchemaMessage): Any = {
    val parts = partsOf(value)
    def part(field: SchemaField): Any = fieldValue(parts(field.number), field)
    form.form match {
      case "record" =>
        val entries = mutable.LinkedHashMap.empty[Any, Any]
        form.fields.foreach { field =>
          part(field) match {
            case rest: collection.Map[_, _] if form.rest.contains(field.proto) =>
              rest.foreachEntry((key, item) => entries.put(key, item))
            case item => entries.put(field.name, item)
          }
        }
        entries
      case "wrapper" => part(form.fields.head)
      case "tuple" => form.fields.map(part)
      case "union" | "variants" =>
        form.fields.find(field => parts(field.number) != PEmpty) match {
          case None => null
          case Some(field) if form.form == "union" => part(field)
          case Some(field) => Map(field.name -> part(field))
        }
      case "null" => null
      case "timestamp" =>
        (part(form.fields(0)), part(form.fields(1))) match {
          case (seconds: Long, nanos: Long) => Instant.ofEpochSecond(seconds, nanos)
          case _ => throw new Refusal("a timestamp without seconds or nanos")
        }
      case other => throw new Refusal(s"a message of the form $other cannot be a whole value")
    }
  }

  /** Returns the fields of a message by number. Those that are absent are empty. */
  private def partsOf(message: PMessage): Map[Int, PValue] =
    message.value.map { case (field, content) => field.number -> content }.withDefaultValue(PEmpty)

  private def fieldValue(value: PValue, field: SchemaField): Any = value match {
    // A list or map without entries is empty if absence means zero, otherwise null.
    case PEmpty => null
    case PRepeated(items) if items.isEmpty && field.absent != "zero" => null
    case PRepeated(items) =>
      val form = field.of.filter(_ => field.kind == "message").map(schema.message)
      form match {
        case Some(entry) if entry.form == "map" || entry.form == "entry" => entries(items, entry.fields)
        case _ => items.map(item(_, field))
      }
    case single => item(single, field)
  }

  private def entries(items: Vector[PValue], parts: Vector[SchemaField]): Any = {
    val all = mutable.LinkedHashMap.empty[Any, Any]
    items.foreach {
      case entry: PMessage =>
        val content = partsOf(entry)
        def part(field: SchemaField): Any = fieldValue(content(field.number), field)
        all.put(part(parts(0)), part(parts(1)))
      case _ => throw new Refusal("an entry of a map that is no message")
    }
    all
  }

  private def item(value: PValue, field: SchemaField): Any = value match {
    case inner: PMessage => message(inner, schema.message(field.of.getOrElse("")))
    case PEnum(chosen) =>
      val names = field.of.flatMap(schema.enums.get).getOrElse(Map.empty)
      names.getOrElse(chosen.number.toString, chosen.number.toLong)
    case PInt(number) if field.kind == "uint32" || field.kind == "fixed32" => Integer.toUnsignedLong(number)
    case PInt(number) => number.toLong
    case PLong(number) if field.kind == "uint64" || field.kind == "fixed64" =>
      BigInt(java.lang.Long.toUnsignedString(number))
    case PLong(number) => number
    case PFloat(number) => number
    case PDouble(number) => number
    case PBoolean(truth) => truth
    case PByteString(bytes) => bytes.toByteArray
    case PString(text) if field.kind == "bigint" || field.kind == "number" => parsed(text)
    case PString(text) => text
    case other => throw new Refusal(s"a ${other.getClass.getName} is no value of the field ${field.proto}")
  }

  private def parsed(text: String): Any =
    if (text.matches("-?[0-9]+")) BigInt(text) else text.toDouble
}
