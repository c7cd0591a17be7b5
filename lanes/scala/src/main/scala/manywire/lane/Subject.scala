// A subject, which is a library with a format, and its operations.
package manywire.lane

import io.circe.Json

/** The operations of a subject. Those that are timed are `decode` and `encode`. */
trait Coder {
  def decode(payload: Array[Byte]): Any

  def encode(value: Any): Array[Byte]

  /** Converts a value of the library to one that `Digest` accepts. */
  def plain(value: Any): Any = value

  /** Throws for a payload that the library would change or that would end it. It runs once at `load`. */
  def check(payload: Array[Byte]): Unit
}

/** A library with a format, on dynamic values. */
final case class Subject(library: String, version: String, format: String, coder: Coder) {
  def describe: Json = Json.obj(
    "library" -> Json.fromString(library),
    "version" -> Json.fromString(version),
    "format" -> Json.fromString(format),
    "target" -> Json.fromString("dynamic"),
    "buffer" -> Json.fromString("fresh")
  )
}

object Subject {
  private val jar = ".*-([0-9][^/]*)\\.jar".r

  /** Returns a subject whose version is that of the jar of a class. */
  def of(library: String, part: Class[_], format: String, coder: Coder): Subject = {
    val path = for {
      source <- Option(part.getProtectionDomain.getCodeSource)
      location <- Option(source.getLocation)
    } yield location.getPath
    Subject(library, path.collect { case jar(version) => version }.getOrElse("unknown"), format, coder)
  }
}
