package manywire.lane.subjects;

import com.fasterxml.jackson.annotation.JsonProperty;

import manywire.lane.Refusal;
import manywire.lane.generate.Classes;

import org.msgpack.core.ExtensionTypeHeader;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.jackson.dataformat.MessagePackExtensionType;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Converts objects of generated classes to maps, for digests. */
final class Plain {
    private static final byte TIMESTAMP = -1;

    private Plain() {}

    static Object of(Object value) {
        if (value instanceof List<?> items) {
            List<Object> plain = new ArrayList<>();
            items.forEach(item -> plain.add(of(item)));
            return plain;
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> plain = new LinkedHashMap<>();
            map.forEach((key, each) -> plain.put(key, of(each)));
            return plain;
        }
        if (value instanceof MessagePackExtensionType extension) {
            return extension(extension);
        }
        return value != null && Classes.isMade(value.getClass()) ? fields(value) : value;
    }

    private static Object fields(Object value) {
        Map<Object, Object> plain = new LinkedHashMap<>();
        try {
            for (Field field : value.getClass().getFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    plain.put(
                            field.getAnnotation(JsonProperty.class).value(), of(field.get(value)));
                }
            }
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
        return plain;
    }

    private static Object extension(MessagePackExtensionType extension) {
        byte[] data = extension.getData();
        if (extension.getType() != TIMESTAMP) {
            throw new Refusal(
                    "an extension (MessagePack " + extension.getType() + ") has no digest");
        }
        try (MessageUnpacker in = MessagePack.newDefaultUnpacker(data)) {
            return in.unpackTimestamp(new ExtensionTypeHeader(TIMESTAMP, data.length));
        } catch (IOException error) {
            throw new Refusal("a timestamp of " + data.length + " bytes: " + error.getMessage());
        }
    }
}
