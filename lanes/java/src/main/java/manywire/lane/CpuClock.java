package manywire.lane;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import com.sun.management.OperatingSystemMXBean;

import java.lang.management.ManagementFactory;

/**
 * The time that all threads of this process have spent on a processor.
 *
 * <p>On Linux the runtime itself counts it in hundredths of a second, twenty times as long as a
 * batch; the system's own clock, which is asked instead, counts nanoseconds.
 */
final class CpuClock {
    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final boolean IS_PRECISE = isPrecise();

    private CpuClock() {}

    /** Nanoseconds since the process began; {@code null} where nobody tells. */
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

    /** {@code time.h}; the time is a pair of seconds and nanoseconds. */
    private static final class Linux {
        static final int PROCESS_CPUTIME = 2;

        static {
            Native.register("c");
        }

        static native int clock_gettime(int clock, long[] time);
    }
}
