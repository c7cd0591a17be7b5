using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Reflection;
using System.Threading;

namespace Manywire.Lane
{
    /// <summary>Times, garbage collections and memory of operations.</summary>
    public static class Meter
    {
        private static readonly Func<bool, TimeSpan> CompilationTime = FindCompilationTime();

        // Receives the results of operations, so that the compiler cannot remove them.
        private static object sink;

        public static void Keep(object result)
        {
            Volatile.Write(ref sink, result);
        }

        /// <summary>The number of garbage collections. One of an older generation includes the younger ones.</summary>
        public static int Collections()
        {
            return GC.CollectionCount(0);
        }

        /// <summary>Runs one batch.</summary>
        public static Dictionary<string, object> Run(Func<object, object> operation, object[] inputs, int[] window, long repeats)
        {
            int collected = Collections();
            long cpu = Clock.CpuNanoseconds();
            long start = Stopwatch.GetTimestamp();
            for (long repeat = 0; repeat < repeats; repeat++)
            {
                for (int index = 0; index < window.Length; index++)
                {
                    Keep(operation(inputs[window[index]]));
                }
            }
            long wall = Clock.Between(start, Stopwatch.GetTimestamp());
            cpu = Clock.CpuNanoseconds() - cpu;
            return new Dictionary<string, object>
            {
                ["wall_ns"] = wall,
                ["cpu_ns"] = cpu,
                ["collections"] = Collections() - collected,
                ["compiled_ms"] = CompilationTime == null ? null : (object)CompilationTime(false).TotalMilliseconds,
            };
        }

        /// <summary>
        /// Returns the bytes that one operation allocates, as a mean over the inputs. The runtime counts neither
        /// the allocations nor the peak.
        /// </summary>
        public static Dictionary<string, object> Memory(Func<object, object> operation, object[] inputs)
        {
            long sum = 0;
            foreach (object input in inputs)
            {
                Keep(operation(input));
                long before = GC.GetAllocatedBytesForCurrentThread();
                Keep(operation(input));
                sum += GC.GetAllocatedBytesForCurrentThread() - before;
            }
            object mean = inputs.Length == 0 ? null : (object)((double)sum / inputs.Length);
            return new Dictionary<string, object> { ["allocs"] = null, ["alloc_bytes"] = mean, ["peak_bytes"] = null };
        }

        /// <summary>Finds a method that the class library of the compiler may not declare.</summary>
        private static Func<bool, TimeSpan> FindCompilationTime()
        {
            MethodInfo method = Type.GetType("System.Runtime.JitInfo")?.GetMethod("GetCompilationTime", new[] { typeof(bool) });
            return method == null ? null : (Func<bool, TimeSpan>)Delegate.CreateDelegate(typeof(Func<bool, TimeSpan>), method);
        }
    }
}
