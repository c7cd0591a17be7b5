package manywire.lane.http;

import com.fasterxml.jackson.annotation.JsonProperty;

import manywire.lane.Coder;
import manywire.lane.Refusal;
import manywire.lane.serve.Connection;
import manywire.lane.zeromq.ZeromqConnection;

import org.zeromq.ZContext;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The client of the verb fetch, with a thread per connection: java.net.http over HTTP/1.1, or ZeroMQ.
 */
public final class Fetcher implements AutoCloseable {
    /** The arguments of a fetch. */
    public record Asked(
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

    /** The maximum delay of a sleeping thread, for which the client spins instead. */
    private static final long TIMER_NS = 200_000;

    // Receives decoded values, so that the compiler cannot remove them.
    private static volatile Object sink;

    private final Asked asked;
    private final Coder coder;
    private final List<Connection> connections = new ArrayList<>();
    // Has the sockets of ZeroMQ, if there are any.
    private ZContext context;
    private final List<Long> latencies = new ArrayList<>();
    private final List<Long> lags = new ArrayList<>();
    private long next;
    private long planned;
    private long start;
    private int errors;
    private String first;
    private long bodyBytes;

    public Fetcher(Coder coder, Asked asked) {
        if (asked.connections < 1 || asked.rate != null && !(asked.rate > 0)) {
            throw new Refusal(asked.connections + " connections at a rate of " + asked.rate);
        }
        this.coder = coder;
        this.asked = asked;
        connect();
    }

    /** Prepares the connections, which open with their first requests. */
    private void connect() {
        if (!asked.url.startsWith("tcp:")) {
            // The client chooses the connection of a request.
            Connection connection = new HttpConnection(asked);
            for (int index = 0; index < asked.connections; index++) {
                connections.add(connection);
            }
            return;
        }
        Map<String, String> headers = new HashMap<>();
        for (List<String> header : asked.headers) {
            headers.put(header.get(0).toLowerCase(Locale.ROOT), header.get(1));
        }
        context = new ZContext();
        for (int index = 0; index < asked.connections; index++) {
            connections.add(new ZeromqConnection(context, asked.url, headers, asked.timeoutMs));
        }
    }

    @Override
    public void close() {
        connections.forEach(Connection::close);
        if (context != null) {
            context.close();
        }
    }

    /** Sends one uncounted request on each connection. */
    public void open() throws InterruptedException {
        each(connection -> count(connection, number(), System.nanoTime(), null));
        if (errors > 0) {
            // The clock does not start: the figures would be meaningless.
            throw new Refusal("the first request: " + first);
        }
        latencies.clear();
        bodyBytes = 0;
    }

    /** Sends all other requests. */
    public Fetched run() throws InterruptedException {
        start = System.nanoTime();
        each(this::work);
        long wall = System.nanoTime() - start;
        return new Fetched(
                latencies.size(), errors, first, bodyBytes, wall, frame(latencies), frame(lags));
    }

    private void each(Consumer<Connection> work) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (Connection connection : connections) {
            Thread thread = new Thread(() -> work.accept(connection));
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

    /** Returns the next request, or {@code null} if there is none. */
    private synchronized Turn turn() {
        boolean open = asked.rate != null;
        double after = open ? planned / asked.rate * 1e9 : System.nanoTime() - start;
        if (after > asked.durationMs * 1e6 || planned >= asked.requests || errors >= ERRORS_MAX) {
            return null;
        }
        planned++;
        return new Turn(next++, open ? start + (long) after : null);
    }

    private void work(Connection connection) {
        for (Turn turn = turn(); turn != null; turn = turn()) {
            if (turn.planned != null) {
                waitUntil(turn.planned);
            }
            count(connection, turn.number, System.nanoTime(), turn.planned);
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
    private void count(Connection connection, long number, long sent, Long planned) {
        try {
            long bytes = request(connection, number);
            long latency = System.nanoTime() - (planned == null ? sent : planned);
            synchronized (this) {
                bodyBytes += bytes;
                latencies.add(latency);
                if (planned != null) {
                    lags.add(Math.max(0, sent - planned));
                }
            }
        } catch (Exception | StackOverflowError error) {
            synchronized (this) {
                errors++;
                if (first == null) {
                    first = error.getClass().getSimpleName() + ": " + error.getMessage();
                }
            }
        }
    }

    private long request(Connection connection, long number) throws Exception {
        String nonce =
                asked.nonce == null ? "" : asked.nonce + String.format(Locale.ROOT, "%08x", number);
        Connection.Response response = connection.get(nonce);
        byte[] body = response.body();
        byte[] expected = nonce.getBytes(StandardCharsets.ISO_8859_1);
        if (body.length < expected.length
                || !Arrays.equals(body, 0, expected.length, expected, 0, expected.length)) {
            throw new IOException(
                    "expected a body that begins with " + nonce + ", found " + text(body, 40));
        }
        if (asked.decode) {
            byte[] representation = Arrays.copyOfRange(body, expected.length, body.length);
            sink = coder.decode(plain(representation, response.coding()));
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

    static String text(byte[] bytes, int most) {
        return new String(bytes, 0, Math.min(bytes.length, most), StandardCharsets.UTF_8);
    }

    private static byte[] frame(List<Long> times) {
        ByteBuffer frame = ByteBuffer.allocate(times.size() * Long.BYTES);
        times.forEach(frame::putLong);
        return frame.array();
    }
}
