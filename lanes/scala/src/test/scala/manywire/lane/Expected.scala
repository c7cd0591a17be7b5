// The expected digest of a JSON document, implemented independently from CONTRACT.md, on the tree of Jackson.
package manywire.lane

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import java.math.BigDecimal
import java.nio.ByteBuffer
import java.security.MessageDigest
import manywire.lane.LaneProcess.utf8
import scala.jdk.CollectionConverters._

object Expected {
  private val mapper = new ObjectMapper

  def digest(text: Array[Byte]): String = sha256(form(mapper.readTree(text)))

  def sha256(form: Array[Byte]): String = LaneProcess.hex(MessageDigest.getInstance("SHA-256").digest(form))

  private def form(node: JsonNode): Array[Byte] =
    if (node.isNull) {
      utf8("n")
    } else if (node.isBoolean) {
      utf8(if (node.booleanValue) "t" else "f")
    } else if (node.isNumber) {
      val exact = node.decimalValue
      val isWhole = exact.stripTrailingZeros.scale <= 0 && exact.abs.compareTo(BigDecimal.valueOf(Long.MaxValue)) <= 0
      if (isWhole) utf8(s"i${exact.toBigIntegerExact};")
      else ByteBuffer.allocate(9).put('d'.toByte).putDouble(node.doubleValue).array
    } else if (node.isTextual) {
      text(node.textValue)
    } else if (node.isArray) {
      node.elements.asScala.map(form).foldLeft(utf8(s"a${node.size}:"))(_ ++ _)
    } else {
      val entries = node.properties.asScala.toVector
        .filterNot(_.getValue.isNull)
        .map(entry => (LaneProcess.hex(text(entry.getKey)), text(entry.getKey) ++ form(entry.getValue)))
      entries.sortBy(_._1).map(_._2).foldLeft(utf8(s"m${entries.size}:"))(_ ++ _)
    }

  private def text(text: String): Array[Byte] = {
    val content = utf8(text)
    utf8(s"s${content.length}:") ++ content
  }
}
