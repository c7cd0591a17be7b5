// The HTTP server of the lane with its own client, and the client with servers that break off.
package manywire.lane

import java.net.{InetAddress, ServerSocket, Socket, URI}
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.nio.ByteBuffer
import java.nio.file.{Files, Path}
import manywire.lane.LaneProcess.{bytes, utf8}
import manywire.lane.http.Gzip
import org.junit.jupiter.api.Assertions.{assertArrayEquals, assertEquals, assertTrue}
import org.junit.jupiter.api.Assumptions.assumeTrue
import org.junit.jupiter.api.Test
import scala.io.Source

class HttpTest {
  import HttpTest._

  private def serve(lane: LaneProcess): Int = {
    assertEquals(None, lane.load(0, payloads.map(utf8)))
    val offers = """[{"subject":0,"media_type":"application/json"}]"""
    lane.get(s"""{"verb":"serve","offers":$offers}""").whole("port", 65536).toInt
  }

  private def ask(port: Int, path: String, method: String = "GET", headers: Seq[String] = Seq.empty) = {
    val body = HttpRequest.BodyPublishers.noBody
    val request = HttpRequest.newBuilder(URI.create(s"http://127.0.0.1:$port$path")).method(method, body)
    headers.grouped(2).foreach(header => request.header(header(0), header(1)))
    HttpClient.newHttpClient.send(request.build, HttpResponse.BodyHandlers.ofByteArray)
  }

  @Test
  def bodiesAreEnvelopes(): Unit = LaneProcess.run(checkBodies(_))

  @Test
  def otherServersRespondWithTheSame(): Unit = Seq("finch", "finagle").foreach { server =>
    assumeTrue(Files.exists(Path.of("replay/finch/target/finch.jar")), "skipped: sh replay/build.sh did not run")
    LaneProcess.runServer(server) { lane =>
      assertEquals(Seq(DescribedSubject("circe", "0.11.1", "json", "dynamic")), lane.subjects)
      checkBodies(lane)
      val read = lane.digest(0)
      assertEquals(2, lane.encode(0).map(_.size).getOrElse(0))
      LaneProcess.run { own =>
        assertEquals(None, own.load(0, payloads.map(utf8)))
        assertEquals(own.digest(0), read, server)
      }
      assertTrue(lane.load(0, Seq(utf8("[1,"))).isDefined)
    }
  }

  @Test
  def anUnknownServerEndsTheLane(): Unit = LaneProcess.runServer("netty") { lane =>
    val ended = lane.end()
    assertEquals((1, "no server netty, expected finch or finagle"), (ended.status, ended.messages.trim))
  }

  private def checkBodies(lane: LaneProcess): Unit = {
    val port = serve(lane)
    // A path that no offer has, before anything else.
    Seq("/", s"/endpoint/1/${nonce}00000000", "/endpoint/0/1", s"/dance/0/${nonce}00000000")
      .foreach(path => assertEquals(404, ask(port, path).statusCode, path))
    for (meter <- Seq("transport", "endpoint"); number <- 0 to 2) {
      val name = f"$nonce$number%08x"
      val path = s"/$meter/0/$name"
      val plain = ask(port, path)
      assertEquals(200, plain.statusCode)
      assertEquals("application/json", plain.headers.firstValue("Content-Type").get)
      assertEquals(plain.body.length.toString, plain.headers.firstValue("Content-Length").get)
      assertTrue(plain.headers.firstValue("Content-Encoding").isEmpty)
      assertArrayEquals(utf8(name + payloads(number % 2)), plain.body)
      val packed = ask(port, path, headers = Seq("Accept-Encoding", "gzip"))
      assertEquals("gzip", packed.headers.firstValue("Content-Encoding").get)
      assertArrayEquals(utf8(name), packed.body.take(16))
      assertArrayEquals(utf8(payloads(number % 2)), Gzip.inflate(packed.body.drop(16)))
    }
    val served = lane.get("""{"verb":"served"}""")
    assertEquals(12, served.whole("requests", 1000))
    assertTrue(served.whole("cpu_ns", Long.MaxValue) > 0 && served.whole("collections", Long.MaxValue) >= 0)
  }

