// The subjects: those on dynamic values, and those on the types of payloads.
package manywire.lane.subjects

import com.fasterxml.jackson.module.scala.DefaultScalaModule
import com.github.plokhotnyuk.jsoniter_scala.core.JsonValueCodec
import io.bullet.borer.Dom
import io.bullet.borer.derivation.MapBasedCodecs
import io.circe.Json
import manywire.lane.Subject
import org.msgpack.core.MessagePack
import scalapb.GeneratedMessage
import upickle.AttributeTagged

object Subjects {
  val all: IndexedSeq[Subject] = Vector(
    Subject.dynamic("circe", classOf[Json], "json", CirceFromBytes),
    Subject.dynamic("circe-string", classOf[Json], "json", CirceFromString),
    Subject.dynamic("jackson-module-scala", DefaultScalaModule.getClass, "json", JacksonScala),
    Subject.dynamic("borer-core", classOf[Dom.Element], "json", BorerJson),
    Subject.dynamic("msgpack-core", classOf[MessagePack], "msgpack", MsgpackCollections),
    Subject.dynamic("msgpack-core-circe", classOf[MessagePack], "msgpack", MsgpackCirce),
    Subject.dynamic("borer-core", classOf[Dom.Element], "cbor", BorerCbor),
    Subject.typed("circe", classOf[Json], "json"),
    Subject.typed("jsoniter-scala-core", classOf[JsonValueCodec[_]], "json"),
    Subject.typed("upickle", classOf[AttributeTagged], "msgpack"),
    Subject.typed("msgpack-core", classOf[MessagePack], "msgpack"),
    Subject.typed("msgpack-core", classOf[MessagePack], "msgpack-array"),
    Subject.typed("borer-derivation", MapBasedCodecs.getClass, "cbor"),
    Subject.typed("scalapb-runtime", classOf[GeneratedMessage], "protobuf")
  )
}
