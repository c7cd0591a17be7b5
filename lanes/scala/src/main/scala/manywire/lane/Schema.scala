// The value that each message of Protocol Buffers represents, as CONTRACT.md describes the model of the request `schema`.
// Messages have names and levels that the value does not have.
package manywire.lane

import io.circe.Json
import scala.collection.mutable

/** A field of a message. `of` is its message or enum. */
final case class SchemaField(
    proto: String,
    name: String,
    number: Int,
    kind: String,
    absent: String,
    of: Option[String]
)

/** A message type. `rest` is the field of the `.proto` whose entries belong to the record. */
final case class SchemaMessage(form: String, fields: Vector[SchemaField], rest: Option[String])

/** A model. `root` is the message of a whole payload; none if Protocol Buffers cannot represent the payloads. */
final case class Schema(
    root: Option[String],
    messages: Map[String, SchemaMessage],
    enums: Map[String, Map[String, String]]
) {
  def message(name: String): SchemaMessage =
    messages.getOrElse(name, throw new Refusal(s"the model has no message $name"))

  /** Throws if a union has a record: a value of the type `Any` is read from an array as a list, without its keys. */
  def checkArrays(): Unit =
    if (messages.values.exists(message => message.form == "union" && hasRecord(message, mutable.Set.empty))) {
      throw new Refusal("a union has a record, and in an array nothing says which fields it has")
    }

  private def hasRecord(message: SchemaMessage, seen: mutable.Set[String]): Boolean =
    message.fields.filter(_.kind == "message").flatMap(_.of).filter(seen.add).map(this.message).exists { inner =>
      inner.form == "record" || inner.form == "variants" || hasRecord(inner, seen)
    }
}

object Schema {
  val none: Schema = Schema(None, Map.empty, Map.empty)

  /** Reads the model of a request, which is null if Protocol Buffers cannot represent the payloads. */
  def read(model: Json): Schema = model.asObject.fold(none) { members =>
    val reader = new RequestReader(members)
    Schema(
      Some(reader.text("root")),
      entries(reader("messages")).map { case (name, json) => name -> message(json) },
      entries(reader("enums")).map { case (name, json) =>
        name -> entries(json).map { case (number, text) => number -> text.asString.getOrElse("") }
      }
    )
  }

  private def entries(json: Json): Map[String, Json] = json.asObject.fold(Map.empty[String, Json])(_.toMap)

  private def message(json: Json): SchemaMessage = {
    val reader = new RequestReader(json.asObject.getOrElse(throw new Refusal("a message of the model is no object")))
    SchemaMessage(
      reader.text("form"),
      reader.items("fields").flatMap(_.asObject).map { members =>
        val field = new RequestReader(members)
        SchemaField(
          field.text("proto"),
          field.text("name"),
          field.whole("number", Int.MaxValue.toLong).toInt,
          field.text("kind"),
          field.text("absent"),
          field.optionalText("of")
        )
      },
      reader.optionalText("rest")
    )
  }
}
