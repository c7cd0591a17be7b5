// Written by `manywire shape` for Scala 2.13 and 3. The whole value is Root.

final case class Root(
    // The key is "", which cannot be the name here.
    `empty_`: Long,
    `odd key`: Long,
    `class`: Long,
    Class: Long,
    CLASS: Long,
    self: Long,
    Self: String,
    `type`: String,
    `import`: Boolean,
    int: Long,
    list: List[String],
    `naïve`: Long,
    `名前`: String,
    `имя`: String,
    `a-b`: Long,
    a_b: Long,
    aB: Long,
    `1st`: Long,
    `quote"`: Long,
    `back\\slash`: Long,
    `it's`: Long,
    `comma,`: Long,
    `\u0060tick\u0060`: Long,
    `xml:lang`: String,
    `tab\t`: Long,
    `line\nfeed`: Long,
    `emoji😀`: Long,
    `rtl\u202e`: Long,
    `\\u0022`: Long,
    `$ref`: String,
    `-`: Long,
    // The key is "_", which cannot be the name here.
    `__`: Long,
    `__proto__`: Long,
    constructor: Long,
    // The key is "hashCode", which cannot be the name here.
    `hashCode_`: Long,
    // The key is "toString", which cannot be the name here.
    `toString_`: String,
    `*/`: String,
    userId: Long,
    http_url: String,
    nothing: Any,
    unsigned: BigInt,
    least: Long,
    // an array of (a float or a boolean or text or an array of (an integer) or Mixed or null).
    mixed: List[Option[Any]],
    numbers: List[Double],
    empty: List[Any],
    emptyObject: EmptyObject,
    matrix: List[List[Long]],
    maybe: List[Maybe],
    byNumber: Map[String, ByNumber],
    String: String2,
    Option: Option2,
    tree: Tree,
    chain: Chain
)

final case class Mixed(
    b: Long
)

final case class EmptyObject()

final case class Maybe(
    x: Option[Long],
    y: Option[String] = None
)

final case class ByNumber(
    n: Long
)

final case class String2(
    Object: Object2
)

final case class Option2(
    Vec: Vec
)

final case class Tree(
    name: String,
    children: List[Tree]
)

final case class Chain(
    value: Long,
    next: Option[Chain]
)

final case class Object2(
    List: List2
)

final case class Vec(
    Box: Boolean
)

final case class List2(
    Map: Long
)
