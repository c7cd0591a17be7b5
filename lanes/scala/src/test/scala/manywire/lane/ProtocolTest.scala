// An invalid request gets an error response, and the lane continues. After an invalid frame, the lane exits with a
// message and a status other than 0.
package manywire.lane

import java.nio.file.{Files, Path}
import manywire.lane.LaneProcess.{frame, utf8}
import org.junit.jupiter.api.Assertions.{assertEquals, assertNotEquals, assertTrue}
import org.junit.jupiter.api.Test

class ProtocolTest {
  @Test
  def describeMatchesLaneToml(): Unit = LaneProcess.run { lane =>
    val manifest = Files.readString(Path.of("lane.toml"))
    // Those of another server are in [[server.subject]].
    val entry = "\n\\[\\[subject\\]\\]\nlibrary = \"(.*)\"\nformats = \\[(.*)\\]\ntargets = \\[(.*)\\]".r
    val listed = for {
      found <- entry.findAllMatchIn(manifest).toVector
      format <- found.group(2).split(", ").toVector
      target <- found.group(3).split(", ").toVector
    } yield s"${found.group(1)} $format $target".replace("\"", "")
    val said = lane.describe
    assertEquals(1, said.whole("contract", 10))
    assertEquals("scala", said.text("lane"))
    assertTrue(said.text("runtime").matches("Scala 2\\.13\\.\\d+ on .* \\d+\\.\\d+\\.\\d+"), said.text("runtime"))
    val subjects = lane.allSubjects
    assertEquals(listed.toSet, subjects.map(subject => s"${subject.name} ${subject.target}").toSet)
    assertEquals(listed.size, subjects.size)
    subjects.foreach(subject => assertTrue(subject.version.matches("\\d+\\.\\d+.*"), subject.toString))
    assertEquals(0, lane.end().status)
  }

  @Test
  def anInvalidRequestGetsAnErrorAndTheLaneContinues(): Unit = LaneProcess.run { lane =>
    def refuses(request: String, words: String): Unit = {
      val error = lane.error(request)
      assertTrue(error.exists(_.contains(words)), s"$request: $error")
    }
    def run(member: String): String = {
      val members = Seq("operation" -> "\"decode\"", "window" -> "[0]", "repeats" -> "1")
      val name = member.takeWhile(_ != ':').replace("\"", "")
      val others = members.filterNot(_._1 == name).map { case (key, value) => s""","$key":$value""" }
      s"""{"verb":"run","subject":0,$member${others.mkString}}"""
    }
    refuses("""{"verb":"dance"}""", "unknown verb \"dance\"")
    refuses("{}", "unknown verb null")
    Seq("999", "-1", "true", "0.5", "\"0\"", "4294967296", "1e99", "null").foreach { index =>
      refuses(s"""{"verb":"digest","subject":$index}""", s"subject is $index, expected a number below")
    }
    refuses("""{"verb":"digest","subject":0}""", "no payloads")
    refuses(run("\"repeats\":1"), "no payloads")
    assertEquals(None, lane.load(0, Seq(utf8("[1]"))))
    refuses(run("\"operation\":\"sing\""), "expected encode or decode")
    refuses(run("\"window\":[1]"), "of the 1 payloads")
    refuses(run("\"window\":[-1]"), "of the 1 payloads")
    refuses(run("\"window\":0"), "expected a list")
    refuses(run("\"repeats\":-1"), "expected a whole number")
    refuses(run("\"repeats\":1.5"), "expected a whole number")
    refuses(run("\"coding\":\"br\""), "expected gzip or none")
    refuses("""{"verb":"served"}""", "not running")
    assertTrue(lane.get(run("\"repeats\":0")).whole("wall_ns", Long.MaxValue) >= 0)
    // A failed load leaves no payloads of an earlier one.
    assertTrue(lane.load(0, Seq(utf8("["))).isDefined)
    refuses("""{"verb":"encode","subject":0}""", "no payloads")
    val ended = lane.end()
    assertEquals(0, ended.status, ended.messages)
  }

  @Test
  def anInvalidFrameEndsTheLaneWithAMessage(): Unit = {
    def load(payloads: String): Array[Byte] =
      frame(utf8(s"""{"verb":"load","subject":0,"payloads":$payloads}"""))
    Seq(
      Array[Byte](0, 0) -> "ends after 2 of the 4 bytes of a length",
      Array[Byte](-1, -1, -1, -1) -> "a frame of 4294967295 bytes",
      Array[Byte](127, 0, 0, 0) -> "ends after 0 of the 2130706432 bytes of a frame",
      Array[Byte](0, 0, 0, 9, '{', '}') -> "ends after 2 of the 9 bytes of a frame",
      frame(utf8("")) -> "no JSON: exhausted input",
      frame(utf8("[1]")) -> "no JSON object",
      frame(utf8("{")) -> "no JSON: exhausted input",
      frame(utf8("[" * 1000000)) -> "no JSON",
      load("-1") -> "payloads is -1",
      load("1099511627776") -> "payloads is 1099511627776",
      load("2") -> "before the frames of load"
    ).foreach { case (input, words) =>
      LaneProcess.run { lane =>
        val ended = lane.end(input)
        assertNotEquals(0, ended.status, words)
        assertEquals(0, ended.out.length, words)
        assertTrue(ended.messages.contains(words), s"$words not in: ${ended.messages}")
      }
    }
  }
}
