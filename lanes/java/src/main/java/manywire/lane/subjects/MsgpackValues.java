package manywire.lane.subjects;

import manywire.lane.Refusal;

import org.msgpack.core.ExtensionTypeHeader;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessagePacker;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.jackson.dataformat.MessagePackExtensionType;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Hand-written code for msgpack-core, which reads and writes scalars and container headers. */
public final class MsgpackValues {
    /**
     * The largest initial capacity of a container, because its header may declare any length.
     */
    private static final int PLACES_MAX = 1024;

    private static final byte TIMESTAMP = -1;

    /** Reads one value. */
    @FunctionalInterface
    public interface Reading<T> {
        T read() throws IOException;
    }

    private MsgpackValues() {}

    /** Writes any value. */
    public static void pack(MessagePacker out, Object value) throws IOException {
        if (value == null) {
            out.packNil();
        } else if (value instanceof String text) {
            out.packString(text);
        } else if (value instanceof Long whole) {
            out.packLong(whole);
        } else if (value instanceof Boolean truth) {
            out.packBoolean(truth);
        } else if (value instanceof Double real) {
            out.packDouble(real);
        } else if (value instanceof Float real) {
            out.packFloat(real);
        } else if (value instanceof Integer whole) {
            out.packInt(whole);
        } else if (value instanceof BigInteger whole) {
            out.packBigInteger(whole);
        } else if (value instanceof BigDecimal number) {
            out.packDouble(number.doubleValue());
        } else if (value instanceof byte[] bytes) {
            out.packBinaryHeader(bytes.length);
            out.writePayload(bytes);
        } else if (value instanceof List<?> items) {
            out.packArrayHeader(items.size());
            for (Object item : items) {
                pack(out, item);
            }
        } else if (value instanceof Map<?, ?> map) {
            out.packMapHeader(map.size());
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                pack(out, entry.getKey());
                pack(out, entry.getValue());
            }
        } else if (value instanceof Instant time) {
            out.packTimestamp(time);
        } else if (value instanceof MessagePackExtensionType extension) {
            out.packExtensionTypeHeader(extension.getType(), extension.getData().length);
            out.writePayload(extension.getData());
        } else {
            throw new Refusal("a " + value.getClass().getName() + " has no form in MessagePack");
        }
    }

    /** Reads any value. */
    public static Object unpack(MessageUnpacker in) throws IOException {
        switch (in.getNextFormat().getValueType()) {
            case NIL:
                in.unpackNil();
                return null;
            case BOOLEAN:
                return in.unpackBoolean();
            case INTEGER:
                return unpackWhole(in);
            case FLOAT:
                return in.unpackDouble();
            case STRING:
                return in.unpackString();
            case BINARY:
                return in.readPayload(in.unpackBinaryHeader());
            case ARRAY:
                return MsgpackValues.<Object>unpackList(in, () -> unpack(in));
            case MAP:
                return MsgpackValues.<Object, Object>unpackMap(
                        in, () -> unpack(in), () -> unpack(in));
            case EXTENSION:
                ExtensionTypeHeader head = in.unpackExtensionTypeHeader();
                return head.getType() == TIMESTAMP
                        ? in.unpackTimestamp(head)
                        : new MessagePackExtensionType(
                                head.getType(), in.readPayload(head.getLength()));
            default:
                throw new MessagePackException("invalid first byte of a value");
        }
    }

    private static Object unpackWhole(MessageUnpacker in) throws IOException {
        // Integers beyond a long have only one format.
        switch (in.getNextFormat()) {
            case UINT64:
                BigInteger whole = in.unpackBigInteger();
                return whole.bitLength() < Long.SIZE ? (Object) whole.longValue() : whole;
            default:
                return in.unpackLong();
        }
    }

    /** Reads a number of any type as a double. */
    public static double unpackReal(MessageUnpacker in) throws IOException {
        switch (in.getNextFormat().getValueType()) {
            case INTEGER:
                return ((Number) unpackWhole(in)).doubleValue();
            default:
                return in.unpackDouble();
        }
    }

    public static <T> List<T> unpackList(MessageUnpacker in, Reading<T> item) throws IOException {
        int count = in.unpackArrayHeader();
        List<T> items = new ArrayList<>(Math.min(count, PLACES_MAX));
        for (; count > 0; count--) {
            items.add(item.read());
        }
        return items;
    }

    public static <K, V> Map<K, V> unpackMap(MessageUnpacker in, Reading<K> key, Reading<V> value)
            throws IOException {
        Map<K, V> entries = new LinkedHashMap<>();
        for (int count = in.unpackMapHeader(); count > 0; count--) {
            entries.put(key.read(), value.read());
        }
        return entries;
    }
}
