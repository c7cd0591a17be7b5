// The types of payloads, which are compiled separately.
package manywire.lane.typed

import manywire.lane.{Coder, Refusal, Schema}

/** The codecs of every library for the types of payloads. `generate/` writes the only class that extends it. */
trait Payload {

  /** Returns the keys of the fields of each class, in their order. */
  def keys: Map[Class[_], IndexedSeq[String]]

  /** Returns the coder of a library in a format. `schema` is the model of the messages. */
  def coder(library: String, format: String, schema: Schema): Coder
}

object Payload {
  lazy val loaded: Payload =
    try Class.forName("manywire.codecs.Payload").getConstructor().newInstance().asInstanceOf[Payload]
    catch {
      case _: ClassNotFoundException => throw new Refusal("the lane was built without types of the payloads")
    }
}
