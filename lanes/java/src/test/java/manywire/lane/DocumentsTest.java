package manywire.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Every subject reads what Manywire writes, and writes what every other subject reads. */
class DocumentsTest {
    /** The values that a library cannot represent, and its error text. */
    private static final Map<String, String> REFUSED =
            Map.of(
                    "kinds: jackson-dataformat-msgpack msgpack-array typed",
                            "nothing says which fields it has",
                    "kinds: msgpack-core msgpack-array typed",
                            "nothing says which fields it has",
                    // An optional field that is always null is a separate record in Avro.
                    "events: jackson-dataformat-avro avro typed", "the schema has other names",
                    "kinds: jackson-dataformat-avro avro typed", "the schema has other names",
                    "people: bson bson typed", "the payload is not one");

    @Test
    void everySubjectReadsAndWritesEveryDocument() throws Exception {
        List<Document> documents = Document.all();
        assertFalse(documents.isEmpty(), "the folder has no documents");
        for (Document document : documents) {
            try (LaneProcess lane = new LaneProcess()) {
                document.tell(lane);
                check(document, lane, lane.subjects());
            }
        }
    }

    private static void check(Document document, LaneProcess lane, JsonNode subjects)
            throws Exception {
        Map<Integer, List<byte[]>> written = new LinkedHashMap<>();
        for (int index = 0; index < subjects.size(); index++) {
            String name = document.name() + ": " + LaneProcess.name(subjects.get(index));
            String format = subjects.get(index).get("format").asText();
            List<byte[]> payloads = document.payloads(format);
            if (payloads.isEmpty()) {
                continue;
            }
            String refusal = REFUSED.get(name);
            JsonNode answer = lane.load(index, payloads);
            if (refusal != null) {
                assertTrue(answer.path("error").asText().contains(refusal), name + ": " + answer);
                continue;
            }
            assertTrue(answer.has("ok"), name + ": " + answer);
            assertEquals(expected(document, format), digests(lane, index), name);
            written.put(index, lane.encode(index));
        }
        assertFalse(written.isEmpty(), "no subject read anything");
        for (int reader : written.keySet()) {
            for (int writer : written.keySet()) {
                String format = subjects.get(reader).get("format").asText();
                if (subjects.get(writer).get("format").asText().equals(format)) {
                    String name =
                            document.name()
                                    + ": "
                                    + LaneProcess.name(subjects.get(reader))
                                    + " reads "
                                    + LaneProcess.name(subjects.get(writer));
                    JsonNode answer = lane.load(reader, written.get(writer));
                    assertTrue(answer.has("ok"), name + ": " + answer);
                    assertEquals(expected(document, format), digests(lane, reader), name);
                }
            }
        }
    }

    private static List<String> expected(Document document, String format) throws Exception {
        List<String> expected = new ArrayList<>();
        for (byte[] text : document.texts()) {
            expected.add(Expected.digest(text, format));
        }
        return expected;
    }

    private static List<String> digests(LaneProcess lane, int index) throws Exception {
        JsonNode answer = lane.digest(index);
        assertTrue(answer.has("ok"), answer.toString());
        List<String> digests = new ArrayList<>();
        answer.get("ok").get("digests").forEach(digest -> digests.add(digest.asText()));
        return digests;
    }

    @Test
    void operationsReportTimeAndMemory() throws Exception {
        Document document = Document.named("user");
        try (LaneProcess lane = new LaneProcess()) {
            document.tell(lane);
            JsonNode subjects = lane.subjects();
            for (int index = 0; index < subjects.size(); index++) {
                lane.load(index, document.payloads(subjects.get(index).get("format").asText()));
                for (String operation : List.of("encode", "decode")) {
                    metered(
                            lane,
                            index,
                            operation,
                            LaneProcess.name(subjects.get(index)) + " " + operation);
                }
            }
        }
    }

    private static void metered(LaneProcess lane, int index, String operation, String name)
            throws Exception {
        // The warm-up lets the compiler finish.
        run(lane, index, operation, 20_000);
        // A busy machine or the compiler may delay some batches, but not all of them.
        long few = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 10; attempt++) {
            few = Math.min(few, run(lane, index, operation, 200).get("wall_ns").asLong());
        }
        JsonNode many = run(lane, index, operation, 20_000);
        assertTrue(
                many.get("wall_ns").asLong() > 5 * few,
                name + ": a hundred times the work of " + few + " ns, " + many);
        // A batch always takes CPU time.
        assertTrue(many.get("cpu_ns").asLong() > 1_000, name + ": " + many);
        assertTrue(many.get("collections").isIntegralNumber(), name);
        assertTrue(many.get("compiled_ms").asLong() > 0, name);
        JsonNode memory =
                lane.get(Map.of("verb", "memory", "subject", index, "operation", operation));
        assertTrue(memory.get("allocs").isNull() && memory.get("peak_bytes").isNull(), name);
        assertTrue(memory.get("alloc_bytes").asDouble() > 16, name + ": " + memory);
    }

    private static JsonNode run(LaneProcess lane, int index, String operation, int repeats)
            throws Exception {
        return lane.get(
                Map.of(
                        "verb",
                        "run",
                        "subject",
                        index,
                        "operation",
                        operation,
                        "window",
                        List.of(0),
                        "repeats",
                        repeats));
    }
}
