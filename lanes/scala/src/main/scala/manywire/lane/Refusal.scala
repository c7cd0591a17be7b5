// The error that the lane itself raises, unlike those of libraries.
package manywire.lane

/** An error of the lane, with a message for people. */
final class Refusal(message: String) extends RuntimeException(message)

object Refusal {

  /** Describes an error and its first cause, in one line. */
  def describe(error: Throwable): String = {
    // Limits the number of causes, because a chain may be cyclic.
    val chain = Iterator.iterate(error)(_.getCause).take(8).takeWhile(_ != null).toList
    val cause = chain.last
    if (cause eq error) words(error) else words(error) + ": " + words(cause)
  }

  private def words(error: Throwable): String = {
    val name = error.getClass.getSimpleName
    val message = Option(error.getMessage).flatMap(_.linesIterator.nextOption())
    error match {
      case _: Refusal => message.getOrElse(name)
      case _ => message.fold(name)(name + ": " + _)
    }
  }
}
