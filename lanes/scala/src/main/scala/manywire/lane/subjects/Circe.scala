// circe: JSON from and to bytes, and by way of text, as services do that have the body as a String.
package manywire.lane.subjects

import io.circe.{Json, JsonNumber, JsonObject, ParsingFailure, Printer}
import java.math.{BigDecimal => JavaDecimal}
import java.nio.charset.StandardCharsets
import manywire.lane.Coder

/** The operations that do not depend on how the bytes are read. */
abstract class Circe extends Coder {
  def check(payload: Array[Byte]): Unit = JsonText.check(payload)

  override def plain(value: Any): Any = CirceValues.plain(value.asInstanceOf[Json])

  protected def complete(parsed: Either[ParsingFailure, Json]): Json = parsed match {
    case Right(json) =>
      CirceValues.readNumbers(json)
      json
    case Left(failure) => throw failure
  }
}

object CirceFromBytes extends Circe {
  private val printer = Printer.noSpaces

  def decode(payload: Array[Byte]): Any = complete(io.circe.jawn.parseByteArray(payload))

  def encode(value: Any): Array[Byte] = {
    val buffer = printer.printToByteBuffer(value.asInstanceOf[Json], StandardCharsets.UTF_8)
    val bytes = new Array[Byte](buffer.remaining)
    buffer.get(bytes)
    bytes
  }
}

object CirceFromString extends Circe {
  def decode(payload: Array[Byte]): Any =
    complete(io.circe.parser.parse(new String(payload, StandardCharsets.UTF_8)))

  def encode(value: Any): Array[Byte] = value.asInstanceOf[Json].noSpaces.getBytes(StandardCharsets.UTF_8)
}

object CirceValues {

  /** Reads every number of a value. circe keeps a number with a point as text until a program reads it. */
  def readNumbers(json: Json): Double = json.foldWith(NumberReader)

  private object NumberReader extends Json.Folder[Double] {
    def onNull: Double = 0

    def onBoolean(value: Boolean): Double = 0

    def onNumber(value: JsonNumber): Double = value.toDouble

    def onString(value: String): Double = 0

    def onArray(value: Vector[Json]): Double = {
      var sum = 0.0
      val items = value.iterator
      while (items.hasNext) sum += items.next().foldWith(this)
      sum
    }

    def onObject(value: JsonObject): Double = {
      var sum = 0.0
      val entries = value.values.iterator
      while (entries.hasNext) sum += entries.next().foldWith(this)
      sum
    }
  }

  /** Converts a value to Scala collections, for digests. */
  def plain(json: Json): Any = json.fold(
    null,
    truth => truth,
    number,
    text => text,
    items => items.map(plain),
    members => members.toMap.view.mapValues(plain).toMap
  )

  /** Returns the exact number, or the nearest double if the number is larger than any whole number of a digest. */
  private def number(number: JsonNumber): Any = {
    val near = number.toDouble
    // The limits are compared first, because 1e999999999 has more digits than fit in memory.
    if (near.abs > 1e30 || near.abs < 1e-30) near else new JavaDecimal(number.toString)
  }
}
