// Loads Finch, its Finagle and its circe, which need another version of Scala, beside the lane.
package manywire.lane.http

import java.net.URLClassLoader
import java.nio.file.{Files, Path}
import manywire.bridge.Stack
import manywire.lane.Refusal

object OtherStack {

  /** The program that has them, in the folder of the lane. Its manifest names its libraries. */
  private val program = Path.of("replay", "finch", "target", "finch.jar")

  /** Loads the libraries. They see the classes of Java and of `manywire.bridge`, and none of the lane. */
  def load(): Stack = {
    if (!Files.isRegularFile(program)) {
      throw new Refusal(s"$program is missing: sh replay/build.sh builds it")
    }
    val loader = new URLClassLoader(Array(program.toUri.toURL), new BridgeLoader)
    // Finagle finds its parts by the loader of the thread.
    Thread.currentThread.setContextClassLoader(loader)
    loader.loadClass("manywire.finch.FinchStack").getDeclaredConstructor().newInstance().asInstanceOf[Stack]
  }

  private final class BridgeLoader extends ClassLoader(ClassLoader.getPlatformClassLoader) {
    override protected def findClass(name: String): Class[_] =
      if (name.startsWith("manywire.bridge.")) classOf[Stack].getClassLoader.loadClass(name)
      else throw new ClassNotFoundException(name)
  }
}
