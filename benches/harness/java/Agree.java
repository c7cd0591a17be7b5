package manywire.lane;

import manywire.lane.subjects.Subjects;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The functions of the lane, timed by JMH. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Agree {
    /** The library of the lane; the command line sets other values. */
    @Param("jackson-databind")
    public String library;

    private Coder coder;
    private byte[] payload;
    private Object value;

    @Setup
    public void prepare() throws Exception {
        Subject subject =
                Subjects.ALL.stream()
                        .filter(each -> each.library().equals(library))
                        .filter(each -> each.format().equals("json"))
                        .filter(each -> each.target().equals("dynamic"))
                        .findFirst()
                        .orElseThrow();
        coder = subject.maker().make(Schema.NONE);
        payload = Files.readAllBytes(Path.of(System.getenv("MANYWIRE_PAYLOAD")));
        value = coder.decode(payload);
    }

    @Benchmark
    public byte[] encode() throws Exception {
        return coder.encode(value);
    }

    @Benchmark
    public Object decode() throws Exception {
        return coder.decode(payload);
    }
}
