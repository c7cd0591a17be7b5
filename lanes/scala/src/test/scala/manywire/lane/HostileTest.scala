// The lane responds to any payload bytes with an error that names the fault, and continues.
package manywire.lane

import java.util.Random
import manywire.lane.LaneProcess.{bytes, utf8}
import org.junit.jupiter.api.Assertions.{assertArrayEquals, assertEquals, assertTrue}
import org.junit.jupiter.api.Test

class HostileTest {
  import HostileTest._

  private def continues(lane: LaneProcess, index: Int, subject: DescribedSubject): Unit = {
    val small = valid(subject.format)
    assertEquals(None, lane.load(index, Seq(small)), subject.name)
    assertArrayEquals(small, lane.encode(index).toOption.get.head, subject.name)
  }

  private def each(test: (LaneProcess, Int, DescribedSubject) => Unit): Unit = LaneProcess.run { lane =>
    lane.subjects.zipWithIndex.foreach { case (subject, index) =>
      test(lane, index, subject)
      continues(lane, index, subject)
    }
  }

  @Test
  def everySubjectRefusesHostileBytesAndNamesTheFault(): Unit = each { (lane, index, subject) =>
    faults(subject.format).foreach { case (payload, words) =>
      val error = lane.load(index, Seq(payload))
      val start = LaneProcess.hex(payload.take(20))
      assertTrue(error.exists(_.toLowerCase.contains(words.toLowerCase)), s"${subject.name}: $start: $error")
    }
  }

  @Test
  def theDeepestAllowedValueIsReadAndWritten(): Unit = each { (lane, index, subject) =>
    val payload = deepest(subject.format, levelsMax(subject))
    assertEquals(None, lane.load(index, Seq(payload)), subject.name)
    assertTrue(lane.digest(index).isRight, subject.name)
    assertArrayEquals(payload, lane.encode(index).fold(error => throw new AssertionError(error), _.head), subject.name)
  }

  @Test
  def everyStrictPrefixOfADocumentIsRefused(): Unit = {
    val document = Document.named("record-a")
    each { (lane, index, subject) =>
      val payload = document.payloads(subject.format).head
      payload.indices.foreach { length =>
        assertTrue(lane.load(index, Seq(payload.take(length))).isDefined, s"${subject.name}: $length bytes")
      }
    }
  }

  @Test
  def changedDocumentsAreRefusedOrReadAndWritten(): Unit = {
    val document = Document.named("record-a")
    each { (lane, index, subject) =>
      val payload = document.payloads(subject.format).head
      // The same sequence in every run.
      val random = new Random(20161117)
      val refused = (1 to 1000).count { _ =>
        val changed = payload.clone
        (0 to random.nextInt(4)).foreach(_ => changed(random.nextInt(changed.length)) = random.nextInt(256).toByte)
        val isRefused = lane.load(index, Seq(changed)).isDefined
        if (!isRefused) {
          val before = lane.digest(index)
          lane.encode(index).foreach { written =>
            assertEquals(None, lane.load(index, written), subject.name)
            assertEquals(before, lane.digest(index), s"${subject.name}: ${LaneProcess.hex(changed)}")
          }
        }
        isRefused
      }
      assertTrue(refused > 100, s"${subject.name}: $refused refused")
    }
  }

  @Test
  def aValueThatALibraryWouldChangeIsAnErrorOfEncode(): Unit = LaneProcess.run { lane =>
    lane.subjects.zipWithIndex.filter(_._1.format == "json").foreach { case (subject, index) =>
      assertEquals(None, lane.load(index, Seq(utf8("\"\\ud800\""))), subject.name)
      val surrogate = lane.encode(index)
      assertTrue(surrogate.left.exists(_.contains("surrogate pair")), s"${subject.name}: $surrogate")
      assertEquals(None, lane.load(index, Seq(utf8("[1e400]"))), subject.name)
      val large = lane.encode(index)
      // Jackson reads infinity, which it writes as text. The others keep the text of the number.
      if (subject.library == "jackson-module-scala") {
        assertTrue(large.left.exists(_.contains("reads another value")), s"${subject.name}: $large")
      } else {
        assertEquals("[1e400]", new String(large.toOption.get.head), subject.name)
      }
    }
  }
}

object HostileTest {
  private val depth = 100000

  def valid(format: String): Array[Byte] = format match {
    case "json" => utf8("""{"a":1}""")
    case "msgpack" => bytes("81a16101")
    case "cbor" => bytes("a1616101")
  }

  /** Returns arrays in each other. */
  private def deepest(format: String, levels: Int): Array[Byte] = format match {
    case "json" => utf8("[" * levels + "]" * levels)
    case "msgpack" => bytes("91" * (levels - 1) + "90")
    case "cbor" => bytes("81" * (levels - 1) + "80")
  }

  /** borer's writer of JSON has a limit that cannot be changed. */
  private def levelsMax(subject: DescribedSubject): Int = subject.name match {
    case "borer-core json" => 63
    case "borer-core cbor" => 500
    case _ => 1000
  }


