package manywire.lane.http;

import com.fasterxml.jackson.annotation.JsonProperty;

import manywire.lane.Coder;
import manywire.lane.Refusal;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * The HTTP client of the verb fetch: java.net.http over HTTP/1.1, with a thread per connection.
 */
public final class Fetcher {
    /** The arguments of a fetch. */
    public record Parameters(
            String url,
            String nonce,
            List<List<String>> headers,
            boolean decode,
            int connections,
            Double rate,
            long requests,
            @JsonProperty("duration_ms") double durationMs,
            @JsonProperty("timeout_ms") double timeoutMs) {}

    /** The result of a fetch. Times are in nanoseconds. */
    public record Fetched(
            long requests, int errors, String error, long bodyBytes, long wallNs,
            byte[] latencies, byte[] lags) {}

    /** The number of a request and, in an open loop, the instant it is planned for. */
    private record Turn(long number, Long planned) {}

    /** The number of errors after which no new requests are started. */
    private static final int ERRORS_MAX = 100;

    /** The maximum delay of a sleeping thread. The client spins for this time before an instant. */
    private static final long TIMER_NS = 200_000;

    // Receives decoded values, so that the compiler cannot remove them.
    private static volatile Object sink;

    private final Parameters parameters;
    private final Coder coder;
    private final String acceptedCoding;
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<Long> latencies = new ArrayList<>();
    private final List<Long> lags = new ArrayList<>();
    private long next;
    private long planned;
    private long start;
    private int errors;
    private String first;
    private long bodyBytes;

    public Fetcher(Coder coder, Parameters parameters) {
        if (parameters.connections < 1 || parameters.rate != null && !(parameters.rate > 0)) {
            throw new Refusal(
                    parameters.connections + " connections at a rate of " + parameters.rate);
        }
        this.coder = coder;
        this.parameters = parameters;
        acceptedCoding =
                parameters.headers.stream()
                        .filter(header -> header.get(0).equalsIgnoreCase("Accept-Encoding"))
                        .map(header -> header.get(1))
                        .reduce("identity", (earlier, later) -> later);
    }

    /** Sends one uncounted request on each connection. */
    public void open() throws InterruptedException {
        each(() -> count(number(), System.nanoTime(), null));
        if (errors > 0) {
            // The clock does not start: the figures would be meaningless.
            throw new Refusal("the first request failed: " + first);
        }
        latencies.clear();
        bodyBytes = 0;
    }

    /** Sends the requests that are measured. */
    public Fetched run() throws InterruptedException {
        start = System.nanoTime();
        each(this::work);
        long wall = System.nanoTime() - start;
        return new Fetched(
                latencies.size(), errors, first, bodyBytes, wall, frame(latencies), frame(lags));
    }

    private void each(Runnable work) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int connection = 0; connection < parameters.connections; connection++) {
            Thread thread = new Thread(work);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private synchronized long number() {
        return next++;
    }

    /** Returns the next request, or {@code null} if the fetch ends. */
    private synchronized Turn turn() {
        boolean open = parameters.rate != null;
        double after = open ? planned / parameters.rate * 1e9 : System.nanoTime() - start;
        if (after > parameters.durationMs * 1e6
                || planned >= parameters.requests
                || errors >= ERRORS_MAX) {
            return null;
        }
        planned++;
        return new Turn(next++, open ? start + (long) after : null);
    }

    private void work() {
        for (Turn turn = turn(); turn != null; turn = turn()) {
            if (turn.planned != null) {
                waitUntil(turn.planned);
            }
            count(turn.number, System.nanoTime(), turn.planned);
        }
    }

    private static void waitUntil(long instant) {
        for (long left = instant - System.nanoTime(); left > 0; left = instant - System.nanoTime()) {
            if (left > TIMER_NS) {
                LockSupport.parkNanos(left - TIMER_NS);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    /** Sends a request and records its result. */
    private void count(long number, long sent, Long planned) {
        try {
            long bytes = request(number);
            long latency = System.nanoTime() - (planned == null ? sent : planned);
            synchronized (this) {
                bodyBytes += bytes;
                latencies.add(latency);
                if (planned != null) {
                    lags.add(Math.max(0, sent - planned));
                }
            }
        } catch (Exception | StackOverflowError | OutOfMemoryError | LinkageError error) {
            synchronized (this) {
                errors++;
                if (first == null) {
                    first = error.getClass().getSimpleName() + ": " + error.getMessage();
                }
            }
        }
    }

    private long request(long number) throws Exception {
        String nonce =
                parameters.nonce == null
                        ? ""
                        : parameters.nonce + String.format(Locale.ROOT, "%08x", number);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(parameters.url + nonce))
                        .timeout(Duration.ofNanos((long) (parameters.timeoutMs * 1e6)));
        for (List<String> header : parameters.headers) {
            request.header(header.get(0), header.get(1));
        }
        HttpResponse<byte[]> response =
                client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        byte[] body = response.body();
        if (response.statusCode() != 200) {
            throw new IOException("status " + response.statusCode() + ": " + text(body, 200));
        }
        byte[] expected = nonce.getBytes(StandardCharsets.ISO_8859_1);
        if (body.length < expected.length
                || !Arrays.equals(body, 0, expected.length, expected, 0, expected.length)) {
            throw new IOException(
                    "expected a body that begins with " + nonce + ", found " + text(body, 40));
        }
        String coding = response.headers().firstValue("Content-Encoding").orElse("identity");
        if (!coding.equals("identity") && !coding.equals(acceptedCoding)) {
            throw new IOException("unexpected content coding " + coding);
        }
        if (parameters.decode) {
            byte[] representation = Arrays.copyOfRange(body, expected.length, body.length);
            sink = coder.decode(plain(representation, coding));
        }
        return body.length;
    }

    private static byte[] plain(byte[] representation, String coding) throws IOException {
        return switch (coding) {
            case "identity" -> representation;
            case "gzip" -> Gzip.inflate(representation);
            default -> throw new IOException("unexpected content coding " + coding);
        };
    }

    private static String text(byte[] bytes, int most) {
        return new String(bytes, 0, Math.min(bytes.length, most), StandardCharsets.UTF_8);
    }

    private static byte[] frame(List<Long> times) {
        ByteBuffer frame = ByteBuffer.allocate(times.size() * Long.BYTES);
        times.forEach(frame::putLong);
        return frame.array();
    }
}
