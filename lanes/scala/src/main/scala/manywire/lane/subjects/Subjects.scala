// The subjects, in the order of lane.toml.
package manywire.lane.subjects

import com.fasterxml.jackson.module.scala.DefaultScalaModule
import io.bullet.borer.Dom
import io.circe.Json
import manywire.lane.Subject
import org.msgpack.core.MessagePack

object Subjects {
  val all: IndexedSeq[Subject] = Vector(
    Subject.of("circe", classOf[Json], "json", CirceFromBytes),
    Subject.of("circe-string", classOf[Json], "json", CirceFromString),
    Subject.of("jackson-module-scala", DefaultScalaModule.getClass, "json", JacksonScala),
    Subject.of("borer-core", classOf[Dom.Element], "json", BorerJson),
    Subject.of("msgpack-core", classOf[MessagePack], "msgpack", MsgpackCollections),
    Subject.of("msgpack-core-circe", classOf[MessagePack], "msgpack", MsgpackCirce),
    Subject.of("borer-core", classOf[Dom.Element], "cbor", BorerCbor)
  )
}
