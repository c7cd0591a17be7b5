// The case classes that `manywire shape --as scala` wrote.
package manywire.generate

/** A field of a case class: its name as it is written in Scala, its key in the data, its type and its default. */
final case class Field(name: String, key: String, tpe: String, default: Option[String]) {

  /** Returns whether the field is left out if there is no value. */
  def isOptional: Boolean = default.contains("None")

  /** Returns the name without backquotes. */
  def plainName: String = Types.plain(name)
}

/** A case class with its fields. */
final case class Record(name: String, fields: Vector[Field]) {

  /** Returns the fields whose keys cannot be names in Scala. */
  def renamed: Vector[Field] = fields.filter(field => field.plainName != field.key)
}

object Types {
  private val emptyClass = "final case class ([^(]+)\\(\\)".r
  private val classStart = "final case class ([^(]+)\\(".r
  private val field = "    (`[^`]*`|[A-Za-z0-9_]+): ([^=]*?)(?: = (.*?))?,?".r
  private val otherKey = """ *// The key is "(.*)", which cannot be the name here\.""".r

  /** Reads the file. Payloads with sum types get no types in lanes, so every type is a case class. */
  def read(text: String): Vector[Record] = {
    val records = Vector.newBuilder[Record]
    val fields = Vector.newBuilder[Field]
    var name = ""
    var key: Option[String] = None
    text.linesIterator.foreach {
      case emptyClass(empty) => records += Record(empty, Vector.empty)
      case classStart(started) => name = started
      case ")" =>
        records += Record(name, fields.result())
        fields.clear()
      case otherKey(quoted) => key = Some(unescape(quoted))
      case field(written, tpe, default) =>
        fields += Field(written, key.getOrElse(plain(written)), tpe, Option(default))
        key = None
      case _ =>
    }
    records.result()
  }

  /** Returns a name without backquotes and escapes. */
  def plain(name: String): String =
    if (name.startsWith("`")) unescape(name.substring(1, name.length - 1)) else name

  /** Returns text as a literal of Scala. */
  def literal(text: String): String = {
    val out = new StringBuilder("\"")
    text.foreach {
      case char @ ('"' | '\\') => out += '\\' += char
      case char if char < ' ' || char > '~' => out ++= f"\\u${char.toInt}%04x"
      case char => out += char
    }
    (out += '"').result()
  }

  private def unescape(text: String): String = StringContext.processEscapes(text)
}
