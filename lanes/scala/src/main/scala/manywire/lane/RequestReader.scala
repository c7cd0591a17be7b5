// Reads the members of a request, and raises errors that name the member and what was expected.
package manywire.lane

import io.circe.{Json, JsonObject}

final class RequestReader(members: JsonObject) {
  def apply(name: String): Json = members(name).getOrElse(Json.Null)

  def text(name: String): String = apply(name).asString.getOrElse(fail(name, "text"))

  def optionalText(name: String): Option[String] = Option.unless(apply(name).isNull)(text(name))

  def truth(name: String): Boolean = apply(name).asBoolean.getOrElse(fail(name, "true or false"))

  def items(name: String): Vector[Json] = apply(name).asArray.getOrElse(fail(name, "a list"))

  /** Returns a number of milliseconds, which may have a fraction. */
  def milliseconds(name: String): Double =
    apply(name).asNumber.map(_.toDouble).filter(_ >= 0).getOrElse(fail(name, "a number from 0"))

  /** Returns a whole number from 0 to `end`, exclusive. */
  def whole(name: String, end: Long): Long =
    RequestReader.whole(apply(name), end).getOrElse(fail(name, s"a whole number below $end"))

  def fail(name: String, expected: String): Nothing =
    throw new Refusal(s"$name is ${apply(name).noSpaces}, expected $expected")
}

object RequestReader {

  /** Returns a whole number from 0 to `end`, exclusive, or nothing if the JSON is something else. */
  def whole(json: Json, end: Long): Option[Long] =
    json.asNumber.flatMap(_.toLong).filter(number => number >= 0 && number < end)
}