  @Test
  def unknownPathsAndMethodsAreRefused(): Unit = LaneProcess.run { lane =>
    val port = serve(lane)
    val number = nonce + "00000000"
    Seq("/", s"/endpoint/1/$number", s"/endpoint/x/$number", "/endpoint/0/1", s"/dance/0/$number", s"/endpoint/0/$number?a")
      .foreach(path => assertEquals(404, ask(port, path).statusCode, path))
    assertEquals(405, ask(port, s"/endpoint/0/$number", "POST").statusCode)
    val again = lane.error("""{"verb":"serve","offers":[]}""")
    assertTrue(again.exists(_.contains("already")), again.toString)
    assertEquals(0, lane.get("""{"verb":"served"}""").whole("requests", 1000))
    val ended = lane.end()
    assertEquals(0, ended.status, s"an open server does not keep the process: ${ended.messages}")
  }

  @Test
  def fetchRunsClosedAndOpenLoops(): Unit = LaneProcess.run { lane =>
    val url = s"http://127.0.0.1:${serve(lane)}/endpoint/0/"
    Seq("null", "200").foreach { rate =>
      val result = lane.get(fetch(url, s""""rate":$rate"""))
      val latencies = ByteBuffer.wrap(lane.receive())
      val delays = lane.receive()
      assertEquals(10, result.whole("requests", 1000), result("error").noSpaces)
      assertEquals(0, result.whole("errors", 1000), result("error").noSpaces)
      assertEquals(80, latencies.remaining)
      assertEquals(if (rate == "null") 0 else 80, delays.length)
      val first = latencies.getLong
      assertTrue(first > 1000 && first < 10000000000L, s"$first ns")
      // The last of ten requests is planned after 45 ms.
      assertTrue(rate == "null" || result.whole("wall_ns", Long.MaxValue) >= 45000000)
      assertTrue(result.whole("body_bytes", Long.MaxValue) > 10 * 16)
    }
    // Each of the two connections sent one uncounted request.
    assertEquals(24, lane.get("""{"verb":"served"}""").whole("requests", 1000))
  }

  @Test
  def aFetchWithoutANonceReadsTheWholeUrl(): Unit = LaneProcess.run { lane =>
    val url = s"http://127.0.0.1:${serve(lane)}/endpoint/0/${nonce}00000000"
    val result = lane.get(fetch(url, """"nonce":null,"decode":false,"headers":[]"""))
    lane.receive()
    lane.receive()
    assertEquals(10, result.whole("requests", 1000), result("error").noSpaces)
    assertEquals(10 * 23, result.whole("body_bytes", 1000))
  }

