// Every subject reads what Manywire writes, and writes what every other subject reads.
package manywire.lane

import org.junit.jupiter.api.Assertions.{assertEquals, assertFalse, assertTrue}
import org.junit.jupiter.api.Test

class DocumentsTest {
  @Test
  def everySubjectReadsAndWritesEveryDocument(): Unit = {
    val documents = Document.all
    assertFalse(documents.isEmpty, "the folder has no documents")
    LaneProcess.run(lane => documents.foreach(check(lane, _)))
  }

  private def check(lane: LaneProcess, document: Document): Unit = {
    val subjects = lane.subjects
    val expected = document.texts.map(Expected.digest).toVector
    val written = subjects.zipWithIndex.flatMap { case (subject, index) =>
      val payloads = document.payloads(subject.format)
      Option.when(payloads.nonEmpty) {
        val name = s"${document.name}: ${subject.name}"
        assertEquals(None, lane.load(index, payloads), name)
        assertEquals(Right(expected), lane.digest(index), name)
        index -> lane.encode(index).fold(error => throw new AssertionError(s"$name: $error"), identity)
      }
    }
    assertEquals(subjects.map(_.format).toSet, written.map { case (index, _) => subjects(index).format }.toSet)
    for ((reader, _) <- written; (writer, payloads) <- written; if subjects(reader).format == subjects(writer).format) {
      val name = s"${document.name}: ${subjects(reader).name} reads ${subjects(writer).name}"
      assertEquals(None, lane.load(reader, payloads), name)
      assertEquals(Right(expected), lane.digest(reader), name)
    }
  }

  @Test
  def operationsReportTimeAndMemory(): Unit = {
    val document = Document.named("user")
    LaneProcess.run { lane =>
      lane.subjects.zipWithIndex.foreach { case (subject, index) =>
        assertEquals(None, lane.load(index, document.payloads(subject.format)))
        Seq("encode", "decode").foreach(meter(lane, index, _, subject.name))
      }
    }
  }

  private def meter(lane: LaneProcess, index: Int, operation: String, subject: String): Unit = {
    val name = s"$subject $operation"
    def run(repeats: Int, more: String = ""): RequestReader = lane.get(
      s"""{"verb":"run","subject":$index,"operation":"$operation","window":[0],"repeats":$repeats$more}"""
    )
    // The warm-up lets the compiler finish.
    run(20000)
    // A busy machine or the compiler may delay some batches, but not all of them.
    val few = Vector.fill(10)(run(200).whole("wall_ns", Long.MaxValue)).min
    val many = run(20000)
    assertTrue(many.whole("wall_ns", Long.MaxValue) > 5 * few, s"$name: a hundred times the work of $few ns")
    assertTrue(many.whole("cpu_ns", Long.MaxValue) > 1000, name)
    assertTrue(many.whole("compiled_ms", Long.MaxValue) > 0, name)
    assertTrue(many.whole("collections", Long.MaxValue) >= 0, name)
    assertTrue(run(200, ""","coding":"gzip"""").whole("wall_ns", Long.MaxValue) > 0, name)
    val memory = lane.get(s"""{"verb":"memory","subject":$index,"operation":"$operation"}""")
    assertTrue(memory("allocs").isNull && memory("peak_bytes").isNull, name)
    assertTrue(memory("alloc_bytes").asNumber.exists(_.toDouble > 16), name)
  }
}
