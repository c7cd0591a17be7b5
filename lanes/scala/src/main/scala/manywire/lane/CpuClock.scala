// The CPU time of all threads of this process. On Linux the runtime's own clock counts hundredths of a second,
// which is twenty times as long as a batch. The system clock, which is used instead, counts nanoseconds.
package manywire.lane

import com.sun.jna.{Native, Platform}
import com.sun.management.OperatingSystemMXBean
import java.lang.management.ManagementFactory

object CpuClock {
  private val runtime = ManagementFactory.getPlatformMXBean(classOf[OperatingSystemMXBean])

  private val linux: Option[Linux] =
    try {
      Option.when(Platform.isLinux && Native.LONG_SIZE == java.lang.Long.BYTES) {
        Native.register(classOf[Linux], "c")
        new Linux
      }
    } catch {
      case _: LinkageError => None
    }

  /** Returns nanoseconds since the process began, or nothing if unknown. */
  def read(): Option[Long] = linux match {
    case Some(system) =>
      val time = new Array[Long](2)
      Option.when(system.clock_gettime(Linux.ProcessCpuTime, time) == 0)(time(0) * 1000000000L + time(1))
    case None => Some(runtime.getProcessCpuTime).filter(_ >= 0)
  }

  private object Linux {
    val ProcessCpuTime = 2
  }

  /** The functions of `time.h`, by their names there. A time is a pair of seconds and nanoseconds. */
  private final class Linux {
    @native def clock_gettime(clock: Int, time: Array[Long]): Int
  }
}