  /** Payloads, and the words by which the error names the fault. */
  private def faults(format: String): Seq[(Array[Byte], String)] = format match {
    case "json" =>
      Seq(
        utf8("") -> "exhausted input",
        utf8("[[") -> "exhausted input",
        utf8("1 2") -> "expected whitespace or eof got '2'",
        utf8("nulx") -> "expected null",
        utf8("""{"a":}""") -> "expected json value got '}'",
        utf8("[1,]") -> "expected json value got ']'",
        utf8("[01]") -> "expected",
        utf8("NaN") -> "expected json value got",
        utf8("\"a") -> "exhausted input",
        utf8("'a'") -> "expected json value",
        bytes("22ff22") -> "invalid UTF-8 at byte 1",
        bytes("22eda08022") -> "invalid UTF-8 at byte 1",
        bytes("22c3") -> "invalid UTF-8 at byte 1",
        bytes("ff" * 64) -> "invalid UTF-8 at byte 0",
        bytes("00") -> "expected json value",
        utf8("[" * depth) -> "more than 1000 levels of nesting at byte 1000",
        utf8("{\"[\":" * depth) -> "more than 1000 levels of nesting at byte 5000",
        utf8("[" * depth + "]" * depth) -> "more than 1000 levels of nesting at byte 1000"
      )
    case "msgpack" =>
      Seq(
        bytes("") -> "MessageInsufficientBufferException",
        bytes("c1") -> "NEVER_USED",
        bytes("cd00") -> "MessageInsufficientBufferException",
        bytes("dbffffffff") -> "MessageSizeException",
        bytes("db7fffffff") -> "MessageInsufficientBufferException",
        bytes("c6ffffffff") -> "MessageSizeException",
        bytes("c67fffffff") -> "2147483647 bytes at byte 5, and the input has fewer",
        bytes("c97fffffff0501") -> "2147483647 bytes at byte 6, and the input has fewer",
        bytes("ddffffffff") -> "MessageSizeException",
        bytes("dfffffffff") -> "MessageSizeException",
        bytes("dd7fffffff01") -> "a container of 2147483647 items at byte 0",
        bytes("dd01ffffff" * 8) -> "a container of 33554431 items at byte 0",
        bytes("df7fffffff01") -> "a container of 4294967294 items at byte 0",
        bytes("9201") -> "a container of 2 items at byte 0",
        bytes("d405") -> "the input has fewer",
        bytes("a1ff") -> "MessageStringCodingException",
        bytes("a3eda080") -> "MessageStringCodingException",
        bytes("0000") -> "1 bytes after the value",
        bytes("ff" * 64) -> "63 bytes after the value",
        bytes("d5ff0000") -> "a timestamp of 2 bytes at byte 0",
        bytes("d7ffee6b280000000000") -> "a timestamp with 1000000000 nanoseconds",
        bytes("c70cff3b9aca000000000000000000") -> "a timestamp with 1000000000 nanoseconds",
        bytes("91" * depth) -> "more than 1000 levels of nesting at byte 1000",
        bytes("81a161" * depth) -> "more than 1000 levels of nesting at byte 3000",
        bytes("91" * depth + "c0") -> "more than 1000 levels of nesting at byte 1000"
      )
    case "cbor" =>
      Seq(
        bytes("") -> "the input ends at byte 0",
        bytes("0000") -> "1 bytes after the value",
        bytes("18") -> "the input ends in the item at byte 0",
        bytes("1c") -> "InvalidInputData",
        bytes("ff") -> "a break at byte 0",
        bytes("81ff") -> "a break at byte 1",
        bytes("9f00") -> "the input ends at byte 2",
        bytes("bf00ff") -> "InvalidInputData",
        bytes("5b0000000100000000") -> "4294967296 bytes at byte 0",
        bytes("7bffffffffffffffff") -> "18446744073709551615 bytes at byte 0",
        bytes("5a7fffffff") -> "2147483647 bytes at byte 0",
        bytes("9bffffffffffffffff") -> "a container of 18446744073709551615 at byte 0",
        bytes("bb4000000000000000") -> "a container of 4611686018427387904 at byte 0",
        bytes("ba01ffffff" * 8) -> "a container of 33554431 at byte 0",
        // The second container fits in the bytes that follow, and both of them together do not.
        bytes("8388" + "00" * 8) -> "a container of 8 at byte 1",
        bytes("8201") -> "a container of 2 at byte 0",
        bytes("61ff") -> "invalid UTF-8 at byte 1",
        bytes("63eda080") -> "invalid UTF-8 at byte 1",
        bytes("7f4100ff") -> "InvalidInputData",
        bytes("81" * depth + "00") -> "more than 500 levels of nesting at byte 500",
        bytes("9f" * depth) -> "more than 500 levels of nesting at byte 500",
        bytes("c1" * depth + "00") -> "more than 500 levels of nesting at byte 500"
      )
  }
}
