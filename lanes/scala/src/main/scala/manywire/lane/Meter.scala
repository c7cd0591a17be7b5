// Timing, CPU time, garbage collections, compilation and memory of operations.
package manywire.lane

import com.sun.management.ThreadMXBean
import io.circe.Json
import java.lang.management.ManagementFactory
import scala.annotation.unused
import scala.jdk.CollectionConverters._

object Meter {

  /** An operation on a payload or a value. */
  trait Operation {
    def apply(input: Any): Any
  }

  private val threads = ManagementFactory.getPlatformMXBean(classOf[ThreadMXBean])
  private val compiler = Option(ManagementFactory.getCompilationMXBean).filter(_.isCompilationTimeMonitoringSupported)
  private val collectors = ManagementFactory.getGarbageCollectorMXBeans.asScala.toList

  /** The warm-up after which the optimising compiler removes allocations. */
  private val memoryWarmUpNs = 100000000L

  private val memoryOperations = 20

  // Receives the results of operations, so that the compiler cannot remove them.
  @volatile @unused private var sink: Any = null

  /** Runs one batch: the inputs at the indexes of the window in turn, several times. */
  def run(operation: Operation, inputs: IndexedSeq[Any], window: Seq[Int], repeats: Long): Json = {
    val all: Array[Any] = window.map(inputs).toArray[Any]
    val collectionsBefore = collections()
    val cpuBefore = CpuClock.read()
    val start = System.nanoTime()
    loop(operation, all, repeats)
    val wall = System.nanoTime() - start
    val cpu = CpuClock.read()
    Json.obj(
      "wall_ns" -> Json.fromLong(wall),
      "cpu_ns" -> difference(cpu, cpuBefore),
      "collections" -> difference(collections(), collectionsBefore),
      "compiled_ms" -> optional(compiler.map(_.getTotalCompilationTime))
    )
  }

  private def loop(operation: Operation, inputs: Array[Any], repeats: Long): Unit = {
    var repeat = 0L
    while (repeat < repeats) {
      var index = 0
      while (index < inputs.length) {
        sink = operation(inputs(index))
        index += 1
      }
      repeat += 1
    }
  }

  /** Returns the bytes that one operation allocates, as a mean over the inputs. Objects are not counted. */
  def memory(operation: Operation, inputs: Seq[Any]): Json = {
    val all: Array[Any] = inputs.toArray[Any]
    val bytes = Option.when(all.nonEmpty && threads.isThreadAllocatedMemorySupported)(allocated(operation, all))
    Json.obj(
      "allocs" -> Json.Null,
      "alloc_bytes" -> bytes.fold(Json.Null)(Json.fromDoubleOrNull),
      "peak_bytes" -> Json.Null
    )
  }

  private def allocated(operation: Operation, inputs: Array[Any]): Double = {
    val end = System.nanoTime() + memoryWarmUpNs
    while (System.nanoTime() < end) {
      loop(operation, inputs, 1)
    }
    val thread = Thread.currentThread.getId
    val before = threads.getThreadAllocatedBytes(thread)
    loop(operation, inputs, memoryOperations.toLong)
    (threads.getThreadAllocatedBytes(thread) - before).toDouble / memoryOperations / inputs.length
  }

  /** Returns the garbage collections since the process began, or nothing if unknown. */
  def collections(): Option[Long] = {
    val counts = collectors.map(_.getCollectionCount)
    Option.when(counts.forall(_ >= 0))(counts.sum)
  }

  /** Returns the JSON of a number, or null if it is unknown. */
  def optional(number: Option[Long]): Json = number.fold(Json.Null)(Json.fromLong)

  /** Returns the JSON of the difference of two counters, or null if one of them is unknown. */
  def difference(later: Option[Long], earlier: Option[Long]): Json =
    optional(later.flatMap(end => earlier.map(end - _)))
}
