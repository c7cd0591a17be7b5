// Typed values, and their digests.
package manywire.lane.typed

import manywire.lane.Coder
import manywire.lane.subjects.{MsgpackCollections, MsgpackExtension}
import scala.collection.mutable

/** The coder of a library on the types of payloads. */
trait TypedCoder extends Coder {
  override def plain(value: Any): Any = TypedValues.plain(value)
}

object TypedValues {

  /** Converts a typed value to Scala collections, for digests. Values of the type Any have been read as such. */
  def plain(value: Any): Any = value match {
    case None => null
    case Some(inner) => plain(inner)
    case number: Byte => number.toLong
    case number: Short => number.toLong
    case items: collection.Seq[_] => items.map(plain)
    case entries: collection.Map[_, _] =>
      val all = mutable.LinkedHashMap.empty[Any, Any]
      entries.foreachEntry((key, item) => all.put(key, plain(item)))
      all
    case extension: MsgpackExtension => MsgpackCollections.plain(extension)
    case record: Product =>
      Payload.loaded.keys(record.getClass).zip(record.productIterator.map(plain)).toMap
    case _ => value
  }
}
