package manywire.lane;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;

import manywire.lane.http.Gzip;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tests the ZeroMQ server of the lane with its own client, and both with peers that misbehave. */
class ZeromqTest {
    private static final String NONCE = "5f3a9c01";
    private static final String JSON = "application/json";
    private static final List<byte[]> PAYLOADS =
            List.of("{\"a\":1}".getBytes(), "[2]".getBytes());

    private final ZContext context = new ZContext();
    private LaneProcess lane;
    private int port;

    @BeforeEach
    void serve() throws Exception {
        lane = new LaneProcess("zeromq");
        // The first is Jackson's JSON.
        assertTrue(lane.load(0, PAYLOADS).has("ok"));
        Map<String, ?> offer = Map.of("subject", 0, "media_type", JSON);
        port = lane.get(Map.of("verb", "serve", "offers", List.of(offer))).get("port").asInt();
    }

    @AfterEach
    void end() {
        lane.close();
        context.close();
    }

    /** Returns the frames of the response to a message. */
    private List<byte[]> ask(String... frames) {
        ZMQ.Socket socket = context.createSocket(SocketType.REQ);
        socket.setLinger(0);
        socket.setReceiveTimeOut(10_000);
        socket.connect("tcp://127.0.0.1:" + port);
        for (int index = 0; index < frames.length; index++) {
            socket.send(frames[index], index + 1 < frames.length ? ZMQ.SNDMORE : 0);
        }
        List<byte[]> response = new ArrayList<>();
        do {
            response.add(socket.recv());
        } while (socket.hasReceiveMore());
        return response;
    }

    private static String text(byte[] frame) {
        return new String(frame, StandardCharsets.ISO_8859_1);
    }

    private int requests() throws Exception {
        return lane.get(Map.of("verb", "served")).get("requests").asInt();
    }

    @Test
    void bodiesAreEnvelopes() throws Exception {
        for (String meter : List.of("transport", "endpoint")) {
            for (int number = 0; number < 3; number++) {
                String nonce = NONCE + String.format("%08x", number);
                String target = "/" + meter + "/0/" + nonce;
                byte[] expected = PAYLOADS.get(number % 2);
                List<byte[]> plain = ask(JSON, "identity", target);
                assertEquals(List.of(JSON, "identity", nonce + text(expected)),
                        plain.stream().map(ZeromqTest::text).toList());
                List<byte[]> packed = ask(JSON, "gzip", target);
                assertEquals("gzip", text(packed.get(1)));
                byte[] body = packed.get(2);
                assertEquals(nonce, text(body).substring(0, 16));
                assertArrayEquals(expected, Gzip.inflate(Arrays.copyOfRange(body, 16, body.length)));
            }
        }
        assertEquals(12, requests());
    }

    @Test
    void invalidRequestsAreRefused() throws Exception {
        String target = "/endpoint/0/" + NONCE + "00000000";
        Map<List<String>, String> refused =
                Map.of(
                        List.of("x"), "3 frames",
                        List.of("application/cbor", "identity", target), "media type " + JSON,
                        List.of(JSON, "br", target), "content coding",
                        List.of(JSON, "identity", target.replace("/0/", "/1/")), "unknown target");
        refused.forEach(
                (request, words) -> {
                    List<byte[]> response = ask(request.toArray(String[]::new));
                    assertEquals("text/plain", text(response.get(0)));
                    assertTrue(text(response.get(2)).contains(words), text(response.get(2)));
                });
        assertEquals(0, requests());
        assertEquals(JSON, text(ask(JSON, "identity", target).get(0)));
    }

    private Map<String, Object> request(Map<String, ?> change) {
        Map<String, Object> request = new HashMap<>();
        request.put("verb", "fetch");
        request.put("subject", 0);
        request.put("url", endpoint(port));
        request.put("nonce", NONCE);
        request.put("headers", List.of(List.of("Accept", JSON), List.of("Accept-Encoding", "gzip")));
        request.put("decode", true);
        request.put("connections", 2);
        request.put("rate", null);
        request.put("requests", 10);
        request.put("duration_ms", 60_000);
        request.put("timeout_ms", 10_000);
        request.putAll(change);
        return request;
    }

    private static String endpoint(int port) {
        return "tcp://127.0.0.1:" + port + "/endpoint/0/";
    }

    private JsonNode fetch(Map<String, ?> change) throws Exception {
        return lane.ask(request(change));
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
        assertEquals(24, requests());
    }

    private void assertRefused(Map<String, ?> change, String words) throws Exception {
        JsonNode answer = fetch(change);
        assertTrue(answer.path("error").asText().contains(words), answer.toString());
    }

    @Test
    void anInvalidFetchIsAnError() throws Exception {
        assertRefused(Map.of("url", endpoint(port).replace("/0/", "/7/")), "unknown target");
        assertRefused(Map.of("url", "tcp://127.0.0.1:" + port), "invalid URL");
        assertRefused(Map.of("headers", List.of()), "no media type");
    }

    @Test
    void aDeadPeerIsAnErrorWithinSeconds() throws Exception {
        InetAddress loopback = InetAddress.getByName("127.0.0.1");
        ZMQ.Socket silent = context.createSocket(SocketType.REP);
        int silentPort = silent.bindToRandomPort("tcp://127.0.0.1");
        int gone;
        try (ServerSocket closed = new ServerSocket(0, 1, loopback)) {
            gone = closed.getLocalPort();
        }
        try (ServerSocket mute = new ServerSocket(0, 8, loopback)) {
            for (int peer : List.of(mute.getLocalPort(), silentPort, gone)) {
                long start = System.nanoTime();
                assertRefused(
                        Map.of("url", endpoint(peer), "timeout_ms", 500), "no response after 500 ms");
                assertTrue(System.nanoTime() - start < 5e9);
            }
        }
    }

    @Test
    void aClientContinuesWithANewSocket() throws Exception {
        ZMQ.Socket peer = context.createSocket(SocketType.REP);
        peer.setReceiveTimeOut(10_000);
        int peerPort = peer.bindToRandomPort("tcp://127.0.0.1");
        Map<String, Object> request =
                request(
                        Map.of(
                                "url", endpoint(peerPort), "connections", 1, "requests", 3,
                                "timeout_ms", 1_000));
        lane.send(LaneProcess.frame(LaneProcess.MAPPER.writeValueAsBytes(request)));
        for (int number = 0; number < 4; number++) {
            peer.recv();
            peer.recv();
            String target = text(peer.recv());
            // The second counted request is answered after the client has given up.
            Thread.sleep(number == 2 ? 1_500 : 0);
            peer.sendMore(JSON);
            peer.sendMore("identity");
            peer.send(target.substring(target.length() - 16) + "1");
        }
        JsonNode answer = LaneProcess.MAPPER.readTree(lane.receive()).path("ok");
        assertEquals(2, answer.path("requests").asInt(), answer.toString());
        assertEquals(1, answer.path("errors").asInt(), answer.toString());
        assertTrue(answer.path("error").asText().contains("no response"), answer.toString());
    }
}
