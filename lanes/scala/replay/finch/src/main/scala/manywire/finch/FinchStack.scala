// Finch and the Finagle below it, each as a server of the lane, and the circe of both.
package manywire.finch

import cats.effect.IO
import com.twitter.finagle.{Http, Service}
import com.twitter.finagle.http.{Method, Request, Response, Status}
import com.twitter.io.Buf
import com.twitter.util.Future
import io.circe.{Json, Printer}
import io.finch.{Application, Encode, Endpoint, Ok, NotFound, Output}
import io.finch.catsEffect._
import java.net.{InetAddress, InetSocketAddress}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.logging.{Level, Logger}
import manywire.bridge.{Bodies, Stack}
import manywire.replay.Version

final class FinchStack extends Stack {
  // Finagle logs its version and whom it resolves at every start.
  Logger.getLogger("").setLevel(Level.WARNING)

  def scalaVersion: String = util.Properties.versionNumberString

  def circeVersion: String = Version.of(classOf[Json])

  def decode(payload: Array[Byte]): AnyRef =
    io.circe.jawn.parseByteBuffer(java.nio.ByteBuffer.wrap(payload)).fold(failure => throw failure, json => Numbers.read(json))

  def encode(value: AnyRef): Array[Byte] = {
    val buffer = Printer.noSpaces.prettyByteBuffer(value.asInstanceOf[Json], UTF_8)
    val bytes = new Array[Byte](buffer.remaining)
    buffer.get(bytes)
    bytes
  }

  def start(server: String, bodies: Bodies): Int = {
    val service = if (server == "finch") FinchStack.byFinch(bodies) else FinchStack.byFinagle(bodies)
    val loopback = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0)
    // The lane compresses the representation itself, because the nonce before it is not compressed.
    val running = Http.server.withCompressionLevel(0).serve(loopback, service)
    running.boundAddress.asInstanceOf[InetSocketAddress].getPort
  }
}

object FinchStack {

  /** A typed endpoint for each meter: two segments of the path and a field, and a body with its encoder. */
  private def byFinch(bodies: Bodies): Service[Request, Response] = {
    val transport = endpoint("transport", isEncoded = false, bodies)
    val encoded = endpoint("endpoint", isEncoded = true, bodies)
    (transport :+: encoded).toServiceAs[Application.Json]
  }

  private def endpoint(meter: String, isEncoded: Boolean, bodies: Bodies): Endpoint[IO, Bodies.Body] =
    get(meter :: path[String] :: path[String] :: headerOption[String]("Accept-Encoding")) {
      (offer: String, nonce: String, coding: Option[String]) =>
        val isPacked = coding.contains("gzip")
        Option(bodies.body(isEncoded, offer, nonce, isPacked)) match {
          case Some(body) if isPacked => Ok(body).withHeader("Content-Encoding" -> "gzip")
          case Some(body) => Ok(body)
          case None => NotFound(new NoSuchElementException("no such path")): Output[Bodies.Body]
        }
    }

  private implicit val encodeBody: Encode.Json[Bodies.Body] = Encode.json((body, _) => content(body))

  private implicit val encodeError: Encode.Json[Exception] =
    Encode.json((error, charset) => Buf.ByteArray.Owned(error.getMessage.getBytes(charset)))

  /** Does what Finch does for these endpoints, with the same bodies. */
  private def byFinagle(bodies: Bodies): Service[Request, Response] = Service.mk { request =>
    Future.value(request.path match {
      case Path(meter, offer, nonce) if request.method == Method.Get =>
        val isPacked = request.headerMap.get("Accept-Encoding").contains("gzip")
        Option(bodies.body(meter == "endpoint", offer, nonce, isPacked)) match {
          case Some(body) => respond(body, isPacked)
          case None => Response(Status.NotFound)
        }
      case _ => Response(Status.NotFound)
    })
  }

  private val Path = "/(transport|endpoint)/([^/]*)/([^/]*)".r

  private def respond(body: Bodies.Body, isPacked: Boolean): Response = {
    val response = Response()
    response.contentType = body.mediaType
    if (isPacked) {
      response.headerMap.set("Content-Encoding", "gzip")
    }
    response.content = content(body)
    response
  }

  private def content(body: Bodies.Body): Buf =
    Buf.ByteArray.Owned(body.nonce).concat(Buf.ByteArray.Owned(body.representation))
}
