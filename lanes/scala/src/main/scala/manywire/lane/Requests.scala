// The verbs of the contract. Keeps the loaded payloads and the server.
package manywire.lane

import io.circe.{Json, JsonObject}
import manywire.lane.http.{Fetcher, Offer, Offers}
import scala.collection.mutable

/** A response: its head, and the frames that follow it. */
final case class Answer(ok: Json, frames: Seq[Array[Byte]] = Seq.empty)

final class Requests(program: Program) {
  private val subjects = program.subjects
  private val loaded = mutable.Map.empty[Int, Loaded]
  private var schema = Schema.none
  private var offered: Option[Offers] = None

  def answer(request: JsonObject, frames: IndexedSeq[Array[Byte]]): Answer = {
    val reader = new RequestReader(request)
    reader("verb").asString match {
      case Some("describe") => describe
      case Some("schema") =>
        schema = Schema.read(reader("model"))
        Answer(Json.obj())
      case Some("load") => load(reader, frames)
      case Some("digest") => Answer(Json.obj("digests" -> Json.fromValues(subject(reader).digests.map(Json.fromString))))
      case Some("encode") => encode(reader)
      case Some("run") => run(reader)
      case Some("memory") => memory(reader)
      case Some("serve") => serve(reader)
      case Some("served") => served
      case Some("fetch") => fetch(reader)
      case _ =>
        throw new Refusal(
          s"unknown verb ${reader("verb").noSpaces}, expected one of describe, schema, load, digest, encode, run, " +
            "memory, serve, served, fetch"
        )
    }
  }

  private def describe: Answer = {
    val java = Runtime.version
    val machine = s"${System.getProperty("java.vm.name")} ${java.feature}.${java.interim}.${java.update}"
    Answer(
      Json.obj(
        "contract" -> Json.fromInt(1),
        "lane" -> Json.fromString("scala"),
        "runtime" -> Json.fromString(s"Scala ${program.scala} on $machine"),
        "http" -> Json.obj(
          "server" -> Json.fromString(program.server),
          "client" -> Json.fromString("finagle-http"),
          "codings" -> Json.arr(Json.fromString("gzip"))
        ),
        "subjects" -> Json.fromValues(subjects.map(_.describe))
      )
    )
  }

  private def load(request: RequestReader, frames: IndexedSeq[Array[Byte]]): Answer = {
    val number = index(request)
    loaded.remove(number)
    loaded.put(number, new Loaded(subjects(number), schema, frames))
    Answer(Json.obj())
  }

  private def encode(request: RequestReader): Answer = {
    val written = subject(request).encode()
    Answer(Json.obj("payloads" -> Json.fromInt(written.size)), written)
  }

  private def run(request: RequestReader): Answer = {
    val chosen = subject(request)
    val isEncode = encodes(request)
    val window = request.items("window").map { item =>
      val count = chosen.payloads.size
      val number = RequestReader.whole(item, count.toLong)
      number.getOrElse(request.fail("window", s"numbers of the $count payloads")).toInt
    }
    val repeats = request.whole("repeats", Long.MaxValue)
    val coding = request.optionalText("coding")
    if (coding.exists(_ != "gzip")) {
      request.fail("coding", "gzip or none")
    }
    val (operation, inputs) = chosen.operation(isEncode, coding.isDefined)
    Answer(Meter.run(operation, inputs, window, repeats))
  }

  private def memory(request: RequestReader): Answer = {
    val (operation, inputs) = subject(request).operation(encodes(request), isPacked = false)
    Answer(Meter.memory(operation, inputs))
  }

  private def serve(request: RequestReader): Answer = {
    if (offered.isDefined) {
      throw new Refusal("the server is already running")
    }
    val offers = request.items("offers").map { item =>
      val offer = new RequestReader(item.asObject.getOrElse(request.fail("offers", "a list of objects")))
      val chosen = subject(offer)
      // Encodes once with the check that the bytes have the same value.
      chosen.encode()
      new Offer(offer.text("media_type"), chosen)
    }
    val all = new Offers(offers)
    val port = program.start(all)
    offered = Some(all)
    Answer(Json.obj("port" -> Json.fromInt(port)))
  }

  private def served: Answer = offered match {
    case None => throw new Refusal("the server is not running")
    case Some(all) =>
      Answer(
        Json.obj(
          "requests" -> Json.fromLong(all.answered),
          "cpu_ns" -> Meter.optional(CpuClock.read()),
          "collections" -> Meter.optional(Meter.collections())
        )
      )
  }

  private def fetch(request: RequestReader): Answer = {
    val fetcher = new Fetcher(subject(request).coder, fetchArguments(request))
    try {
      fetcher.open()
      val collections = Meter.collections()
      val cpu = CpuClock.read()
      val result = fetcher.run()
      Answer(
        Json.obj(
          "requests" -> Json.fromInt(result.requests),
          "errors" -> Json.fromInt(result.errors),
          "error" -> result.error.fold(Json.Null)(Json.fromString),
          "body_bytes" -> Json.fromLong(result.bodyBytes),
          "wall_ns" -> Json.fromLong(result.wallNs),
          "cpu_ns" -> Meter.difference(CpuClock.read(), cpu),
          "collections" -> Meter.difference(Meter.collections(), collections)
        ),
        Seq(result.latencies, result.delays)
      )
    } finally fetcher.close()
  }

  private def fetchArguments(request: RequestReader): Fetcher.Arguments = {
    val nonce = request.optionalText("nonce")
    if (nonce.exists(!_.matches("[0-9a-f]{8}"))) {
      request.fail("nonce", "eight hexadecimal digits or null")
    }
    val headers = request.items("headers").map { header =>
      header.asArray.map(_.map(_.asString)) match {
        case Some(Vector(Some(name), Some(value))) => name -> value
        case _ => request.fail("headers", "pairs of a name and a value")
      }
    }
    val connections = request.whole("connections", 65536)
    if (connections == 0) {
      request.fail("connections", "a number from 1")
    }
    val rate = Option.unless(request("rate").isNull) {
      request("rate").asNumber.map(_.toDouble).filter(_ > 0).getOrElse(request.fail("rate", "a number above 0 or null"))
    }
    Fetcher.Arguments(
      request.text("url"),
      nonce,
      headers,
      request.truth("decode"),
      connections.toInt,
      rate,
      request.whole("requests", 1L << 32),
      request.milliseconds("duration_ms"),
      request.milliseconds("timeout_ms")
    )
  }

  private def encodes(request: RequestReader): Boolean = request("operation").asString match {
    case Some("encode") => true
    case Some("decode") => false
    case _ => request.fail("operation", "encode or decode")
  }

  private def index(request: RequestReader): Int =
    RequestReader
      .whole(request("subject"), subjects.size.toLong)
      .getOrElse(request.fail("subject", s"a number below ${subjects.size}"))
      .toInt

  private def subject(request: RequestReader): Loaded = {
    val number = index(request)
    loaded.getOrElse(number, throw new Refusal(s"subject $number has no payloads; send them with `load`"))
  }
}
