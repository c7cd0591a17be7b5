// The values of msgpack-test-suite, which other implementations of MessagePack also read.
package manywire.lane

import io.circe.{Json, JsonObject}
import java.nio.file.Files
import java.time.Instant
import manywire.lane.LaneProcess.bytes
import manywire.lane.subjects.MsgpackCollections
import org.junit.jupiter.api.Assertions.{assertEquals, assertTrue}
import org.junit.jupiter.api.Test

class MsgpackSuiteTest {
  @Test
  def theSuiteIsReadAndWritten(): Unit = {
    val folder = Skips.folder("MANYWIRE_SUITES", "suites")
    val text = Files.readAllBytes(folder.resolve("msgpack").resolve("msgpack-test-suite.json"))
    val groups = io.circe.jawn.parseByteArray(text).toOption.flatMap(_.asObject).get
    val tests = groups.values.flatMap(_.asArray.get).flatMap(_.asObject).toVector
    val counts = tests.map { test =>
      val encodings = test("msgpack").flatMap(_.asArray).get.flatMap(_.asString).map(_.replace("-", ""))
      encodings.foreach(check(_, encodings, expected(test)))
      encodings.size
    }
    assertTrue(counts.sum > 150, s"${counts.sum} encodings")
  }

  private def check(hex: String, encodings: Vector[String], expected: Any): Unit = {
    MsgpackCollections.check(bytes(hex))
    val value = MsgpackCollections.decode(bytes(hex))
    assertEquals(Digest.withExtensions(expected), Digest.withExtensions(MsgpackCollections.plain(value)), hex)
    val written = LaneProcess.hex(MsgpackCollections.encode(value))
    value match {
      // A float keeps its size.
      case _: Float | _: Double => assertEquals(hex, written)
      // All others get the shortest form, which for an integer is no float.
      case _ =>
        val others = encodings.filterNot(each => each.startsWith("ca") || each.startsWith("cb"))
        assertTrue(others.contains(written) && written.length == others.map(_.length).min, s"$hex: $written")
    }
  }

  private def expected(test: JsonObject): Any = {
    val kinds = test.toMap.removed("msgpack")
    val (kind, value) = kinds.find(_._1 == "bignum").getOrElse(kinds.head)
    kind match {
      case "binary" => bytes(value.asString.get.replace("-", ""))
      case "bignum" => BigInt(value.asString.get)
      case "timestamp" =>
        val parts = value.asArray.get.map(_.asNumber.flatMap(_.toLong).get)
        Instant.ofEpochSecond(parts(0), parts(1))
      case "ext" =>
        val parts = value.asArray.get
        Extension(s"MessagePack ${parts(0).noSpaces}", bytes(parts(1).asString.get.replace("-", "")))
      case _ => plain(value)
    }
  }

  private def plain(json: Json): Any = json.fold(
    null,
    truth => truth,
    number => number.toLong.getOrElse(number.toDouble),
    text => text,
    items => items.map(plain),
    members => members.toMap.map { case (key, value) => key -> plain(value) }
  )
}
