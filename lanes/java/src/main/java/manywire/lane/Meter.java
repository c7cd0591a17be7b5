package manywire.lane;

import com.sun.management.ThreadMXBean;

import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Timing, CPU time, garbage collections, compilation and memory. */
final class Meter {
    /** An operation on a payload. */
    @FunctionalInterface
    interface Operation {
        Object apply(Object input) throws Exception;
    }

    private static final ThreadMXBean THREADS =
            ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();
    private static final List<GarbageCollectorMXBean> COLLECTORS =
            ManagementFactory.getGarbageCollectorMXBeans();

    /** The warm-up before allocations are counted: the optimising compiler removes some of them. */
    private static final long MEMORY_WARM_UP_NS = 100_000_000;

    private static final int MEMORY_OPERATIONS = 20;

    // Receives the results of operations, so that the compiler cannot remove them.
    private static volatile Object sink;

    private Meter() {}

    /** Runs one batch. */
    static Map<String, Object> run(Operation operation, List<?> inputs, int[] window, long repeats)
            throws Exception {
        Object[] taken = new Object[window.length];
        for (int index = 0; index < window.length; index++) {
            taken[index] = inputs.get(window[index]);
        }
        long collections = collections();
        Long cpu = CpuClock.read();
        long start = System.nanoTime();
        loop(operation, taken, repeats);
        long wall = System.nanoTime() - start;
        Long spent = CpuClock.read();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("wall_ns", wall);
        answer.put("cpu_ns", cpu == null || spent == null ? null : spent - cpu);
        answer.put("collections", collections < 0 ? null : collections() - collections);
        answer.put("compiled_ms", compiledMs());
        return answer;
    }

    private static void loop(Operation operation, Object[] inputs, long repeats) throws Exception {
        for (long repeat = 0; repeat < repeats; repeat++) {
            for (Object input : inputs) {
                sink = operation.apply(input);
            }
        }
    }

    /**
     * Returns the bytes that one operation allocates, as a mean over the inputs. Objects are not
     * counted.
     */
    static Map<String, Object> memory(Operation operation, List<?> inputs) throws Exception {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("allocs", null);
        answer.put("alloc_bytes", allocated(operation, inputs));
        answer.put("peak_bytes", null);
        return answer;
    }

    private static Double allocated(Operation operation, List<?> inputs) throws Exception {
        if (inputs.isEmpty() || !THREADS.isThreadAllocatedMemorySupported()) {
            return null;
        }
        Object[] all = inputs.toArray();
        long end = System.nanoTime() + MEMORY_WARM_UP_NS;
        do {
            loop(operation, all, 1);
        } while (System.nanoTime() < end);
        long thread = Thread.currentThread().getId();
        long before = THREADS.getThreadAllocatedBytes(thread);
        loop(operation, all, MEMORY_OPERATIONS);
        long bytes = THREADS.getThreadAllocatedBytes(thread) - before;
        return (double) bytes / MEMORY_OPERATIONS / all.length;
    }

    /** Returns the garbage collections since the process began, or {@code null} if unknown. */
    static Long collected() {
        long count = collections();
        return count < 0 ? null : count;
    }

    private static long collections() {
        long sum = 0;
        for (GarbageCollectorMXBean collector : COLLECTORS) {
            long count = collector.getCollectionCount();
            if (count < 0) {
                return -1;
            }
            sum += count;
        }
        return sum;
    }

    private static Long compiledMs() {
        boolean tells = COMPILER != null && COMPILER.isCompilationTimeMonitoringSupported();
        return tells ? COMPILER.getTotalCompilationTime() : null;
    }
}