  @Test
  def anInvalidFetchIsAnError(): Unit = LaneProcess.run { lane =>
    val port = serve(lane)
    val url = s"http://127.0.0.1:$port/endpoint/0/"
    def refuses(request: String, words: String): Unit = {
      val error = lane.error(request)
      assertTrue(error.exists(_.toLowerCase.contains(words)), s"$request: $error")
    }
    refuses(fetch(s"http://127.0.0.1:$port/endpoint/7/"), "404")
    refuses(fetch("http://127.0.0.1:1/"), "refused")
    refuses(fetch("ftp://127.0.0.1/"), "expected http")
    refuses(fetch("http://a b/"), "url")
    refuses(fetch(url, """"connections":0"""), "connections")
    refuses(fetch(url, """"rate":-1"""), "rate")
    refuses(fetch(url, """"headers":[["a"]]"""), "headers")
    refuses(fetch(url, """"nonce":"x""""), "nonce")
    refuses(fetch(url, """"timeout_ms":null"""), "timeout_ms")
  }

  @Test
  def errorsOfAResponseAreCountedAndTheLaneContinues(): Unit = LaneProcess.run { lane =>
    val index = lane.subjects.indexWhere(_.library == "msgpack-core")
    assertEquals(None, lane.load(index, Seq(bytes("01"))))
    def respond(status: String, fields: String, body: Array[Byte]): Option[Array[Byte]] =
      Some(utf8(s"HTTP/1.1 $status\r\nConnection: close\r\n$fields\r\n\r\n") ++ body)
    def good(number: String) = respond("200 OK", "Content-Length: 17", utf8(number + "\u0001"))
    Seq[(String, String => Option[Array[Byte]])](
      "channel closed while still aggregating" -> (number => respond("200 OK", "Content-Length: 100", utf8(number))),
      "expected a body that begins with" -> (_ =>
        respond("200 OK", "Content-Length: 17", utf8("0" * 16 + "\u0001"))
      ),
      "exceeded 500.milliseconds" -> (_ => None),
      "unexpected content coding br" -> (number =>
        respond("200 OK", "Content-Encoding: br\r\nContent-Length: 17", utf8(number + "\u0001"))
      ),
      "not in gzip format" -> (number =>
        respond("200 OK", "Content-Encoding: gzip\r\nContent-Length: 34", utf8(number + "0" * 18))
      ),
      "messageinsufficientbuffer" -> (number =>
        respond("200 OK", "Content-Length: 56", utf8(number) ++ bytes("dd01ffffff" * 8))
      ),
      "stackoverflow" -> (number =>
        respond("200 OK", "Content-Length: 1000016", utf8(number) ++ bytes("91" * 1000000))
      ),
      "status 500: broken" -> (_ => respond("500 Error", "Content-Length: 6", utf8("broken")))
    ).foreach { case (words, answer) =>
      val server = new BreakingServer(count => if (count == 0) good else answer)
      try {
        val change = """"connections":1,"requests":2,"timeout_ms":500"""
        val result = lane.get(fetch(s"http://127.0.0.1:${server.port}/", change, index))
        assertEquals(0, lane.receive().length, words)
        assertEquals(0, lane.receive().length, words)
        assertEquals(2, result.whole("errors", 1000), words)
        assertTrue(result.text("error").toLowerCase.contains(words), s"$words: ${result.text("error")}")
      } finally server.close()
    }
  }
}

object HttpTest {
  private val nonce = "5f3a9c01"
  private val payloads = Vector("""{"a":1}""", "[2]")

  private def fetch(url: String, change: String = """"verb":"fetch"""", subject: Int = 0): String =
    // The last of equal members counts.
    s"""{"verb":"fetch","subject":$subject,"url":"$url","nonce":"$nonce","headers":[["Accept-Encoding","gzip"]],""" +
      s""""decode":true,"connections":2,"rate":null,"requests":10,"duration_ms":60000.5,"timeout_ms":10000,$change}"""

  /** A server that answers each connection by its number, from the nonce of its request, or never. */
  private final class BreakingServer(answer: Int => String => Option[Array[Byte]]) {
    private val listener = new ServerSocket(0, 16, InetAddress.getByName("127.0.0.1"))
    private val thread = new Thread(() => accept())
    thread.setDaemon(true)
    thread.start()

    def port: Int = listener.getLocalPort

    def close(): Unit = listener.close()

    private def accept(): Unit =
      try Iterator.from(0).foreach(count => respond(listener.accept(), count))
      catch { case _: java.net.SocketException => () }

    private def respond(socket: Socket, count: Int): Unit = {
      val first = Source.fromInputStream(socket.getInputStream, "ISO-8859-1").getLines().next()
      answer(count)(first.split(' ')(1).substring(1)).foreach { response =>
        socket.getOutputStream.write(response)
        // A close with unread input would reset the connection before the client has read.
        socket.shutdownOutput()
      }
    }
  }
}
