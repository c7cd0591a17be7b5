// The check of JSON at `load`, outside of what is measured. circe replaces invalid UTF-8, Jackson ignores what follows
// a value, and all libraries write recursively, so that a deep value would overflow the stack.
package manywire.lane.subjects

import manywire.lane.Refusal

object JsonText {

  /** The maximum nesting, which is Jackson's. */
  val levelsMax = 1000

  /** Throws unless the bytes are one JSON value in UTF-8 with at most `levelsMax` levels. */
  def check(payload: Array[Byte]): Unit = {
    Utf8.check(payload, 0, payload.length)
    levels(payload)
    io.circe.jawn.parseByteArray(payload).left.foreach(failure => throw failure)
  }

  private def levels(payload: Array[Byte]): Unit = {
    var depth = 0
    var isText = false
    var index = 0
    while (index < payload.length) {
      payload(index) match {
        case '\\' if isText => index += 1
        case '"' => isText = !isText
        case '[' | '{' if !isText =>
          depth += 1
          if (depth > levelsMax) {
            throw new Refusal(s"more than $levelsMax levels of nesting at byte $index")
          }
        case ']' | '}' if !isText => depth -= 1
        case _ =>
      }
      index += 1
    }
  }
}
