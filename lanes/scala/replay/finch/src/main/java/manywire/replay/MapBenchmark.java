// The benchmarks of endpoints whose result is mapped, to a value and to a response.
package manywire.replay;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.util.concurrent.TimeUnit;

/** Calls endpoints that add to a constant, as Finch's own benchmark does. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class MapBenchmark {
    private final Mapped mapped = new Mapped();

    @Benchmark
    public Object mapAsync() {
        return mapped.value();
    }

    @Benchmark
    public Object mapOutputAsync() {
        return mapped.output();
    }
}
