// The servers of the lane, by the names of lane.toml, and the subjects that each of them offers.
package manywire.lane

import manywire.bridge.Bodies
import manywire.lane.http.{OtherStack, Service}
import manywire.lane.subjects.{OtherCirce, Subjects}

/** A server with its subjects. `start` returns the port. */
final class Program(
    val server: String,
    val scala: String,
    val subjects: IndexedSeq[Subject],
    val start: Bodies => Int
)

object Program {

  /** The lane itself: every library, and Finagle in its version. */
  def own: Program =
    new Program("finagle-http", util.Properties.versionNumberString, Subjects.all, bodies => new Service(bodies).port)

  /** Returns Finch, or Finagle alone in the version below Finch. Both have the circe of Finch. */
  def named(server: String): Program = server match {
    case "finch" | "finagle" =>
      val stack = OtherStack.load()
      val circe = Subject("circe", stack.circeVersion, "json", "dynamic", _ => new OtherCirce(stack))
      new Program(server, stack.scalaVersion, Vector(circe), bodies => stack.start(server, bodies))
    case _ => throw new Refusal(s"no server $server, expected finch or finagle")
  }
}
