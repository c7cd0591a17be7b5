// The circe that Finch depends on, behind the bridge.
package manywire.lane.subjects

import manywire.bridge.Stack
import manywire.lane.Coder

final class OtherCirce(stack: Stack) extends Coder {
  def decode(payload: Array[Byte]): Any = stack.decode(payload)

  def encode(value: Any): Array[Byte] = stack.encode(value.asInstanceOf[AnyRef])

  // The lane has no class of the value, so its own circe reads what the other wrote.
  override def plain(value: Any): Any = CirceFromBytes.plain(CirceFromBytes.decode(encode(value)))

  def check(payload: Array[Byte]): Unit = JsonText.check(payload)
}
