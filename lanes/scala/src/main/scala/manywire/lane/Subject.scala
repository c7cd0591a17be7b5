// A subject, which is a library with a format, and its operations.
package manywire.lane

import io.circe.Json
import manywire.lane.typed.Payload

/** The operations of a subject. Those that are timed are `decode` and `encode`. */
trait Coder {
  def decode(payload: Array[Byte]): Any

  def encode(value: Any): Array[Byte]

  /** Converts a value of the library to one that `Digest` accepts. */
  def plain(value: Any): Any = value

  /** Throws for a payload that the library would change or that would end it. It runs once at `load`. */
  def check(payload: Array[Byte]): Unit
}

/**
 * A library with a format and a target, which is `dynamic` or `typed`. `prepare` returns its operations, and throws if it
 * has none for the payloads.
 */
final case class Subject(library: String, version: String, format: String, target: String, prepare: Schema => Coder) {
  def describe: Json = Json.obj(
    "library" -> Json.fromString(library),
    "version" -> Json.fromString(version),
    "format" -> Json.fromString(format),
    "target" -> Json.fromString(target),
    "buffer" -> Json.fromString("fresh")
  )
}

object Subject {
  private val jar = ".*-([0-9][^/]*)\\.jar".r

  /** Returns a subject on dynamic values, whose version is that of the jar of a class. */
  def dynamic(library: String, part: Class[_], format: String, coder: Coder): Subject =
    Subject(library, versionOf(part), format, "dynamic", _ => coder)

  /** Returns a subject on the types of payloads, whose version is that of the jar of a class. */
  def typed(library: String, part: Class[_], format: String): Subject =
    Subject(library, versionOf(part), format, "typed", prepareTyped(library, format, _))

  private def prepareTyped(library: String, format: String, schema: Schema): Coder = {
    if (format == "msgpack-array") {
      schema.checkArrays()
    }
    Payload.loaded.coder(library, format, schema)
  }

  private def versionOf(part: Class[_]): String = {
    val path = for {
      source <- Option(part.getProtectionDomain.getCodeSource)
      location <- Option(source.getLocation)
    } yield location.getPath
    path.collect { case jar(version) => version }.getOrElse("unknown")
  }
}
