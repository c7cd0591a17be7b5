// One launch of the replay: runs every benchmark of the class path in one new process each.
package manywire.replay;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Prints the figures of every benchmark as members of a JSON list. The argument ends their names. */
public final class Launch {
    private static final int ITERATIONS = 5;
    private static final TimeValue ITERATION = TimeValue.milliseconds(300);

    private Launch() {}

    public static void main(String[] arguments) throws RunnerException {
        if (arguments.length != 1) {
            System.err.println("usage: manywire.replay.Launch NAME");
            System.exit(2);
        }
        Options options = new OptionsBuilder()
            .forks(1)
            .warmupIterations(ITERATIONS)
            .warmupTime(ITERATION)
            .measurementIterations(ITERATIONS)
            .measurementTime(ITERATION)
            .addProfiler(GCProfiler.class)
            .addProfiler(CpuTime.class)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .build();
        List<String> figures = new ArrayList<>();
        for (RunResult result : new Runner(options).run()) {
            String name = name(result.getPrimaryResult().getLabel());
            String members = "\"value\": " + result.getPrimaryResult().getScore()
                + ", \"cpu\": " + secondary(result, CpuTime.LABEL);
            figures.add(figure(name + " " + arguments[0], members));
            String allocated = "\"value\": " + secondary(result, "gc.alloc.rate.norm");
            figures.add(figure(name + " allocated " + arguments[0], allocated));
        }
        System.out.println(String.join(",\n", figures));
    }

    /** Returns the words of a method's name: decode bytes for decodeBytes. */
    private static String name(String method) {
        return method.replaceAll("([A-Z])", " $1").toLowerCase(Locale.ROOT);
    }

    private static double secondary(RunResult result, String label) {
        Result<?> found = result.getSecondaryResults().get(label);
        if (found == null) {
            throw new IllegalStateException("JMH does not report " + label);
        }
        return found.getScore();
    }

    private static String figure(String name, String members) {
        return String.format("{\"name\": \"%s\", \"system\": \"%s\", %s}", name, Circe.system(), members);
    }
}
