// The benchmarks of circe: a body read and written by way of a string, and by bytes.
package manywire.replay;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** Reads and writes a value of one field with a string of 1,024 characters, as Finch's own benchmark does. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class FooBenchmark {
    private final Foo foo = new Foo("x".repeat(1024));
    private byte[] body;

    /** Checks that both ways give the same value and the same bytes. */
    @Setup
    public void prepare() {
        body = Circe.writeString(foo);
        ByteBuffer written = Circe.writeBytes(foo);
        byte[] bytes = new byte[written.remaining()];
        written.get(bytes);
        if (!Arrays.equals(body, bytes) || !Circe.readString(body).equals(foo) || !Circe.readBytes(body).equals(foo)) {
            throw new IllegalStateException("bytes and string give different values");
        }
    }

    @Benchmark
    public Object decodeBytes() {
        return Circe.readBytes(body);
    }

    @Benchmark
    public Object decodeString() {
        return Circe.readString(body);
    }

    @Benchmark
    public Object encodeBytes() {
        return Circe.writeBytes(foo);
    }

    @Benchmark
    public Object encodeString() {
        return Circe.writeString(foo);
    }
}
