package manywire.lane.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import manywire.lane.serve.Offers;
import manywire.lane.serve.Server;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** The HTTP server of the verb serve: that of the JDK. It ends with the process. */
public final class Service implements Server {
    private final Offers offers;
    private final AtomicLong answered = new AtomicLong();
    private final HttpServer server;

    public Service(List<Offers.Offer> offers) throws Exception {
        this.offers = new Offers(offers);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    @Override
    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public long answered() {
        return answered.get();
    }

    /** Stops the server, whose thread would keep the process alive. */
    @Override
    public void close() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Offers.Target target = offers.find(exchange.getRequestURI().getRawPath());
            if (target == null) {
                refuse(exchange, 404, "no such path");
            } else if (!exchange.getRequestMethod().equals("GET")) {
                refuse(exchange, 405, "only GET is allowed");
            } else {
                answer(exchange, target);
            }
        }
    }

    private void answer(HttpExchange exchange, Offers.Target target) throws IOException {
        boolean gzip = "gzip".equals(exchange.getRequestHeaders().getFirst("Accept-Encoding"));
        byte[] bytes;
        try {
            bytes = target.represent(gzip);
        } catch (Exception | StackOverflowError error) {
            refuse(exchange, 500, String.valueOf(error.getMessage()));
            return;
        }
        answered.incrementAndGet();
        exchange.getResponseHeaders().set("Content-Type", target.mediaType());
        if (gzip) {
            exchange.getResponseHeaders().set("Content-Encoding", "gzip");
        }
        byte[] nonce = target.nonce();
        exchange.sendResponseHeaders(200, nonce.length + bytes.length);
        OutputStream body = exchange.getResponseBody();
        body.write(nonce);
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
