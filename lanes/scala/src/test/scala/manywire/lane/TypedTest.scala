// The subjects on types of payloads, with the types of sample/.
package manywire.lane

import java.nio.file.{Files, Path}
import manywire.lane.LaneProcess.{bytes, utf8}
import org.junit.jupiter.api.Assertions.{assertArrayEquals, assertEquals, assertTrue}
import org.junit.jupiter.api.{Assumptions, Test}

class TypedTest {
  import TypedTest._

  private def each(test: (LaneProcess, Int, DescribedSubject) => Unit): Unit = {
    val isBuilt = Files.exists(payload)
    if (!isBuilt) {
      println(s"skipped: no $payload; sample/build.sh makes it")
    }
    Assumptions.assumeTrue(isBuilt, "no types of the sample")
    LaneProcess.runWith(payload) { lane =>
      lane.get(Files.readString(folder.resolve("schema.json")), Array.empty[Byte])
      lane.allSubjects.zipWithIndex.filter(_._1.target == "typed").foreach { case (subject, index) =>
        test(lane, index, subject)
        assertEquals(None, lane.load(index, Seq(sample(subject.format))), s"${subject.name} continues")
      }
    }
  }

  @Test
  def everySubjectReadsAndWritesTheSample(): Unit = each { (lane, index, subject) =>
    // These formats have no dynamic subject, and their sample is that of MessagePack.
    val isTypedOnly = Set("msgpack-array", "protobuf")(subject.format)
    val dynamic = if (isTypedOnly) "msgpack" else subject.format
    val expected = digest(lane, dynamic, sample(dynamic))
    assertEquals(None, lane.load(index, Seq(sample(subject.format))), subject.name)
    assertEquals(Right(Vector(expected)), lane.digest(index), subject.name)
    val written = encode(lane, index, subject)
    if (!isTypedOnly) {
      assertEquals(expected, digest(lane, subject.format, written), subject.name)
    }
    assertEquals(None, lane.load(index, Seq(written)), subject.name)
    assertEquals(Right(Vector(expected)), lane.digest(index), subject.name)
    assertArrayEquals(written, encode(lane, index, subject), subject.name)
    Seq("encode", "decode").foreach { operation =>
      lane.get(s"""{"verb":"run","subject":$index,"operation":"$operation","window":[0],"repeats":3}""")
    }
  }

  @Test
  def fieldsThatAreAbsentAreNotWritten(): Unit = each { (lane, index, subject) =>
    if (subject.format == "json") {
      assertEquals(None, lane.load(index, Seq(sample(subject.format))), subject.name)
      val written = keys(new String(encode(lane, index, subject), "UTF-8"))
      // The printer of circe leaves out every null.
      assertEquals(keys(json).filterNot(_ == "nothing" && subject.library == "circe"), written, subject.name)
    }
  }

  @Test
  def everyStrictPrefixIsRefused(): Unit = each { (lane, index, subject) =>
    val payload = sample(subject.format)
    payload.indices.foreach { length =>
      val error = lane.load(index, Seq(payload.take(length)))
      // A message may end after any field.
      assertTrue(error.isDefined || subject.format == "protobuf", s"${subject.name}: $length bytes")
    }
  }

  @Test
  def valuesOfOtherTypesAreRefused(): Unit = each { (lane, index, subject) =>
    val accepted = wrong(subject.format).filter(payload => lane.load(index, Seq(payload)).isEmpty)
    val texts = accepted.map(payload => LaneProcess.hex(payload.take(1000)))
    // uPickle reads a number as text.
    val wronglyRead = texts.filterNot(text => subject.library == "upickle" && text.contains(textByNumber))
    assertEquals(Seq(), wronglyRead, subject.name)
  }

  @Test
  def withoutTypesTheLaneSaysSo(): Unit = LaneProcess.run { lane =>
    lane.allSubjects.zipWithIndex.filter(_._1.target == "typed").foreach { case (subject, index) =>
      val error = lane.load(index, Seq(sample(subject.format)))
      assertEquals(Some("the lane was built without types of the payloads"), error, subject.name)
    }
  }
}

object TypedTest {
  private val payload = Path.of("target", "sample", "payload.jar")

  private val folder = Path.of("sample")

  /** `tags` in MessagePack with 1 in the place of text. */
  private val textByNumber = "a4746167739201"

  /** The sample as JSON, without the end of its line. */
  private def json: String = Files.readString(folder.resolve("sample.json")).trim

  private def sample(format: String): Array[Byte] = format match {
    case "json" => utf8(json)
    case _ => Files.readAllBytes(folder.resolve(s"sample.$format"))
  }

  private def keys(text: String): Vector[String] =
    io.circe.parser.parse(text).toOption.flatMap(_.asObject).get.keys.toVector

  /** Returns the digest of a payload by a subject on dynamic values. */
  private def digest(lane: LaneProcess, format: String, payload: Array[Byte]): String = {
    val index = lane.subjects.indexWhere(_.format == format)
    assertEquals(None, lane.load(index, Seq(payload)), format)
    lane.digest(index).fold(error => throw new AssertionError(error), _.head)
  }

