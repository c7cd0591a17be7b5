// An endpoint of Finch whose result is mapped.
package manywire.replay

import cats.effect.IO
import io.finch.{Endpoint, Input}
import io.finch.catsEffect._

final class Mapped {
  private val ten: Endpoint[IO, Int] = const(10)
  private val thirty: Endpoint[IO, Int] = ten.mapAsync(number => IO.pure(number + 20))
  private val root: Input = Input.get("/")

  def value(): Option[Int] = thirty(root).awaitValueUnsafe()
}
