package manywire.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.util.HexFormat;
import java.util.List;

/** Values that JSON cannot represent, from bytes written by hand by each format's specification. */
class ValuesTest {
    private static final String ZEROS = "000000000000";

    /**
     * A payload in hexadecimal, and the canonical form of its value; {@code null} if it has none.
     */
    private record Case(String format, String payload, Object... form) {}

    private static Case of(String format, String payload, Object... form) {
        return new Case(format, payload, form);
    }

    private static final List<Case> CASES =
            List.of(
                    of("json", text("18446744073709551615"), "i18446744073709551615;"),
                    of("json", text("18446744073709551616"), "d", hex("43f0" + ZEROS)),
                    of("json", text("-9223372036854775809"), "i-9223372036854775808;"),
                    of("json", text("[-0.0,2.0,1e3,0.5]"), "a4:i0;i2;i1000;d", hex("3fe0" + ZEROS)),
                    of(
                            "json",
                            text("{\"b\":null,\"aa\":1,\"\u00e9\":true,\"a\":[]}"),
                            "m3:s1:aa0:s2:aai1;s2:",
                            hex("c3a9"),
                            "t"),
                    of("json", text("{\"a\":1,\"a\":2}"), "m1:s1:ai2;"),
                    of("msgpack", "c4020102", "b2:", hex("0102")),
                    of("msgpack", "d6ff00000001", "T1.0;"),
                    of("msgpack", "d7ff77359400514b6770", "T1363896176.500000000;"),
                    of("msgpack", "ca3e000000", "d", hex("3fc0" + ZEROS)),
                    of("msgpack", "cb7ff8000000000001", "d", hex("7ff8" + ZEROS)),
                    of("msgpack", "cbfff0" + ZEROS, "d", hex("fff0" + ZEROS)),
                    of("msgpack", "cfffffffffffffffff", "i18446744073709551615;"),
                    of("msgpack", "d40500"),
                    of("cbor", "420102", "b2:", hex("0102")),
                    of("cbor", "c249010000000000000000", "d", hex("43f0" + ZEROS)),
                    of("cbor", "f93c00", "i1;"),
                    of("bson", "0f0000000561000200000000010200", "m1:s1:ab2:", hex("0102")),
                    of("bson", "10000000096100e80300000000000000", "m1:s1:aT1.0;"),
                    of("bson", "10000000096100ffffffffffffffff00", "m1:s1:aT-1.999000000;"),
                    of("bson", "1000000012610002000000000000000000".substring(0, 32), "m1:s1:ai2;"),
                    of("bson", "0f0000000561000200000080010200"),
                    of("bson", "1400000007610001010101010101010101010100"));

    @Test
    void valuesBeyondJsonHaveTheDigestOfTheContract() throws Exception {
        try (LaneProcess lane = new LaneProcess()) {
            JsonNode subjects = lane.subjects();
            for (int index = 0; index < subjects.size(); index++) {
                JsonNode subject = subjects.get(index);
                for (Case each : CASES) {
                    if (subject.get("target").asText().equals("dynamic")
                            && subject.get("format").asText().equals(each.format)) {
                        check(lane, index, each, LaneProcess.name(subject) + " " + each.payload);
                    }
                }
            }
        }
    }

    private static void check(LaneProcess lane, int index, Case each, String name)
            throws Exception {
        JsonNode loaded = lane.load(index, List.of(hex(each.payload)));
        assertTrue(loaded.has("ok"), name + ": " + loaded);
        JsonNode answer = lane.digest(index);
        if (each.form.length == 0) {
            assertTrue(
                    answer.path("error").asText().contains("an extension"), name + ": " + answer);
            return;
        }
        ByteArrayOutputStream form = new ByteArrayOutputStream();
        for (Object part : each.form) {
            form.writeBytes(part instanceof byte[] bytes ? bytes : hex(text((String) part)));
        }
        String expected = HexFormat.of().formatHex(Expected.sha256(form.toByteArray()));
        assertEquals(
                expected, answer.path("ok").path("digests").path(0).asText(), name + ": " + answer);
    }

    private static String text(String text) {
        return HexFormat.of().formatHex(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }
}