  private def encode(lane: LaneProcess, index: Int, subject: DescribedSubject): Array[Byte] =
    lane.encode(index).fold(error => throw new AssertionError(s"${subject.name}: $error"), _.head)

  /** Returns a text with each of the changes, whose first part must be there. */
  private def changed(text: String, changes: Seq[(String, String)]): Seq[String] = changes.map { case (old, other) =>
    assertTrue(text.contains(old), old)
    text.replace(old, other)
  }

  /** Returns payloads of which a part has another type than the sample, or is beyond it. */
  private def wrong(format: String): Seq[Array[Byte]] = format match {
    case "msgpack" =>
      val text = LaneProcess.hex(sample(format))
      val changes = Seq(
        // `id`, `least`, `flag`, `tags`, `place`, `at`, `data`, `by`, `mixed`, and then a key.
        "a26964cf" -> "a26964cb",
        "a26964" -> "a26965",
        "a56c65617374d38000000000000000" -> "a56c65617374cf8000000000000000",
        "a56c65617374d38000000000000000" -> "a56c65617374c0",
        "a4666c6167c3" -> "a4666c616701",
        "a47461677392a161" -> textByNumber,
        "a5706c61636583a36c6174" -> "a5706c616365a0a36c6174",
        "a26174c70cff" -> "a26174c70c01",
        "a464617461c402" -> "a464617461a2",
        "a26279de0018" -> "a26279dc0018",
        "a56d6978656492" -> ("a56d69786564" + "91" * 100000),
        "a0a76e6f206e616d65" -> "00a76e6f206e616d65"
      )
      Seq("", "c0", "80", "90", "dfffffffff", "df7fffffff", "81a26279df0fffffff", "81a474616773dd0fffffff").map(bytes) ++
        changed(text, changes).map(bytes)
    case "cbor" =>
      val text = LaneProcess.hex(sample(format))
      val changes = Seq(
        // `id`, `least`, `flag`, `tags`, `place`, `at`, `data`, `by`, `mixed`, and then a key.
        "6269641b" -> "626964fb",
        "626964" -> "626965",
        "656c656173743b7f" -> "656c656173743b8f",
        "656c656173743b7fffffffffffffff" -> "656c65617374f6",
        "64666c6167f5" -> "64666c616701",
        "6474616773826161" -> "6474616773820161",
        "65706c616365a3636c6174" -> "65706c61636580636c6174",
        "626174d903e9" -> "626174d903ea",
        "646461746142" -> "646461746162",
        "626279b818" -> "6262799818",
        "656d6978656482" -> ("656d69786564" + "81" * 100000),
        "60676e6f206e616d65" -> "00676e6f206e616d65"
      )
      Seq("", "f6", "80", "a0", "bbffffffffffffffff", "ba0fffffff", "a16262797a0fffffff", "a164746167739a0fffffff").map(bytes) ++
        changed(text, changes).map(bytes)
    case "protobuf" =>
      val deep = "7affffffff07" + "12ffffffff07" * 1000
      Seq("09", "0900", "2a05", "2a01ff", "2affffffff0f", "ff", "07", "0f", "7a021205", "720a0a0132", deep).map(bytes)
    case "msgpack-array" =>
      val text = LaneProcess.hex(sample(format))
      Seq("", "c0", "80", "90", "91cf0000000000000001", "ddffffffff", "dd0fffffff").map(bytes) ++
        Seq(text.replace("dc0015", "dc0014"), text.replace("dc0015", "dc0016") + "c0", text.replace("dc0015cf", "dc0015cb"))
          .map(bytes)
    case "json" =>
      val changes = Seq(
        "\"id\":18446744073709551615" -> "\"id\":0.5",
        "\"id\":18446744073709551615," -> "",
        "\"least\":-9223372036854775808" -> "\"least\":-9223372036854775809",
        "\"least\":-9223372036854775808" -> "\"least\":\"x\"",
        "\"least\":-9223372036854775808" -> "\"least\":null",
        "\"flag\":true" -> "\"flag\":1",
        "\"odd key\":" -> "\"odd kez\":",
        "\"\":\"no name\"" -> "\"empty_\":\"no name\"",
        "\"count\":-1" -> "\"count\":[]",
        "\"tags\":[\"a\"" -> "\"tags\":[1",
        "\"tags\":[\"a\",\"b\"]" -> "\"tags\":{}",
        "\"matrix\":[[1" -> "\"matrix\":[[[]",
        "\"place\":{\"lat\":1.25" -> "\"place\":{\"lat\":{}",
        "\"place\":{" -> "\"place\":[{",
        "\"next\":{" -> "\"next\":7,\"other\":{",
        "\"mixed\":[" -> ("\"mixed\":[" + "[" * 100000)
      )
      (Seq("", "null", "[]", "{}", "7") ++ changed(json, changes)).map(utf8)
  }
}
