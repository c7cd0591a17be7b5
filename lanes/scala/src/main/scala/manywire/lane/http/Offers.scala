// The offers of the verb serve, with their bodies and the number of responses.
package manywire.lane.http

import java.nio.charset.StandardCharsets
import java.util.concurrent.atomic.AtomicLong
import manywire.bridge.Bodies
import manywire.lane.Loaded

/** An offered subject with the bodies of the transport meter. */
final class Offer(val mediaType: String, loaded: Loaded) {
  private val plain = loaded.values.indices.map(represent(_, isPacked = false))
  private val packed = loaded.values.indices.map(represent(_, isPacked = true))

  def isEmpty: Boolean = plain.isEmpty

  def representation(isEncoded: Boolean, nonce: String, isPacked: Boolean): Array[Byte] = {
    val index = Integer.remainderUnsigned(Integer.parseUnsignedInt(nonce.substring(8), 16), plain.size)
    if (isEncoded) represent(index, isPacked)
    else if (isPacked) packed(index)
    else plain(index)
  }

  private def represent(index: Int, isPacked: Boolean): Array[Byte] = {
    val bytes = loaded.coder.encode(loaded.values(index))
    if (isPacked) Gzip.deflate(bytes) else bytes
  }
}

final class Offers(offers: IndexedSeq[Offer]) extends Bodies {
  private val count = new AtomicLong

  /** Returns the number of bodies, one for each request answered with 200. */
  def answered: Long = count.get

  def body(isEncoded: Boolean, offer: String, nonce: String, isPacked: Boolean): Bodies.Body =
    find(offer).filter(_ => Offers.isNonce(nonce)) match {
      case None => null
      case Some(found) =>
        val representation = found.representation(isEncoded, nonce, isPacked)
        count.incrementAndGet()
        new Bodies.Body(found.mediaType, nonce.getBytes(StandardCharsets.ISO_8859_1), representation)
    }

  private def find(offer: String): Option[Offer] =
    if (offer.isEmpty || offer.length > 6 || !offer.forall(Character.isDigit)) None
    else offers.lift(offer.toInt).filterNot(_.isEmpty)
}

object Offers {
  private def isNonce(text: String): Boolean =
    text.length == 16 && text.forall(digit => (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f'))
}
