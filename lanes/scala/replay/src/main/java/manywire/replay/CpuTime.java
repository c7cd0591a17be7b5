// A profiler of JMH that measures the CPU time of the process, which other programs do not change.
package manywire.replay;

import com.sun.management.OperatingSystemMXBean;

import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;

/** Reports the CPU time of all threads for one operation, in nanoseconds. */
public final class CpuTime implements InternalProfiler {
    static final String LABEL = "cpu.time.norm";

    private final OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private long before;

    @Override
    public String getDescription() {
        return "CPU time of the process for one operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        before = system.getProcessCpuTime();
    }

    @Override
    public Collection<? extends Result> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        long spent = system.getProcessCpuTime() - before;
        double each = (double) spent / result.getMetadata().getAllOps();
        return List.of(new ScalarResult(LABEL, each, "ns/op", AggregationPolicy.AVG));
    }
}
