// Endpoints of Finch whose result is mapped.
package manywire.replay

import cats.effect.IO
import io.finch.{Endpoint, Input, Ok}
import io.finch.catsEffect._

final class Mapped {
  private val ten: Endpoint[IO, Int] = const(10)
  private val thirty: Endpoint[IO, Int] = ten.mapAsync(number => IO.pure(number + 20))
  private val twenty: Endpoint[IO, Int] = ten.mapOutputAsync(number => IO.pure(Ok(number + 10)))
  private val root: Input = Input.get("/")

  /** Returns the value that a function makes of another. */
  def value(): Option[Int] = thirty(root).awaitValueUnsafe()

  /** Returns the value of the response that a function makes of a value. */
  def output(): Option[Int] = twenty(root).awaitValueUnsafe()
}
