package manywire.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** The lane responds to any payload bytes, and continues. */
class HostileTest {
    private static final int DEPTH = 100_000;

    /** Bytes in hexadecimal with false lengths or truncated values, by format. */
    private static final Map<String, List<String>> HOSTILE =
            Map.of(
                    "json", List.of("5b5b", "31653939393939393939", "225c756438303022", "ff"),
                    "msgpack",
                            List.of(
                                    "ddffffffff",
                                    "dfffffffff",
                                    "dbffffffff",
                                    "c6ffffffff",
                                    "c67fffffff",
                                    "c9ffffffff01",
                                    "c1",
                                    "d40500",
                                    "a1ff"),
                    "cbor",
                            List.of(
                                    "9bffffffffffffffff",
                                    "bbffffffffffffffff",
                                    "7bffffffffffffffff",
                                    "5b0000000100000000",
                                    "5a7fffffff",
                                    "ff",
                                    "f818"),
                    "protobuf",
                            List.of("0affffffff07", "528080808008", "00", "ffffffffffffffffffffff"),
                    "avro", List.of("feffffffffffffffff01", "01", "ffffffffffffffffffffff"),
                    "bson",
                            List.of(
                                    "ffffff7f",
                                    "00000080",
                                    "0500000001",
                                    "0c000000026100ffffff7f00",
                                    "10000000056100ffffff7f0000000000"));

    @Test
    void everySubjectSurvivesInvalidBytes() throws Exception {
        Document document = Document.named("kinds");
        try (LaneProcess lane = new LaneProcess()) {
            document.tell(lane);
            JsonNode subjects = lane.subjects();
            for (int index = 0; index < subjects.size(); index++) {
                String format = subjects.get(index).get("format").asText();
                for (String payload : List.of("", "00", "ff".repeat(64))) {
                    refuses(lane, index, HexFormat.of().parseHex(payload));
                }
                for (String payload : HOSTILE.get(format.replace("-array", ""))) {
                    refuses(lane, index, HexFormat.of().parseHex(payload));
                }
            }
        }
    }

    @Test
    void everySubjectRefusesVeryDeepDocuments() throws Exception {
        Document document = Document.named("kinds");
        try (LaneProcess lane = new LaneProcess()) {
            document.tell(lane);
            JsonNode subjects = lane.subjects();
            for (int index = 0; index < subjects.size(); index++) {
                JsonNode subject = subjects.get(index);
                byte[] deep = deep(subject.get("format").asText());
                assertTrue(refuses(lane, index, deep), LaneProcess.name(subject));
            }
        }
    }

    @Test
    void everySubjectSurvivesTruncatedDocuments() throws Exception {
        Document document = Document.named("record-a");
        try (LaneProcess lane = new LaneProcess()) {
            document.tell(lane);
            JsonNode subjects = lane.subjects();
            for (int index = 0; index < subjects.size(); index++) {
                String name = LaneProcess.name(subjects.get(index));
                byte[] payload =
                        document.payloads(subjects.get(index).get("format").asText()).get(0);
                int refused = 0;
                for (int length = 0; length < payload.length; length++) {
                    refused += refuses(lane, index, Arrays.copyOf(payload, length)) ? 1 : 0;
                }
                // A message of Protocol Buffers may end after any field, and fastjson2 reads empty
                // input as null.
                int readable =
                        name.startsWith("protobuf")
                                ? payload.length
                                : name.startsWith("fastjson2") ? 1 : 0;
                assertTrue(
                        refused >= payload.length - readable,
                        name + ": " + refused + " of " + payload.length);
            }
        }
    }

    private static boolean refuses(LaneProcess lane, int index, byte[] payload) throws Exception {
        JsonNode answer = lane.load(index, List.of(payload));
        if (answer.has("error")) {
            assertFalse(answer.get("error").asText().isEmpty());
            return true;
        }
        // A value that was read may still fail to have a digest or to be written.
        JsonNode digest = lane.digest(index);
        assertTrue(digest.has("ok") || digest.has("error"));
        lane.encode(index);
        assertEquals(lane.subjects().size() > index, true, "it goes on");
        return digest.has("error");
    }

    /**
     * The field {@code tree} of {@code kinds} contains itself. These are its nested headers without
     * an end.
     */
    private static byte[] deep(String format) {
        byte[] tree = nested(length -> join(new byte[] {0x12}, varint(length)), 0);
        return switch (format) {
            case "json" -> "{\"kids\":[".repeat(DEPTH).getBytes(StandardCharsets.US_ASCII);
            case "msgpack" -> repeat("81a46b69647391");
            case "msgpack-array" -> repeat("91");
            case "cbor" -> repeat("a1646b69647381");
            case "protobuf" -> join(new byte[] {0x52}, varint(tree.length), tree);
            case "avro" -> join(new byte[] {2}, new byte[24], repeat("0002"));
            case "bson" ->
                    join(
                            nested(length -> join(little(length + 8), new byte[] {3, 'a', 0}), 1),
                            new byte[DEPTH]);
            default -> throw new IllegalArgumentException(format);
        };
    }

    /** Returns nested headers with correct lengths, each followed by a number of bytes. */
    private static byte[] nested(IntFunction<byte[]> head, int behind) {
        Deque<byte[]> heads = new ArrayDeque<>();
        byte[] inner = behind == 0 ? new byte[0] : new byte[] {5, 0, 0, 0, 0};
        int length = inner.length;
        for (int depth = 0; depth < DEPTH; depth++) {
            byte[] next = head.apply(length);
            heads.push(next);
            length += next.length + behind;
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        heads.forEach(all::writeBytes);
        all.writeBytes(inner);
        return all.toByteArray();
    }

    private static byte[] repeat(String digits) {
        return HexFormat.of().parseHex(digits.repeat(DEPTH));
    }

    private static byte[] little(int number) {
        return new byte[] {
            (byte) number, (byte) (number >> 8), (byte) (number >> 16), (byte) (number >> 24)
        };
    }

    private static byte[] varint(int number) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (; number > 127; number >>>= 7) {
            out.write(number & 127 | 128);
        }
        out.write(number);
        return out.toByteArray();
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
