// Writes the codecs around msgpack-core: for each class the code that a program has that uses the library.
package manywire.generate

/** The codecs with records as maps, or as arrays of their fields. */
final class MsgpackCodecs(isArray: Boolean) {
  import MsgpackCodecs._

  /** Returns the object with the codecs and the coder. */
  def write(records: Vector[Record], root: String): String = {
    val name = if (isArray) "MsgpackArray" else "MsgpackMap"
    s"""object $name {
       |  import _root_.manywire.lane.typed.MsgpackTyped._
       |
       |${records.zipWithIndex.map { case (record, index) => codec(record, index) }.mkString("\n\n")}
       |
       |  def coder: _root_.manywire.lane.Coder =
       |    new _root_.manywire.lane.typed.MsgpackTyped[$root](_root_.scala.Predef.implicitly[$codecType[$root]])
       |}""".stripMargin
  }

  private def codec(record: Record, index: Int): String = {
    val fields = record.fields.zipWithIndex.map { case (field, at) => new Part(field, at) }
    s"""  implicit lazy val record$index: $codecType[${record.name}] = new $codecType[${record.name}] {
       |${fields.flatMap(_.declaration).mkString}
       |    def pack(out: _root_.org.msgpack.core.MessagePacker, value: ${record.name}): _root_.scala.Unit = {
       |${if (isArray) packArray(fields) else packMap(fields)}
       |      ()
       |    }
       |
       |    def unpack(in: _root_.org.msgpack.core.MessageUnpacker): ${record.name} = {
       |${if (isArray) unpackArray(fields) else unpackMap(fields)}
       |      new ${record.name}(${fields.map(_.variable).mkString(", ")})
       |    }
       |  }""".stripMargin
  }

  private def packMap(fields: Vector[Part]): String = {
    val absent = fields.filter(_.field.isOptional).map(part => s"      if (${part.access}.isEmpty) count -= 1\n")
    val writes = fields.map { part =>
      val write = s"out.packString(${part.key}); ${part.pack}"
      if (part.field.isOptional) s"      if (!${part.access}.isEmpty) { $write }\n" else s"      $write\n"
    }
    s"      var count = ${fields.size}\n${absent.mkString}      out.packMapHeader(count)\n${writes.mkString}"
  }

  private def packArray(fields: Vector[Part]): String =
    s"      out.packArrayHeader(${fields.size})\n${fields.map(part => s"      ${part.pack}\n").mkString}"

  private def unpackMap(fields: Vector[Part]): String = {
    val variables = fields.map { part =>
      val presence = if (part.isRequired) s"      var has${part.at} = false\n" else ""
      s"      var ${part.variable}: ${part.field.tpe} = ${part.initial}\n$presence"
    }
    val cases = fields.map { part =>
      val presence = if (part.isRequired) s"; has${part.at} = true" else ""
      s"          case ${part.key} => ${part.variable} = ${part.unpack}$presence\n"
    }
    val missing = fields.filter(_.isRequired).map(part => s"      if (!has${part.at}) missing(${part.key})\n")
    s"""${variables.mkString}      var left = in.unpackMapHeader()
       |      while (left > 0) {
       |        in.unpackString() match {
       |${cases.mkString}          case _ => in.skipValue()
       |        }
       |        left -= 1
       |      }
       |${missing.mkString}""".stripMargin
  }

  private def unpackArray(fields: Vector[Part]): String = {
    val items = fields.map { part =>
      val absent = if (part.isRequired) s"missing(${part.key})" else part.initial
      s"      val ${part.variable}: ${part.field.tpe} = if (count > ${part.at}) ${part.unpack} else $absent\n"
    }
    s"      val count = arrayHeader(in, ${fields.size})\n${items.mkString}"
  }
}

object MsgpackCodecs {
  private val codecType = "_root_.manywire.lane.typed.MsgpackCodec"

  /** The types that the library itself reads and writes. */
  private val methods = Map("Boolean" -> "Boolean", "Int" -> "Int", "Long" -> "Long", "String" -> "String")

  /** A field with its position. */
  private final class Part(val field: Field, val at: Int) {
    def key: String = Types.literal(field.key)

    def variable: String = s"field$at"

    def access: String = s"value.${field.name}"

    /** Returns the codec of the field, if the library does not read and write its type. */
    def declaration: Option[String] = Option.unless(methods.contains(field.tpe)) {
      s"    private lazy val codec$at = _root_.scala.Predef.implicitly[$codecType[${field.tpe}]]\n"
    }

    def pack: String =
      methods.get(field.tpe).fold(s"codec$at.pack(out, $access)")(method => s"out.pack$method($access)")

    def unpack: String = methods.get(field.tpe).fold(s"codec$at.unpack(in)")(method => s"in.unpack$method()")

    private def isOption: Boolean = field.tpe.startsWith("Option[")

    def isRequired: Boolean = field.default.isEmpty && !isOption && field.tpe != "Any"

    def initial: String =
      field.default.getOrElse(if (isOption) "None" else s"null.asInstanceOf[${field.tpe}]")
  }
}
