// Generates codecs for the types of payloads, and compiles both. The arguments are the folder of the types and the jar
// to write. The lane is built before.
package manywire.generate

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._
import scala.tools.nsc.reporters.ConsoleReporter
import scala.tools.nsc.{Global, Settings}

object Main {
  def main(arguments: Array[String]): Unit = arguments match {
    case Array(folder, jar) =>
      if (!build(Path.of(folder), Path.of(jar))) {
        System.exit(1)
      }
    case _ =>
      System.err.println("usage: generate FOLDER JAR")
      System.exit(2)
  }

  private def build(folder: Path, jar: Path): Boolean = {
    val types = folder.resolve("Types.scala")
    val codecs = folder.resolve("Codecs.scala")
    // The type of the whole value, and its message, which is empty if there is no schema.
    val lines = Files.readAllLines(folder.resolve("root.txt"))
    val (root, message) = (lines.get(0), lines.get(1))
    val messages = Messages.write(Files.readAllBytes(folder.resolve("manywire.binpb")), folder)
    Files.writeString(codecs, Codecs.write(Types.read(Files.readString(types)), root, message))
    compile(types +: codecs +: messages, jar)
  }

  /** Returns whether the sources were compiled. */
  private def compile(sources: Seq[Path], jar: Path): Boolean = {
    val lane = Path.of("target")
    val jars = jarsIn(lane.resolve("lib")) ++ jarsIn(Path.of("generate", "target", "lib"))
    val settings = new Settings
    settings.classpath.value = (lane.resolve("classes") +: jars).mkString(java.io.File.pathSeparator)
    settings.outputDirs.setSingleOutput(jar.toString)
    settings.release.value = "17"
    settings.maxerrs.value = 5
    val reporter = new ConsoleReporter(settings)
    val global = Global(settings, reporter)
    new global.Run().compile(sources.map(_.toString).toList)
    reporter.finish()
    !reporter.hasErrors
  }

  private def jarsIn(folder: Path): Seq[Path] = {
    val files = Files.list(folder)
    try files.iterator.asScala.filter(_.toString.endsWith(".jar")).toVector.sorted
    finally files.close()
  }
}
