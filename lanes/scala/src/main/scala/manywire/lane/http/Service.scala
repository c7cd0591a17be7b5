// The HTTP server of the verb serve: Finagle. It ends with the process.
package manywire.lane.http

import com.twitter.finagle.{Http, ListeningServer, Service => FinagleService}
import com.twitter.finagle.http.{Method, Request, Response, Status}
import com.twitter.io.Buf
import com.twitter.util.Future
import java.net.{InetAddress, InetSocketAddress}
import manywire.bridge.Bodies
import manywire.lane.Refusal
import scala.util.control.NonFatal

final class Service(bodies: Bodies) extends FinagleService[Request, Response] {
  private val server: ListeningServer = Http.server
    .withNoHttp2
    // The lane compresses the representation itself, because the nonce before it is not compressed.
    .withCompressionLevel(0)
    .serve(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), this)

  def port: Int = server.boundAddress match {
    case address: InetSocketAddress => address.getPort
    case other => throw new Refusal(s"the server listens on $other")
  }

  def apply(request: Request): Future[Response] = Future.value(request.uri match {
    case Service.path(meter, offer, nonce) =>
      if (request.method == Method.Get) {
        val isPacked = request.headerMap.get("Accept-Encoding").contains("gzip")
        answer(meter == "endpoint", offer, nonce, isPacked)
      } else {
        refuse(Status.MethodNotAllowed, "only GET is allowed")
      }
    case _ => refuse(Status.NotFound, "no such path")
  })

  private def answer(isEncoded: Boolean, offer: String, nonce: String, isPacked: Boolean): Response =
    try {
      Option(bodies.body(isEncoded, offer, nonce, isPacked)) match {
        case None => refuse(Status.NotFound, "no such path")
        case Some(body) => respond(body, isPacked)
      }
    } catch {
      case error @ (NonFatal(_) | _: VirtualMachineError) =>
        refuse(Status.InternalServerError, Refusal.describe(error))
    }

  private def respond(body: Bodies.Body, isPacked: Boolean): Response = {
    val response = Response()
    response.contentType = body.mediaType
    if (isPacked) {
      response.headerMap.set("Content-Encoding", "gzip")
    }
    response.content = Buf.ByteArray.Owned(body.nonce).concat(Buf.ByteArray.Owned(body.representation))
    response.contentLength = (body.nonce.length + body.representation.length).toLong
    response
  }

  private def refuse(status: Status, words: String): Response = {
    val response = Response(status)
    response.contentType = "text/plain; charset=utf-8"
    response.content = Buf.Utf8(words)
    response
  }
}

object Service {
  private val path = "/(transport|endpoint)/([^/?]*)/([^/?]*)".r
}
