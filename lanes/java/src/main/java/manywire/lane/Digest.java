package manywire.lane;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Computes the canonical digest of a value, as CONTRACT.md defines it. */
final class Digest {
    private static final BigInteger WHOLE_MIN = BigInteger.ONE.shiftLeft(63).negate();
    private static final BigInteger WHOLE_END = BigInteger.ONE.shiftLeft(64);
    // The maximum number of digits before the point of a number within 64 bits.
    private static final int WHOLE_DIGITS_MAX = 20;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private Digest() {}

    /** Returns the SHA-256 of the canonical form of a value, in hexadecimal. */
    static String of(Object value) {
        Digest form = new Digest();
        form.value(value);
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(form.out.toByteArray()));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private void value(Object value) {
        if (value == null) {
            out.write('n');
        } else if (value instanceof Boolean truth) {
            out.write(truth ? 't' : 'f');
        } else if (value instanceof Number number) {
            number(number);
        } else if (value instanceof String text) {
            sized('s', utf8(text));
        } else if (value instanceof byte[] bytes) {
            sized('b', bytes);
        } else if (value instanceof List<?> items) {
            ascii("a" + items.size() + ":");
            items.forEach(this::value);
        } else if (value instanceof Map<?, ?> map) {
            entries(map);
        } else if (value instanceof Instant time) {
            ascii("T" + time.getEpochSecond() + "." + time.getNano() + ";");
        } else if (value instanceof Date date) {
            value(date.toInstant());
        } else {
            throw new Refusal("an extension (" + value.getClass().getName() + ") has no digest");
        }
    }

    private void entries(Map<?, ?> map) {
        TreeMap<byte[], byte[]> forms = new TreeMap<>(Arrays::compareUnsigned);
        map.forEach(
                (key, value) -> {
                    Digest name = new Digest();
                    name.sized('s', utf8(key(key)));
                    if (value == null) {
                        forms.remove(name.out.toByteArray());
                        return;
                    }
                    Digest form = new Digest();
                    form.value(value);
                    forms.put(name.out.toByteArray(), form.out.toByteArray());
                });
        ascii("m" + forms.size() + ":");
        forms.forEach(
                (name, form) -> {
                    out.writeBytes(name);
                    out.writeBytes(form);
                });
    }

    private static String key(Object key) {
        boolean isText = key instanceof String || key instanceof Boolean;
        boolean isWhole =
                key instanceof Integer
                        || key instanceof Long
                        || key instanceof Short
                        || key instanceof BigInteger;
        if (!isText && !isWhole) {
            throw new Refusal(
                    "a "
                            + (key == null ? "null" : key.getClass().getSimpleName())
                            + " as a key has no digest");
        }
        return key.toString();
    }

    private void number(Number number) {
        if (number instanceof Double || number instanceof Float) {
            real(number.doubleValue());
        } else if (number instanceof BigInteger whole) {
            whole(whole);
        } else if (number instanceof BigDecimal decimal) {
            decimal(decimal);
        } else {
            ascii("i" + number.longValue() + ";");
        }
    }

    private void decimal(BigDecimal decimal) {
        boolean isNear = decimal.precision() - (long) decimal.scale() <= WHOLE_DIGITS_MAX;
        if (decimal.signum() == 0) {
            ascii("i0;");
        } else if (isNear && decimal.stripTrailingZeros().scale() <= 0) {
            whole(decimal.toBigInteger());
        } else {
            real(decimal.doubleValue());
        }
    }

    private void whole(BigInteger whole) {
        if (whole.compareTo(WHOLE_MIN) >= 0 && whole.compareTo(WHOLE_END) < 0) {
            ascii("i" + whole + ";");
        } else {
            real(whole.doubleValue());
        }
    }

    private void real(double real) {
        if (real == Math.rint(real) && real >= -0x1p63 && real < 0x1p64) {
            ascii("i" + new BigDecimal(real).toBigInteger() + ";");
            return;
        }
        out.write('d');
        // doubleToLongBits returns the NaN that the contract requires.
        out.writeBytes(ByteBuffer.allocate(8).putLong(Double.doubleToLongBits(real)).array());
    }

    private void sized(char kind, byte[] content) {
        ascii(kind + "" + content.length + ":");
        out.writeBytes(content);
    }

    private void ascii(String text) {
        out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] utf8(String text) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            return Arrays.copyOf(bytes.array(), bytes.limit());
        } catch (CharacterCodingException error) {
            throw new Refusal("text with half of a surrogate pair has no UTF-8");
        }
    }
}
