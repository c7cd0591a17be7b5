// Written by `manywire shape` for Scala 2.13 and 3. The whole value is Root.
package typed

import java.time.Instant

final case class Root(
    id: BigInt,
    least: Long,
    real: Double,
    flag: Boolean,
    `odd key`: String,
    // The key is "", which cannot be the name here.
    `empty_`: String,
    // The key is "hashCode", which cannot be the name here.
    `hashCode_`: String,
    `type`: String,
    `wait_`: String,
    count: Option[Long],
    tags: List[String],
    matrix: List[List[Long]],
    place: Place,
    places: Option[List[RootPlace]] = None,
    by: Map[String, By],
    // an array of (a boolean or text or bytes or an integer or an array of (an integer or a float) or null).
    mixed: List[Option[Any]],
    parser: Parser,
    nothing: Any,
    ratio: Option[Float] = None,
    at: Option[Instant] = None,
    data: Option[Array[Byte]] = None
)

final case class Place(
    lat: Double,
    name: String,
    has_name: Boolean
)

final case class RootPlace(
    lat: Double,
    name: String,
    has_name: Option[Boolean] = None
)

final case class By(
    n: Long
)

final case class Parser(
    value: Long,
    next: Option[Parser]
)
