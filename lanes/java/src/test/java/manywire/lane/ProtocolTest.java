package manywire.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An invalid request gets an error response, and the lane continues. After an invalid frame, the
 * lane exits with a message and a status other than 0.
 */
class ProtocolTest {
    private static final Map<String, Object> RUN =
            Map.of(
                    "verb",
                    "run",
                    "subject",
                    0,
                    "operation",
                    "decode",
                    "window",
                    List.of(0),
                    "repeats",
                    1);

    @Test
    void describeMatchesLaneToml() throws Exception {
        String manifest = Files.readString(Path.of("lane.toml"));
        try (LaneProcess lane = new LaneProcess()) {
            JsonNode said = lane.get(Map.of("verb", "describe"));
            assertEquals(1, said.get("contract").asInt());
            assertEquals("java", said.get("lane").asText());
            for (JsonNode subject : said.get("subjects")) {
                assertTrue(
                        manifest.contains("library = \"" + subject.get("library").asText() + "\""),
                        subject.toString());
                assertTrue(
                        subject.get("version").asText().matches("\\d+\\.\\d+.*"),
                        subject.toString());
            }
            assertEquals(0, lane.end(new byte[0]).status());
        }
    }

    @Test
    void anInvalidRequestGetsAnErrorAndTheLaneContinues() throws Exception {
        try (LaneProcess lane = new LaneProcess()) {
            refused(lane, Map.of("verb", "dance"), "unknown verb \"dance\"");
            refused(lane, Map.of(), "unknown verb");
            for (Object index : new Object[] {999, -1, true, 0.5, "0", 4294967296L}) {
                refused(
                        lane,
                        Map.of("verb", "digest", "subject", index),
                        "expected a number below");
            }
            refused(lane, Map.of("verb", "digest", "subject", 0), "no payloads");
            refused(lane, RUN, "no payloads");
            lane.get(
                    Map.of("verb", "load", "subject", 0, "payloads", 1),
                    "[1]".getBytes(StandardCharsets.UTF_8));
            refused(lane, with("operation", "sing"), "expected encode or decode");
            refused(lane, with("window", List.of(1)), "of the 1 payloads");
            refused(lane, with("window", List.of(-1)), "of the 1 payloads");
            refused(lane, with("window", 0), "expected a list");
            refused(lane, with("repeats", -1), "expected a whole number");
            refused(lane, with("repeats", 1.5), "expected a whole number");
            assertTrue(lane.get(with("repeats", 0)).get("wall_ns").asLong() >= 0);
            LaneProcess.Ended ended = lane.end(new byte[0]);
            assertEquals(0, ended.status(), ended.err());
        }
    }

    @Test
    void aTypedSubjectNeedsASchema() throws Exception {
        try (LaneProcess lane = new LaneProcess()) {
            JsonNode subjects = lane.subjects();
            for (int index = 0; index < subjects.size(); index++) {
                String name = LaneProcess.name(subjects.get(index));
                if (name.contains("typed")
                        || name.contains(" protobuf ")
                        || name.contains(" avro ")) {
                    JsonNode answer = lane.load(index, List.of(new byte[0]));
                    assertTrue(
                            answer.path("error").asText().contains("`schema`, before `load`"),
                            name + ": " + answer);
                }
            }
        }
    }

    @Test
    void anInvalidFrameEndsTheLaneWithAMessage() throws Exception {
        Map<byte[], String> inputs = new LinkedHashMap<>();
        inputs.put(new byte[] {0, 0}, "ends after 2 of the 4 bytes of a length");
        inputs.put(new byte[] {-1, -1, -1, -1}, "a frame of 4294967295 bytes");
        inputs.put(new byte[] {127, 0, 0, 0}, "ends after 0 of the 2130706432 bytes of a frame");
        inputs.put(new byte[] {0, 0, 0, 9, '{', '}'}, "ends after 2 of the 9 bytes of a frame");
        inputs.put(framed(""), "not a JSON object");
        inputs.put(framed("[1]"), "not a JSON object");
        inputs.put(framed("{"), "JsonEOFException");
        inputs.put(framed("[".repeat(1_000_000)), "nesting depth");
        inputs.put(framed("{\"verb\":\"load\",\"subject\":0,\"payloads\":-1}"), "payloads is -1");
        inputs.put(
                framed("{\"verb\":\"load\",\"subject\":0,\"payloads\":1099511627776}"),
                "payloads is");
        inputs.put(
                framed("{\"verb\":\"load\",\"subject\":0,\"payloads\":2}"),
                "before the frames of \"load\"");
        for (Map.Entry<byte[], String> input : inputs.entrySet()) {
            try (LaneProcess lane = new LaneProcess()) {
                LaneProcess.Ended ended = lane.end(input.getKey());
                assertNotEquals(0, ended.status(), input.getValue());
                assertEquals(0, ended.out().length, input.getValue());
                assertTrue(
                        ended.err().contains(input.getValue()),
                        input.getValue() + " not in: " + ended.err());
            }
        }
    }

    private static byte[] framed(String request) {
        return LaneProcess.frame(request.getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, Object> with(String member, Object value) {
        Map<String, Object> request = new LinkedHashMap<>(RUN);
        request.put(member, value);
        return request;
    }

    private static void refused(LaneProcess lane, Map<String, ?> request, String words)
            throws Exception {
        String error = lane.ask(request).path("error").asText();
        assertTrue(error.contains(words), request + ": " + error);
    }
}
