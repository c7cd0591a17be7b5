package manywire.lane.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import manywire.lane.Coder;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The HTTP server of the verb serve: that of the JDK. It ends with the process. */
public final class Service {
    /** An offered subject: its media type, its operations and its values. */
    public record Offer(String mediaType, Coder coder, List<Object> values) {
        byte[] represent(int index, boolean gzip) throws Exception {
            byte[] bytes = coder.encode(values.get(index));
            return gzip ? Gzip.deflate(bytes) : bytes;
        }
    }

    /** An offer with the bodies of the transport meter, uncompressed and compressed. */
    private record PreparedOffer(Offer offer, List<byte[]> plain, List<byte[]> packed) {}

    private static final Pattern PATH =
            Pattern.compile("/(transport|endpoint)/(\\d{1,6})/([0-9a-f]{8}([0-9a-f]{8}))");

    private final List<PreparedOffer> offers = new ArrayList<>();
    private final AtomicLong answered = new AtomicLong();
    private final HttpServer server;

    public Service(List<Offer> offers) throws Exception {
        for (Offer offer : offers) {
            PreparedOffer prepared = new PreparedOffer(offer, new ArrayList<>(), new ArrayList<>());
            for (int index = 0; index < offer.values().size(); index++) {
                prepared.plain().add(offer.represent(index, false));
                prepared.packed().add(offer.represent(index, true));
            }
            this.offers.add(prepared);
        }
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    /** Returns the number of requests answered with 200. */
    public long answered() {
        return answered.get();
    }

    /** Stops the server, whose thread would keep the process alive. */
    public void close() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Matcher path = PATH.matcher(exchange.getRequestURI().getRawPath());
            int number = path.matches() ? Integer.parseInt(path.group(2)) : offers.size();
            if (number >= offers.size() || offers.get(number).plain().isEmpty()) {
                refuse(exchange, 404, "no such path");
            } else if (!exchange.getRequestMethod().equals("GET")) {
                refuse(exchange, 405, "only GET is allowed");
            } else {
                PreparedOffer prepared = offers.get(number);
                int index = Integer.remainderUnsigned(
                        Integer.parseUnsignedInt(path.group(4), 16), prepared.plain().size());
                answer(exchange, prepared, path.group(1).equals("endpoint"), index, path.group(3));
            }
        }
    }

    private void answer(
            HttpExchange exchange,
            PreparedOffer prepared,
            boolean encodes,
            int index,
            String nonce)
            throws IOException {
        boolean gzip = "gzip".equals(exchange.getRequestHeaders().getFirst("Accept-Encoding"));
        byte[] bytes;
        try {
            bytes =
                    encodes
                            ? prepared.offer().represent(index, gzip)
                            : (gzip ? prepared.packed() : prepared.plain()).get(index);
        } catch (Exception | StackOverflowError | OutOfMemoryError | LinkageError error) {
            refuse(exchange, 500, String.valueOf(error.getMessage()));
            return;
        }
        answered.incrementAndGet();
        exchange.getResponseHeaders().set("Content-Type", prepared.offer().mediaType());
        if (gzip) {
            exchange.getResponseHeaders().set("Content-Encoding", "gzip");
        }
        exchange.sendResponseHeaders(200, nonce.length() + bytes.length);
        OutputStream body = exchange.getResponseBody();
        body.write(nonce.getBytes(StandardCharsets.ISO_8859_1));
        body.write(bytes);
    }

    private static void refuse(HttpExchange exchange, int status, String words)
            throws IOException {
        byte[] body = words.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
        // A length of 0 would mean that the length is unknown.
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }
}
