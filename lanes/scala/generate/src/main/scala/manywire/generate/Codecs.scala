// Writes the codecs of each library for the types of payloads. The types are imported, and all else has a full name,
// because a type may have any name.
package manywire.generate

object Codecs {

  /**
   * Returns the source of `manywire.codecs.Payload`, which the lane loads. `root` is the type of the whole value, and
   * `message` the name of its message, which is empty if there is none.
   */
  def write(records: Vector[Record], root: String, message: String): String =
    s"""package manywire.codecs
       |
       |import _root_.java.time.Instant
       |import _root_.typed._
       |
       |${circe(records, root)}
       |
       |${jsoniter(records, root)}
       |
       |${keyed(records)}
       |
       |${borer(records, root)}
       |
       |${upickle(records, root)}
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
       |  def coder(
       |      library: _root_.java.lang.String,
       |      format: _root_.java.lang.String,
       |      schema: _root_.manywire.lane.Schema
       |  ): _root_.manywire.lane.Coder =
       |    (library, format) match {
       |      case ("circe", _) => Circe.coder
       |      case ("jsoniter-scala-core", _) => Jsoniter.coder
       |      case ("borer-derivation", _) => Borer.coder
       |      case ("upickle", _) => Upickle.coder
       |      case ("msgpack-core", "msgpack") => MsgpackMap.coder
       |      case ("msgpack-core", "msgpack-array") => MsgpackArray.coder
       |      case ("scalapb-runtime", _) => ${scalapb(message)}
       |    }
       |}
       |""".stripMargin

  private def scalapb(message: String): String =
    if (message.isEmpty) "throw new _root_.manywire.lane.Refusal(\"Protocol Buffers cannot represent the payloads\")"
    else s"new _root_.manywire.lane.typed.ScalapbTyped(_root_.manywire.payload.$message, schema)"

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

  /**
   * Writes a class with annotations for each class with a key that cannot be a name, because the macros of some libraries
   * read other keys from annotations only.
   */
  private def keyed(records: Vector[Record]): String = {
    val classes = records.zipWithIndex.filter(_._1.renamed.nonEmpty).map { case (record, index) =>
      val fields = record.fields.map { field =>
        val key = Types.literal(field.key)
        val keys = s"@_root_.io.bullet.borer.derivation.key($key) @_root_.upickle.implicits.key($key)"
        s"      $keys ${field.name}: ${field.tpe}${field.default.fold("")(" = " + _)}"
      }
      def all(value: String): String = record.fields.map(field => s"$value.${field.name}").mkString(", ")
      s"""  final case class Keyed$index(
         |${fields.mkString(",\n")}
         |  )
         |
         |  def toKeyed$index(value: ${record.name}): Keyed$index = new Keyed$index(${all("value")})
         |
         |  def ofKeyed$index(value: Keyed$index): ${record.name} = new ${record.name}(${all("value")})
         |""".stripMargin
    }
    s"object Keyed {\n${classes.mkString("\n")}}"
  }

  private def borer(records: Vector[Record], root: String): String = {
    val codecs = records.zipWithIndex.map { case (record, index) =>
      def derived(name: String) = s"_root_.io.bullet.borer.derivation.MapBasedCodecs.deriveCodec[$name]"
      val codec =
        if (record.renamed.isEmpty) derived(record.name)
        else s"{ val keyed = ${derived(s"Keyed.Keyed$index")}; " +
          s"codec(keyed.encoder.contramap(Keyed.toKeyed$index(_)), keyed.decoder.map(Keyed.ofKeyed$index(_))) }"
      s"  implicit lazy val codec$index: _root_.io.bullet.borer.Codec[${record.name}] = $codec"
    }
    s"""object Borer {
       |  import _root_.manywire.lane.typed.BorerTyped._
       |
       |${codecs.mkString("\n\n")}
       |
       |  def coder: _root_.manywire.lane.Coder = new _root_.manywire.lane.typed.BorerTyped[$root]
       |}""".stripMargin
  }

  /** Writes an object whose members have the names of uPickle, so that types have names that it does not hide. */
  private def upickle(records: Vector[Record], root: String): String = {
    val codecs = records.zipWithIndex.map { case (record, index) =>
      val name = s"_root_.typed.${record.name}"
      val codec =
        if (record.renamed.isEmpty) s"macroRW[$name]"
        else s"macroRW[Keyed.Keyed$index].bimap[$name](Keyed.toKeyed$index(_), Keyed.ofKeyed$index(_))"
      s"  implicit lazy val codec$index: ReadWriter[$name] = $codec"
    }
    s"""object Root {
       |  type Value = $root
       |}
       |
       |object Upickle extends _root_.manywire.lane.typed.UpickleTyped {
       |${codecs.mkString("\n\n")}
       |
       |  def coder: _root_.manywire.lane.Coder = coderOf[_root_.manywire.codecs.Root.Value]
       |}""".stripMargin
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
