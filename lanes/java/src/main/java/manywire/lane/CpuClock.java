package manywire.lane;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import com.sun.management.OperatingSystemMXBean;

import java.lang.management.ManagementFactory;

/**
 * The CPU time of all threads of this process.
 *
 * <p>On Linux, the Java runtime reports this time in steps of 10 ms, and a batch may take only 0.5 ms.
 * Therefore {@code clock_gettime} is called there, which has a resolution of nanoseconds. If it
 * cannot be called, and on other systems, the time is that of the Java runtime.
 */
final class CpuClock {
    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final boolean IS_PRECISE = isPrecise();

    private CpuClock() {}

    /** Returns nanoseconds since the process began, or {@code null} if unknown. */
    static Long read() {
        if (IS_PRECISE) {
            long[] time = new long[2];
            return Linux.clock_gettime(Linux.PROCESS_CPUTIME, time) == 0
                    ? time[0] * 1_000_000_000 + time[1]
                    : null;
        }
        long spent = SYSTEM.getProcessCpuTime();
        return spent < 0 ? null : spent;
    }

    private static boolean isPrecise() {
        try {
            return Platform.isLinux()
                    && Native.LONG_SIZE == Long.BYTES
                    && Linux.clock_gettime(Linux.PROCESS_CPUTIME, new long[2]) == 0;
        } catch (LinkageError unavailable) {
            return false;
        }
    }

    /** The functions of {@code time.h}. A time is a pair of seconds and nanoseconds. */
    private static final class Linux {
        static final int PROCESS_CPUTIME = 2;

        static {
            Native.register("c");
        }

        static native int clock_gettime(int clock, long[] time);
    }
}
