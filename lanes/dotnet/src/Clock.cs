using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading;

namespace Manywire.Lane
{
    /// <summary>The monotonic clock, the CPU clock of the process, and exact sleep.</summary>
    public static class Clock
    {
        private const int LinuxProcessCpuClock = 2;
        private const long Second = 1000000000;

        private static readonly bool IsLinux = RuntimeInformation.IsOSPlatform(OSPlatform.Linux);

        /// <summary>The monotonic clock in nanoseconds.</summary>
        public static long Nanoseconds()
        {
            return Between(0, Stopwatch.GetTimestamp());
        }

        /// <summary>Returns the nanoseconds between two timestamps of the stopwatch.</summary>
        public static long Between(long start, long end)
        {
            return (long)((end - start) * ((double)Second / Stopwatch.Frequency));
        }

        /// <summary>The CPU time of the process in nanoseconds.</summary>
        public static long CpuNanoseconds()
        {
            // The time of Process has a resolution of ten milliseconds on Linux.
            if (IsLinux && clock_gettime(LinuxProcessCpuClock, out TimeSpec time) == 0)
            {
                return (long)time.Seconds * Second + (long)time.Nanoseconds;
            }
            return Process.GetCurrentProcess().TotalProcessorTime.Ticks * 100;
        }

        /// <summary>
        /// Blocks the thread. <see cref="Thread.Sleep(int)"/> has a resolution of a millisecond, and a thread that
        /// spins is suspended for milliseconds in favour of others.
        /// </summary>
        public static void Sleep(long nanoseconds)
        {
            if (!IsLinux)
            {
                Thread.Sleep((int)(nanoseconds / 1000000));
                return;
            }
            var time = new TimeSpec { Seconds = (IntPtr)(nanoseconds / Second), Nanoseconds = (IntPtr)(nanoseconds % Second) };
            // A signal may end it early; the caller looks at the clock.
            nanosleep(ref time, IntPtr.Zero);
        }

        [StructLayout(LayoutKind.Sequential)]
        private struct TimeSpec
        {
            public IntPtr Seconds;
            public IntPtr Nanoseconds;
        }

        [DllImport("libc")]
        private static extern int clock_gettime(int clock, out TimeSpec time);

        [DllImport("libc")]
        private static extern int nanosleep(ref TimeSpec time, IntPtr left);
    }
}
