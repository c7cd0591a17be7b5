package manywire.lane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.TreeMap;

/** The expected digest of a JSON document, implemented independently from CONTRACT.md. */
final class Expected {
    private Expected() {}

    static String digest(byte[] text, String format) throws Exception {
        JsonNode value = new ObjectMapper().readTree(text);
        return HexFormat.of().formatHex(sha256(form(value, format.equals("bson"))));
    }

    static byte[] sha256(byte[] form) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(form);
    }

    /** The root of BSON is a document: an array becomes one whose keys are its indexes. */
    private static byte[] form(JsonNode value, boolean isDocument) {
        switch (value.getNodeType()) {
            case NULL:
                return bytes("n");
            case BOOLEAN:
                return bytes(value.booleanValue() ? "t" : "f");
            case NUMBER:
                BigDecimal number = value.decimalValue();
                boolean isWhole =
                        number.stripTrailingZeros().scale() <= 0
                                && number.abs().compareTo(new BigDecimal(0x1p63)) < 0;
                return isWhole
                        ? bytes("i" + number.toBigIntegerExact() + ";")
                        : ByteBuffer.allocate(9)
                                .put((byte) 'd')
                                .putDouble(value.doubleValue())
                                .array();
            case STRING:
                return text(value.textValue());
            case ARRAY:
                if (!isDocument) {
                    ByteArrayOutputStream items = new ByteArrayOutputStream();
                    items.writeBytes(bytes("a" + value.size() + ":"));
                    value.forEach(item -> items.writeBytes(form(item, false)));
                    return items.toByteArray();
                }
                break;
            default:
                break;
        }
        TreeMap<byte[], byte[]> forms = new TreeMap<>(Arrays::compareUnsigned);
        if (value.isArray()) {
            for (int index = 0; index < value.size(); index++) {
                forms.put(text("" + index), form(value.get(index), false));
            }
        }
        value.properties()
                .forEach(
                        entry -> {
                            if (!entry.getValue().isNull()) {
                                forms.put(text(entry.getKey()), form(entry.getValue(), false));
                            }
                        });
        ByteArrayOutputStream entries = new ByteArrayOutputStream();
        entries.writeBytes(bytes("m" + forms.size() + ":"));
        forms.forEach(
                (key, each) -> {
                    entries.writeBytes(key);
                    entries.writeBytes(each);
                });
        return entries.toByteArray();
    }

    private static byte[] text(String text) {
        byte[] content = bytes(text);
        byte[] head = bytes("s" + content.length + ":");
        return ByteBuffer.allocate(head.length + content.length).put(head).put(content).array();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
