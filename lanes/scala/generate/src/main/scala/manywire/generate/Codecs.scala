// Writes the codecs of each library for the types of payloads. The types are imported, and all else has a full name,
// because a type may have any name.
package manywire.generate

object Codecs {

  /** Returns the source of `manywire.payload.Payload`, which the lane loads. `root` is the type of the whole value. */
  def write(records: Vector[Record], root: String): String =
    s"""package manywire.payload
       |
       |import _root_.java.time.Instant
       |import _root_.typed._
       |
       |${circe(records, root)}
       |
       |${jsoniter(records, root)}
       |
       |${new MsgpackCodecs(isArray = false).write(records, root)}
       |
       |${new MsgpackCodecs(isArray = true).write(records, root)}
       |
       |final class Payload extends _root_.manywire.lane.typed.Payload {
       |  def keys: _root_.scala.Predef.Map[_root_.java.lang.Class[_], _root_.scala.IndexedSeq[_root_.java.lang.String]] =
       |    _root_.scala.Predef.Map(
       |${records.map(keys).mkString(",\n")}
       |    )
       |
       |  def coder(library: _root_.java.lang.String, format: _root_.java.lang.String): _root_.manywire.lane.Coder =
       |    (library, format) match {
       |      case ("circe", _) => Circe.coder
       |      case ("jsoniter-scala-core", _) => Jsoniter.coder
       |      case ("msgpack-core", "msgpack") => MsgpackMap.coder
       |      case ("msgpack-core", "msgpack-array") => MsgpackArray.coder
       |    }
       |}
       |""".stripMargin

  /** Writes the keys of a class, in the order of its fields. */
  private def keys(record: Record): String = {
    val keys = record.fields.map(field => Types.literal(field.key)).mkString(", ")
    s"      classOf[${record.name}] -> _root_.scala.Vector($keys)"
  }

  private def circe(records: Vector[Record], root: String): String = {
    val codecs = records.zipWithIndex.map { case (record, index) =>
      val derived = s"_root_.io.circe.generic.semiauto.deriveCodec[${record.name}]"
      val codec =
        if (record.renamed.isEmpty) derived
        else s"_root_.manywire.lane.typed.CirceTyped.renamed($derived, ${renamed(record)})"
      s"  implicit lazy val codec$index: _root_.io.circe.Codec.AsObject[${record.name}] = $codec"
    }
    s"""object Circe {
       |  import _root_.manywire.lane.typed.CirceTyped._
       |
       |${codecs.mkString("\n\n")}
       |
       |  def coder: _root_.manywire.lane.Coder =
       |    new _root_.manywire.lane.typed.CirceTyped[$root](${records.exists(_.fields.exists(_.isOptional))})
       |}""".stripMargin
  }

  /** Writes the fields with other names as a map from the name to the key. */
  private def renamed(record: Record): String = {
    val pairs = record.renamed.map(field => s"${Types.literal(field.plainName)} -> ${Types.literal(field.key)}")
    s"_root_.scala.Predef.Map(${pairs.mkString(", ")})"
  }

  private def jsoniter(records: Vector[Record], root: String): String = {
    val names = records.flatMap(_.renamed).distinctBy(_.plainName)
    val cases = names.map(field => s"case ${Types.literal(field.plainName)} => ${Types.literal(field.key)}")
    val mapper = if (names.isEmpty) "" else s".withFieldNameMapper { ${cases.mkString("; ")} }"
    // The macro evaluates its configuration, so it is an argument and not a value of the lane.
    s"""object Jsoniter {
       |  import _root_.manywire.lane.typed.JsoniterTyped._
       |
       |  val codec: _root_.com.github.plokhotnyuk.jsoniter_scala.core.JsonValueCodec[$root] =
       |    _root_.com.github.plokhotnyuk.jsoniter_scala.macros.JsonCodecMaker.make[$root](
       |      _root_.com.github.plokhotnyuk.jsoniter_scala.macros.CodecMakerConfig
       |        .withAllowRecursiveTypes(true)
       |        .withTransientNone(false)
       |        .withTransientEmpty(false)
       |        .withRequireCollectionFields(true)
       |        .withMapMaxInsertNumber(_root_.scala.Int.MaxValue)$mapper
       |    )
       |
       |  def coder: _root_.manywire.lane.Coder = new _root_.manywire.lane.typed.JsoniterTyped[$root](codec)
       |}""".stripMargin
  }
}
