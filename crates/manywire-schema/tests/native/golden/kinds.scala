// Written by `manywire shape` for Scala 2.13 and 3. The whole value is Kinds.

/** Of every kind one. * / // """ \u002a */
final case class Kinds(
    small: Short,
    sizes: Option[List[Short]] = None,
    letter: String,
    color: Color,
    pair: (String, Long),
    square: List[Double],
    // text or an integer or null.
    one: Option[Any],
    any: Any,
    external: List[External],
    whole: Option[Whole] = None,
    internal: List[Internal],
    adjacent: List[Adjacent],
    byNumber: Map[Long, String],
    byColor: Map[Color, Boolean],
    nested: Option[List[Any]] = None,
    open: Option[Open] = None,
    tree: Option[Tree] = None
)

sealed trait Color extends Product with Serializable

object Color {
  case object red extends Color

  case object `dark green` extends Color

  // The key is "", which cannot be the name here.
  case object `empty_` extends Color

  case object `class` extends Color
}

// One key, or a name alone: "none", "circle" with Circle, "a box" with Box
sealed trait External extends Product with Serializable

object External {
  case object none extends External

  final case class circle(
      radius: Double
  ) extends External

  final case class `a box`(
      width: Double,
      label: Option[String] = None
  ) extends External
}

// One of the fields is there.
final case class Whole(
    circle: Option[Circle] = None,
    number: Option[Long] = None
)

// The key "kind" says which: "circle" with Circle2, "a box" with ABox
sealed trait Internal extends Product with Serializable

object Internal {
  final case class circle(
      radius: Double
  ) extends Internal

  final case class `a box`(
      width: Double
  ) extends Internal
}

// The key "t" says what "c" is: "circle" with Circle, "text" with text
sealed trait Adjacent extends Product with Serializable

object Adjacent {
  final case class circle(
      c: Circle
  ) extends Adjacent

  final case class text(
      c: String
  ) extends Adjacent
}

final case class Open(
    id: Long
    // Other keys, which a derived codec ignores, hold text.
)

final case class Tree(
    left: Option[Tree],
    right: Option[Tree] = None
)

final case class Circle(
    radius: Double
)

final case class Box(
    width: Double,
    label: Option[String] = None
)

final case class Circle2(
    radius: Double
)

final case class ABox(
    width: Double
)
