// The Scala lane: responds to the requests of CONTRACT.md until the end of its input. Its argument is the name of another
// server of lane.toml.
package manywire.lane

import io.circe.{Json, JsonObject}
import java.io.{BufferedInputStream, BufferedOutputStream, EOFException, FileDescriptor, FileOutputStream, IOException}
import java.io.{InputStream, OutputStream}
import java.util.logging.{Level, Logger}
import scala.util.control.NonFatal

object Main {
  def main(arguments: Array[String]): Unit = {
    // Output that a library prints goes to standard error.
    System.setOut(System.err)
    // Finagle logs its version and whom it resolves at every start.
    Logger.getLogger("").setLevel(Level.WARNING)
    val out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out))
    try {
      val program = arguments.headOption.fold(Program.own)(Program.named)
      answerAll(new Requests(program), new BufferedInputStream(System.in), out)
      // Threads of Finagle do not keep the process.
      System.exit(0)
    } catch {
      case refusal: Refusal =>
        System.err.println(Refusal.describe(refusal))
        System.exit(1)
      case error: IOException =>
        // After an invalid frame the start of the next request is unknown.
        System.err.println("cannot go on: " + Refusal.describe(error))
        System.exit(1)
    }
  }

  private def answerAll(requests: Requests, in: InputStream, out: OutputStream): Unit =
    Iterator.continually(Frames.read(in)).takeWhile(_.isDefined).flatten.foreach { frame =>
      val request = parse(frame)
      val frames = Vector.fill(following(request)) {
        Frames.read(in).getOrElse {
          throw new EOFException(s"the input ends before the frames of ${verb(request)}")
        }
      }
      Frames.write(out, answer(requests, request, frames))
    }

  private def parse(frame: Array[Byte]): JsonObject =
    io.circe.jawn.parseByteArray(frame) match {
      case Left(failure) => throw new IOException(s"a request that is no JSON: ${failure.message}")
      case Right(json) => json.asObject.getOrElse(throw new IOException("a request that is no JSON object"))
    }

  private def verb(request: JsonObject): String = request("verb").flatMap(_.asString).getOrElse("")

  /** Returns the number of frames that follow a request. */
  private def following(request: JsonObject): Int = verb(request) match {
    case "schema" => 1
    case "load" =>
      val count = request("payloads").getOrElse(Json.Null)
      RequestReader
        .whole(count, Int.MaxValue.toLong)
        .getOrElse(throw new IOException(s"payloads is ${count.noSpaces}, expected how many frames follow"))
        .toInt
    case _ => 0
  }

  private def answer(requests: Requests, request: JsonObject, frames: IndexedSeq[Array[Byte]]): Seq[Array[Byte]] =
    try {
      val answer = requests.answer(request, frames)
      bytes("ok" -> answer.ok) +: answer.frames
    } catch {
      // Any exception of a library is an error response; the lane continues.
      case error @ (NonFatal(_) | _: VirtualMachineError | _: LinkageError) =>
        Seq(bytes("error" -> Json.fromString(Refusal.describe(error))))
    }

  private def bytes(member: (String, Json)): Array[Byte] = Json.obj(member).noSpaces.getBytes("UTF-8")
}
