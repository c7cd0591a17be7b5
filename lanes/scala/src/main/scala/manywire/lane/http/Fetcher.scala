// The HTTP client of the verb fetch: Finagle, with a client of one connection for each connection.
package manywire.lane.http

import com.twitter.conversions.StorageUnitOps._
import com.twitter.finagle.{Http, Service => FinagleService}
import com.twitter.finagle.http.{Method, Request, Response, Status}
import com.twitter.io.Buf
import com.twitter.util.{Await, Duration, Future}
import java.io.IOException
import java.net.{URI, URISyntaxException}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets
import java.util.Arrays
import java.util.concurrent.locks.LockSupport
import manywire.lane.{Coder, Refusal}
import scala.annotation.unused
import scala.collection.mutable.ArrayBuffer
import scala.util.control.NonFatal

object Fetcher {

  /** The arguments of a fetch. */
  final case class Arguments(
      url: String,
      nonce: Option[String],
      headers: Seq[(String, String)],
      decode: Boolean,
      connections: Int,
      rate: Option[Double],
      requests: Long,
      durationMs: Double,
      timeoutMs: Double
  )

  /** The result of a fetch. Times are in nanoseconds. */
  final case class Result(
      requests: Int,
      errors: Int,
      error: Option[String],
      bodyBytes: Long,
      wallNs: Long,
      latencies: Array[Byte],
      delays: Array[Byte]
  )

  /** The number of a request and, in an open loop, the instant it is planned for. */
  private final case class Turn(number: Long, planned: Option[Long])

  /** The number of errors after which no new requests are started. */
  private val errorsMax = 100

  /** The maximum delay of a sleeping thread, for which the client spins instead. */
  private val timerNs = 200000L

  // Receives decoded values, so that the compiler cannot remove them.
  @volatile @unused private var sink: Any = null

  private def frame(times: collection.Seq[Long]): Array[Byte] = {
    val frame = ByteBuffer.allocate(times.size * 8)
    times.foreach(frame.putLong)
    frame.array
  }

  private def start(bytes: Array[Byte], most: Int): String =
    new String(bytes, 0, math.min(bytes.length, most), StandardCharsets.UTF_8)
}

final class Fetcher(coder: Coder, arguments: Fetcher.Arguments) {
  import Fetcher._

  private val address: URI =
    try new URI(arguments.url)
    catch { case error: URISyntaxException => throw new Refusal(s"url: ${error.getMessage}") }
  private val isSecure = address.getScheme == "https"
  if (!(isSecure || address.getScheme == "http") || address.getHost == null) {
    throw new Refusal(s"url is ${arguments.url}, expected http or https, and a host")
  }
  private val authority = {
    val port = if (address.getPort >= 0) address.getPort else if (isSecure) 443 else 80
    s"${address.getHost}:$port"
  }
  private val target = Option(address.getRawPath).filter(_.nonEmpty).getOrElse("/") +
    Option(address.getRawQuery).fold("")("?" + _)

  private val asksForGzip = arguments.headers.exists { case (name, value) =>
    name.equalsIgnoreCase("Accept-Encoding") && value.contains("gzip")
  }

  private val connections: Seq[FinagleService[Request, Response]] = {
    val plain = Http.client
      // The contract is HTTP/1.1, to which Finagle would offer an upgrade.
      .withNoHttp2
      // The nonce before a compressed representation is not compressed, and bodies are counted as received.
      .withDecompression(false)
      // The default of 5 MB is less than some payloads have.
      .withMaxResponseSize(2047.megabytes)
      .withRequestTimeout(Duration.fromNanoseconds((arguments.timeoutMs * 1e6).toLong))
      .withSessionPool.maxSize(1)
    val client = if (isSecure) plain.withTls(address.getHost) else plain
    Seq.fill(arguments.connections)(client.newService(authority, "lane"))
  }

  private val latencies = ArrayBuffer.empty[Long]
  private val delays = ArrayBuffer.empty[Long]
  private var next = 0L
  private var planned = 0L
  private var isRunning = false
  private var begin = 0L
  private var errors = 0
  private var first: Option[String] = None
  private var bodyBytes = 0L

