package manywire.lane;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;

import manywire.lane.http.Gzip;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tests the HTTP server of the lane with its own client. */
class HttpTest {
    private static final String NONCE = "5f3a9c01";
    private static final List<byte[]> PAYLOADS =
            List.of("{\"a\":1}".getBytes(), "[2]".getBytes());

    private LaneProcess lane;
    private int port;

    @BeforeEach
    void serve() throws Exception {
        lane = new LaneProcess();
        // The first is Jackson's JSON.
        assertTrue(lane.load(0, PAYLOADS).has("ok"));
        Map<String, ?> offer = Map.of("subject", 0, "media_type", "application/json");
        port = lane.get(Map.of("verb", "serve", "offers", List.of(offer))).get("port").asInt();
    }

    @AfterEach
    void end() {
        lane.close();
    }

    private HttpResponse<byte[]> ask(String method, String path, String... headers)
            throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .method(method, HttpRequest.BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newHttpClient()
                .send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    @Test
    void bodiesAreEnvelopes() throws Exception {
        for (String meter : List.of("transport", "endpoint")) {
            for (int number = 0; number < 3; number++) {
                String nonce = NONCE + String.format("%08x", number);
                String path = "/" + meter + "/0/" + nonce;
                byte[] head = nonce.getBytes(StandardCharsets.ISO_8859_1);
                HttpResponse<byte[]> plain = ask("GET", path);
                assertEquals(200, plain.statusCode());
                assertEquals("application/json", plain.headers().firstValue("Content-Type").get());
                assertTrue(plain.headers().firstValue("Content-Encoding").isEmpty());
                assertArrayEquals(head, Arrays.copyOf(plain.body(), 16));
                assertArrayEquals(PAYLOADS.get(number % 2), rest(plain));
                HttpResponse<byte[]> packed = ask("GET", path, "Accept-Encoding", "gzip");
                assertEquals("gzip", packed.headers().firstValue("Content-Encoding").get());
                assertArrayEquals(head, Arrays.copyOf(packed.body(), 16));
                assertArrayEquals(PAYLOADS.get(number % 2), Gzip.inflate(rest(packed)));
            }
        }
        assertEquals(12, lane.get(Map.of("verb", "served")).get("requests").asInt());
    }

    private static byte[] rest(HttpResponse<byte[]> response) {
        return Arrays.copyOfRange(response.body(), 16, response.body().length);
    }

    @Test
    void unknownPathsAndMethodsAreRefused() throws Exception {
        String nonce = NONCE + "00000000";
        for (String path :
                List.of("/", "/endpoint/1/" + nonce, "/endpoint/x/" + nonce, "/endpoint/0/1")) {
            assertEquals(404, ask("GET", path).statusCode(), path);
        }
        assertEquals(405, ask("POST", "/endpoint/0/" + nonce).statusCode());
        JsonNode again = lane.ask(Map.of("verb", "serve", "offers", List.of()));
        assertTrue(again.path("error").asText().contains("already"), again.toString());
    }

    private JsonNode fetch(Map<String, ?> change) throws Exception {
        Map<String, Object> request = new HashMap<>();
        request.put("verb", "fetch");
        request.put("subject", 0);
        request.put("url", "http://127.0.0.1:" + port + "/endpoint/0/");
        request.put("nonce", NONCE);
        request.put("headers", List.of(List.of("Accept-Encoding", "gzip")));
        request.put("decode", true);
        request.put("connections", 2);
        request.put("rate", null);
        request.put("requests", 10);
        request.put("duration_ms", 60_000);
        request.put("timeout_ms", 10_000);
        request.putAll(change);
        return lane.ask(request);
    }

    @Test
    void fetchRunsClosedAndOpenLoops() throws Exception {
        for (Map<String, ?> change : List.of(Map.<String, Object>of(), Map.of("rate", 200))) {
            JsonNode answer = fetch(change);
            assertEquals(10, answer.path("ok").path("requests").asInt(), answer.toString());
            assertEquals(0, answer.path("ok").path("errors").asInt(), answer.toString());
            assertEquals(80, lane.receive().length);
            assertEquals(change.isEmpty() ? 0 : 80, lane.receive().length);
        }
        // Each of the two connections sent one uncounted request.
        assertEquals(24, lane.get(Map.of("verb", "served")).get("requests").asInt());
    }

    @Test
    void aCodingThatWasNotRequestedIsAnError() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    exchange.getResponseHeaders().set("Content-Encoding", "gzip");
                    exchange.sendResponseHeaders(200, 3);
                    exchange.getResponseBody().write(new byte[3]);
                    exchange.close();
                });
        server.start();
        try {
            Map<String, Object> change = new HashMap<>();
            change.put("url", "http://127.0.0.1:" + server.getAddress().getPort() + "/");
            change.put("nonce", null);
            change.put("decode", false);
            JsonNode answer = fetch(change);
            assertEquals(0, answer.path("ok").path("errors").asInt(-1), answer.toString());
            lane.receive();
            lane.receive();
            change.put("headers", List.of(List.of("Accept-Encoding", "identity")));
            String error = fetch(change).path("error").asText();
            assertTrue(error.contains("unexpected content coding gzip"), error);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void anInvalidFetchIsAnError() throws Exception {
        JsonNode nowhere = fetch(Map.of("url", "http://127.0.0.1:" + port + "/endpoint/7/"));
        assertTrue(nowhere.path("error").asText().contains("404"), nowhere.toString());
        assertTrue(fetch(Map.of("connections", 0)).has("error"));
        assertTrue(fetch(Map.of("rate", -1)).has("error"));
    }
}
