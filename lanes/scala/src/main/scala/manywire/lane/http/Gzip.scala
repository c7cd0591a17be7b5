// gzip at level 6, the usual default.
package manywire.lane.http

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.util.zip.{GZIPInputStream, GZIPOutputStream}

object Gzip {

  /** Compresses. */
  def deflate(plain: Array[Byte]): Array[Byte] = {
    val packed = new ByteArrayOutputStream
    val out = new GZIPOutputStream(packed)
    try out.write(plain)
    finally out.close()
    packed.toByteArray
  }

  /** Decompresses. */
  def inflate(packed: Array[Byte]): Array[Byte] = {
    val in = new GZIPInputStream(new ByteArrayInputStream(packed))
    try in.readAllBytes()
    finally in.close()
  }
}
