// The lane as a process that is driven by frames, as the orchestrator does.
package manywire.lane

import io.circe.{Json, JsonObject}
import java.io.{ByteArrayOutputStream, DataInputStream, File}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path
import java.util.HexFormat

/** The result of a process that has ended. */
final case class Ended(status: Int, out: Array[Byte], messages: String)

/** The lane, with further files in its class path. */
final class LaneProcess(
    options: Seq[String] = Seq.empty,
    arguments: Seq[String] = Seq.empty,
    files: Seq[Path] = Seq.empty
) extends AutoCloseable {
  private val process = {
    val java = System.getProperty("java.home") + "/bin/java"
    val classPath = System.getProperty("java.class.path") +: files
    val command = Seq(java, "-Xbatch") ++ options ++
      Seq("-cp", classPath.mkString(File.pathSeparator), "manywire.lane.Main") ++ arguments
    new ProcessBuilder(command: _*).start()
  }
  private val in = new DataInputStream(process.getInputStream)

  def send(raw: Array[Byte]): Unit = {
    process.getOutputStream.write(raw)
    process.getOutputStream.flush()
  }

  def receive(): Array[Byte] = in.readNBytes(in.readInt())

  /** Returns the head of the response to a request in JSON, which the frames follow. */
  def ask(request: String, frames: Array[Byte]*): JsonObject = {
    val all = new ByteArrayOutputStream
    (request.getBytes(UTF_8) +: frames).foreach(frame => all.writeBytes(LaneProcess.frame(frame)))
    send(all.toByteArray)
    val response = new String(receive(), UTF_8)
    io.circe.parser.parse(response).toOption.flatMap(_.asObject).getOrElse(throw new AssertionError(response))
  }

  /** Returns the response to a request that must succeed. */
  def get(request: String, frames: Array[Byte]*): RequestReader = {
    val response = ask(request, frames: _*)
    val ok = response("ok").flatMap(_.asObject)
    new RequestReader(ok.getOrElse(throw new AssertionError(s"$request: ${Json.fromJsonObject(response).noSpaces}")))
  }

  /** Returns the error of a request, or nothing if it succeeds. */
  def error(request: String, frames: Array[Byte]*): Option[String] =
    ask(request, frames: _*)("error").flatMap(_.asString)

  def describe: RequestReader = get("""{"verb":"describe"}""")

  def allSubjects: Vector[DescribedSubject] = describe.items("subjects").map { json =>
    val reader = new RequestReader(json.asObject.get)
    DescribedSubject(reader.text("library"), reader.text("version"), reader.text("format"), reader.text("target"))
  }

  /** Returns the subjects on dynamic values, which are the first ones. */
  def subjects: Vector[DescribedSubject] = allSubjects.takeWhile(_.target == "dynamic")

  /** Returns the error of a load, or nothing if it succeeds. */
  def load(subject: Int, payloads: Seq[Array[Byte]]): Option[String] =
    error(s"""{"verb":"load","subject":$subject,"payloads":${payloads.size}}""", payloads: _*)

  def digest(subject: Int): Either[String, Vector[String]] = {
    val response = ask(s"""{"verb":"digest","subject":$subject}""")
    response("ok").flatMap(_.asObject) match {
      case Some(ok) => Right(new RequestReader(ok).items("digests").flatMap(_.asString))
      case None => Left(response("error").flatMap(_.asString).get)
    }
  }

  def encode(subject: Int): Either[String, Vector[Array[Byte]]] = {
    val response = ask(s"""{"verb":"encode","subject":$subject}""")
    response("ok").flatMap(_.asObject) match {
      case Some(ok) => Right(Vector.fill(new RequestReader(ok).whole("payloads", 1000000).toInt)(receive()))
      case None => Left(response("error").flatMap(_.asString).get)
    }
  }

  /** Sends the rest and closes the input. */
  def end(raw: Array[Byte] = Array.empty): Ended = {
    process.getOutputStream.write(raw)
    process.getOutputStream.close()
    val out = in.readAllBytes()
    val messages = new String(process.getErrorStream.readAllBytes(), UTF_8)
    Ended(process.waitFor(), out, messages)
  }

  override def close(): Unit = {
    process.destroyForcibly()
    ()
  }
}

final case class DescribedSubject(library: String, version: String, format: String, target: String) {
  def name: String = s"$library $format"
}

object LaneProcess {
  def frame(content: Array[Byte]): Array[Byte] =
    ByteBuffer.allocate(4 + content.length).putInt(content.length).put(content).array

  def bytes(hex: String): Array[Byte] = HexFormat.of.parseHex(hex)

  def hex(bytes: Array[Byte]): String = HexFormat.of.formatHex(bytes)

  def utf8(text: String): Array[Byte] = text.getBytes(UTF_8)

  /** Runs a test with a lane, which ends with the test. */
  def run(test: LaneProcess => Unit): Unit = run(Seq.empty)(test)

  /** Runs a test with a lane that has further files in its class path. */
  def runWith(file: Path)(test: LaneProcess => Unit): Unit = {
    val lane = new LaneProcess(files = Seq(file))
    try test(lane)
    finally lane.close()
  }

  /** Runs a test with the lane of another server. */
  def runServer(server: String)(test: LaneProcess => Unit): Unit = {
    val lane = new LaneProcess(arguments = Seq(server))
    try test(lane)
    finally lane.close()
  }

  /** Runs a test with a lane whose runtime has options. */
  def run(options: Seq[String])(test: LaneProcess => Unit): Unit = {
    val lane = new LaneProcess(options)
    try test(lane)
    finally lane.close()
  }
}
