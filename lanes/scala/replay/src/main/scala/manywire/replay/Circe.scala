// The two ways that a service has from a body to a value and back by circe: by bytes, and by a string.
package manywire.replay

import io.circe.{Decoder, Encoder, Error, Printer}
import io.circe.generic.semiauto.{deriveDecoder, deriveEncoder}
import io.circe.syntax._
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

/** The value of Finch's own benchmark. */
final case class Foo(s: String)

object Foo {
  implicit val encoder: Encoder[Foo] = deriveEncoder
  implicit val decoder: Decoder[Foo] = deriveDecoder
}

object Circe {

  /** Reads a body by way of a string, as Finch did at first. */
  def readString(body: Array[Byte]): Foo = value(io.circe.jawn.decode[Foo](new String(body, UTF_8)))

  /** Reads the bytes of a body, as Finch did later. */
  def readBytes(body: Array[Byte]): Foo = value(io.circe.jawn.decodeByteBuffer[Foo](ByteBuffer.wrap(body)))

  /** Writes a body by way of a string. */
  def writeString(foo: Foo): Array[Byte] = Printer.noSpaces.print(foo.asJson).getBytes(UTF_8)

  /** Writes the bytes of a body, which are a part of the buffer's array. */
  def writeBytes(foo: Foo): ByteBuffer = Printer.noSpaces.printToByteBuffer(foo.asJson, UTF_8)

  /** Describes the runtime and the libraries. */
  def system(): String = {
    val runtime = s"Java ${Runtime.version.feature}, Scala ${util.Properties.versionNumberString}"
    s"$runtime, circe ${Version.of(classOf[Decoder[_]])}"
  }

  private def value(decoded: Either[Error, Foo]): Foo = decoded.fold(error => throw error, identity)
}

object Version {
  private val jar = ".*-([0-9][^/]*)\\.jar".r

  /** Returns the version of a library, from the name of the jar of a class. */
  def of(part: Class[_]): String = part.getProtectionDomain.getCodeSource.getLocation.getPath match {
    case jar(version) => version
    case _ => "unknown"
  }
}