  /**
   * Sends one uncounted request on each connection. The loops run, too, without a turn: loading their classes after the
   * start of the clock can take as long as a short fetch.
   */
  def open(): Unit = {
    Await.result(Future.join(connections.map { connection =>
      send(connection, Turn(number(), None)).flatMap(_ => closedLoop(connection))
    }))
    openLoop(connections.head)
    synchronized {
      // The figures of a fetch whose connections cannot be opened would be meaningless.
      first.foreach(error => throw new Refusal(s"the first request: $error"))
      latencies.clear()
      bodyBytes = 0
      isRunning = true
    }
  }

  /** Sends all other requests. */
  def run(): Result = {
    begin = System.nanoTime()
    arguments.rate match {
      case None => Await.result(Future.join(connections.map(closedLoop)))
      case Some(_) =>
        // A thread for each connection waits for planned instants, which no timer of Finagle meets exactly.
        val threads = connections.map(connection => new Thread(() => openLoop(connection)))
        threads.foreach(_.start())
        threads.foreach(_.join())
    }
    val wall = System.nanoTime() - begin
    synchronized {
      Result(latencies.size, errors, first, bodyBytes, wall, frame(latencies), frame(delays))
    }
  }

  /** Closes the connections. */
  def close(): Unit = Await.result(Future.join(connections.map(_.close())))

  private def closedLoop(connection: FinagleService[Request, Response]): Future[Unit] = turn() match {
    case Some(turn) => send(connection, turn).flatMap(_ => closedLoop(connection))
    case None => Future.Done
  }

  private def openLoop(connection: FinagleService[Request, Response]): Unit = {
    var next = turn()
    while (next.isDefined) {
      next.get.planned.foreach(waitUntil)
      Await.result(send(connection, next.get))
      next = turn()
    }
  }

  private def number(): Long = synchronized {
    next += 1
    next - 1
  }

  /** Returns the next request, or nothing if there is none. */
  private def turn(): Option[Turn] = synchronized {
    val after = arguments.rate match {
      case Some(rate) => planned / rate * 1e9
      case None => (System.nanoTime() - begin).toDouble
    }
    val isInTime = after <= arguments.durationMs * 1e6
    if (isRunning && isInTime && planned < arguments.requests && errors < errorsMax) {
      planned += 1
      Some(Turn(number(), if (arguments.rate.isDefined) Some(begin + after.toLong) else None))
    } else {
      None
    }
  }

  private def waitUntil(instant: Long): Unit = {
    var left = instant - System.nanoTime()
    while (left > 0) {
      if (left > timerNs) LockSupport.parkNanos(left - timerNs) else Thread.onSpinWait()
      left = instant - System.nanoTime()
    }
  }

  /** Sends a request and records its result, on the thread that read the response. */
  private def send(connection: FinagleService[Request, Response], turn: Turn): Future[Unit] = {
    val nonce = arguments.nonce.fold("")(_ + f"${turn.number}%08x")
    val request = Request(Method.Get, target + nonce)
    request.host = authority
    arguments.headers.foreach { case (name, value) => request.headerMap.add(name, value) }
    val sent = System.nanoTime()
    connection(request).transform { result =>
      try {
        val size = receive(result(), nonce)
        val end = System.nanoTime()
        synchronized {
          bodyBytes += size
          latencies += end - turn.planned.getOrElse(sent)
          turn.planned.foreach(instant => delays += math.max(0, sent - instant))
        }
      } catch {
        case error @ (NonFatal(_) | _: VirtualMachineError) =>
          synchronized {
            errors += 1
            first = first.orElse(Some(Refusal.describe(error)))
          }
      }
      Future.Done
    }
  }

  /** Reads a response. Returns the size of its body. */
  private def receive(response: Response, nonce: String): Int = {
    val body = Buf.ByteArray.Owned.extract(response.content)
    if (response.status != Status.Ok) {
      throw new IOException(s"status ${response.statusCode}: ${start(body, 200)}")
    }
    val expected = nonce.getBytes(StandardCharsets.ISO_8859_1)
    if (body.length < expected.length || !Arrays.equals(body, 0, expected.length, expected, 0, expected.length)) {
      throw new IOException(s"expected a body that begins with $nonce, found ${start(body, 40)}")
    }
    val coding = response.headerMap.getOrElse("Content-Encoding", "identity")
    if (coding != "identity" && !(coding == "gzip" && asksForGzip)) {
      throw new IOException(s"unexpected content coding $coding")
    }
    if (arguments.decode) {
      val representation = Arrays.copyOfRange(body, expected.length, body.length)
      sink = coder.decode(if (coding == "gzip") Gzip.inflate(representation) else representation)
    }
    body.length
  }
}
