package manywire.lane.subjects;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;

import manywire.lane.Model;
import manywire.lane.Refusal;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Converts messages to the values that they represent, by the model that CONTRACT.md describes.
 * Only digests use this class: programs use messages directly.
 */
final class MessageReader {
    private final Model model;

    MessageReader(Model model) {
        this.model = model;
    }

    Object root(Message message) {
        return message(message, model.message(model.root()));
    }

    private Object message(Message message, Model.Message type) {
        List<Model.Field> fields = type.fields();
        return switch (type.form()) {
            case "record" -> record(message, type);
            case "wrapper" -> field(message, fields.get(0));
            case "tuple" -> {
                List<Object> items = new ArrayList<>();
                fields.forEach(field -> items.add(field(message, field)));
                yield items;
            }
            case "union", "variants" -> {
                Model.Field set =
                        fields.stream()
                                .filter(field -> get(message, field) != null)
                                .findFirst()
                                .orElse(null);
                Object value = set == null ? null : field(message, set);
                // The value may be null, which Map.of does not accept.
                yield set == null || type.form().equals("union")
                        ? value
                        : single(set.name(), value);
            }
            case "null" -> null;
            case "timestamp" ->
                    Instant.ofEpochSecond(
                            ((Number) field(message, fields.get(0))).longValue(),
                            ((Number) field(message, fields.get(1))).longValue());
            default ->
                    throw new Refusal(
                            "a message of the form " + type.form() + " cannot be a whole value");
        };
    }

    private static Map<Object, Object> single(Object key, Object value) {
        Map<Object, Object> map = new LinkedHashMap<>();
        map.put(key, value);
        return map;
    }

    private Object record(Message message, Model.Message type) {
        Map<Object, Object> value = new LinkedHashMap<>();
        for (Model.Field field : type.fields()) {
            Object found = field(message, field);
            if (field.proto().equals(type.rest())) {
                ((Map<?, ?>) found).forEach(value::put);
            } else {
                value.put(field.name(), found);
            }
        }
        return value;
    }

    /** Returns a field of a message, or {@code null} if it is absent. */
    private static Object get(Message message, Model.Field field) {
        FieldDescriptor described = message.getDescriptorForType().findFieldByName(field.proto());
        boolean isAbsent = described.hasPresence() && !message.hasField(described);
        return isAbsent ? null : message.getField(described);
    }

    private Object field(Message message, Model.Field field) {
        Object value = get(message, field);
        Model.Message type = field.isMessage() ? model.message(field.of()) : null;
        if (type != null && (type.form().equals("map") || type.form().equals("entry"))) {
            Map<Object, Object> entries = new LinkedHashMap<>();
            for (Object entry : (List<?>) value) {
                entries.put(
                        field((Message) entry, type.fields().get(0)),
                        field((Message) entry, type.fields().get(1)));
            }
            return entries;
        }
        if (field.isRepeated()) {
            List<?> items = (List<?>) value;
            // An array without items is an empty array if absence means zero, otherwise null.
            return items.isEmpty() && !field.absent().equals("zero") ? null : items(items, field);
        }
        return value == null ? null : item(value, field);
    }

    private List<Object> items(List<?> items, Model.Field field) {
        List<Object> read = new ArrayList<>();
        items.forEach(item -> read.add(item(item, field)));
        return read;
    }

    private Object item(Object value, Model.Field field) {
        return switch (field.kind()) {
            case "message" -> message((Message) value, model.message(field.of()));
            case "enum" -> {
                int number = ((EnumValueDescriptor) value).getNumber();
                String name = model.enums().get(field.of()).get(number);
                yield name == null ? (Object) number : name;
            }
            case "bytes" -> ((ByteString) value).toByteArray();
            case "uint32", "fixed32" -> Integer.toUnsignedLong((Integer) value);
            case "uint64", "fixed64" -> new BigInteger(Long.toUnsignedString((Long) value));
            case "bigint" -> new BigInteger((String) value);
            case "number" -> new BigDecimal((String) value);
            default -> value;
        };
    }
}
