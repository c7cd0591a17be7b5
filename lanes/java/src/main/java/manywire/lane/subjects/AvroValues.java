package manywire.lane.subjects;

import manywire.lane.Refusal;

import org.apache.avro.Schema;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Converts data of Avro libraries to the value that it represents. Attributes {@code manywire.…}
 * of the schema have the names and forms that Avro cannot express. Only digests use this class.
 */
final class AvroValues {
    private final Schema root;

    AvroValues(Schema root) {
        this.root = root;
    }

    Object plain(Object datum) {
        return of(datum, root);
    }

    private Object of(Object datum, Schema schema) {
        if (datum == null) {
            return null;
        }
        return switch (schema.getType()) {
            case UNION -> of(datum, branch(datum, schema));
            case RECORD -> record((Map<?, ?>) datum, schema);
            case ARRAY -> array((List<?>) datum, schema.getElementType());
            case MAP -> {
                Map<Object, Object> plain = new LinkedHashMap<>();
                ((Map<?, ?>) datum)
                        .forEach((key, each) -> plain.put(key, of(each, schema.getValueType())));
                yield plain;
            }
            case ENUM ->
                    schema.getObjectProp("manywire.symbols") instanceof List<?> names
                            ? names.get(schema.getEnumOrdinal(datum.toString()))
                            : datum;
            default -> datum;
        };
    }

    /**
     * Returns the branch of a union for a datum. Fails if several branches fit a record, because
     * Jackson drops the names of records.
     */
    private static Schema branch(Object datum, Schema union) {
        List<Schema> fitting =
                union.getTypes().stream().filter(branch -> holds(branch, datum)).toList();
        if (fitting.size() > 1 && datum instanceof Map) {
            throw new Refusal("Jackson does not say which record of a union it read");
        }
        return fitting.isEmpty() ? Schema.create(Schema.Type.NULL) : fitting.get(0);
    }

    private static boolean holds(Schema schema, Object datum) {
        return switch (schema.getType()) {
            case RECORD ->
                    datum instanceof Map<?, ?> map
                            && map.size() == schema.getFields().size()
                            && schema.getFields().stream()
                                    .allMatch(field -> map.containsKey(field.name()));
            case MAP -> datum instanceof Map;
            case ARRAY -> datum instanceof List;
            case ENUM, STRING -> datum instanceof String;
            case BYTES, FIXED -> datum instanceof byte[] || datum instanceof BigDecimal;
            case INT, LONG -> datum instanceof Integer || datum instanceof Long;
            case FLOAT, DOUBLE -> datum instanceof Float || datum instanceof Double;
            case BOOLEAN -> datum instanceof Boolean;
            default -> false;
        };
    }

    private Object array(List<?> data, Schema items) {
        if ("entry".equals(items.getProp("manywire.role"))) {
            Map<Object, Object> plain = new LinkedHashMap<>();
            for (Object entry : data) {
                List<Object> pair = fields((Map<?, ?>) entry, items);
                plain.put(pair.get(0), pair.get(1));
            }
            return plain;
        }
        List<Object> plain = new ArrayList<>();
        data.forEach(item -> plain.add(of(item, items)));
        return plain;
    }

    private List<Object> fields(Map<?, ?> datum, Schema schema) {
        List<Object> fields = new ArrayList<>();
        schema.getFields()
                .forEach(field -> fields.add(of(datum.get(field.name()), field.schema())));
        return fields;
    }

    private Object record(Map<?, ?> datum, Schema schema) {
        List<Object> items = fields(datum, schema);
        String role = schema.getProp("manywire.role");
        return switch (role == null ? "record" : role) {
            case "tuple" -> items;
            case "transparent" -> items.get(0);
            case "timestamp" ->
                    Instant.ofEpochSecond(
                            ((Number) items.get(0)).longValue(),
                            ((Number) items.get(1)).longValue());
            case "number" -> new BigDecimal(items.get(0).toString());
            case "extension" ->
                    throw new Refusal(
                            "an extension ("
                                    + items.get(0)
                                    + " "
                                    + items.get(1)
                                    + ") has no digest");
            default -> named(items, schema);
        };
    }

    private static Object named(List<Object> items, Schema schema) {
        if (schema.getObjectProp("manywire.variant") != null) {
            throw new Refusal("Jackson does not say which variant of a sum type it read");
        }
        Map<Object, Object> plain = new LinkedHashMap<>();
        for (Schema.Field field : schema.getFields()) {
            Object item = items.get(field.pos());
            String name = field.getProp("manywire.name");
            if (Boolean.TRUE.equals(field.getObjectProp("manywire.rest"))) {
                ((Map<?, ?>) item).forEach(plain::put);
            } else {
                plain.put(name == null ? field.name() : name, item);
            }
        }
        return plain;
    }
}
