// Documents in every format, written by Manywire's codecs: a folder for each, with `0.document`, `0.msgpack`, … for each
// payload.
package manywire.lane

import java.nio.file.{Files, Path}
import org.junit.jupiter.api.Assumptions
import scala.jdk.CollectionConverters._

final case class Document(folder: Path) {
  def name: String = folder.getFileName.toString

  def texts: Seq[Array[Byte]] = files("document")

  /** Returns the payloads in a format, or nothing if it cannot represent all of them. */
  def payloads(format: String): Seq[Array[Byte]] = {
    val found = files(format)
    if (found.size == texts.size) found else Seq.empty
  }

  private def files(suffix: String): Seq[Array[Byte]] =
    Iterator
      .from(0)
      .takeWhile(index => Files.exists(folder.resolve(s"$index.document")))
      .map(index => folder.resolve(s"$index.$suffix"))
      .filter(Files.exists(_))
      .map(Files.readAllBytes)
      .toVector
}

object Document {

  /** Returns all documents. Skips the test if there is no folder of documents. */
  def all: Seq[Document] = {
    val folder = Skips.folder("MANYWIRE_LANE_DOCUMENTS", "documents")
    val paths = Files.list(folder)
    try paths.iterator.asScala.filter(Files.isDirectory(_)).toVector.sorted.map(Document(_))
    finally paths.close()
  }

  def named(name: String): Document = all.find(_.name == name).get
}

object Skips {

  /** Returns the folder that a variable of the environment names. Skips the test if it names none. */
  def folder(variable: String, content: String): Path = {
    val folder = System.getenv(variable)
    if (folder == null) {
      println(s"skipped: no $content ($variable is not set)")
    }
    Assumptions.assumeTrue(folder != null, s"no $content")
    Path.of(folder)
  }
}
