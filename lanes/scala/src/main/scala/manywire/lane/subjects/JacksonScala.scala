// jackson-module-scala: JSON as immutable Map and List, with boxed scalars.
package manywire.lane.subjects

import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule
import manywire.lane.Coder

object JacksonScala extends Coder {
  private val mapper = JsonMapper.builder().addModule(DefaultScalaModule).build()
  private val reader = mapper.readerFor(classOf[Any])
  private val writer = mapper.writer()

  def check(payload: Array[Byte]): Unit = JsonText.check(payload)

  def decode(payload: Array[Byte]): Any = reader.readValue[Any](payload)

  def encode(value: Any): Array[Byte] = writer.writeValueAsBytes(value)
}
