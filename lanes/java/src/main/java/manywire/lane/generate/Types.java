package manywire.lane.generate;

import manywire.lane.Model;
import manywire.lane.Refusal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import javax.lang.model.SourceVersion;

/** The classes for the records of a model, and the type of a whole payload. */
final class Types {
    /** A class: the fields of a record, in order. */
    record Record(String name, List<Property> properties) {}

    /**
     * A field: its name in the class and in the value, and whether it is omitted if null.
     */
    record Property(String field, String key, Type type, boolean isOptional) {}

    private final Model model;
    private final Map<String, String> names = new HashMap<>();
    private final List<Record> records = new ArrayList<>();
    // The messages without a generated class that are being resolved.
    private final Set<String> open = new HashSet<>();
    final Type root;

    Types(Model model) {
        this.model = model;
        this.root = message(model.root());
    }

    /**
     * Throws a {@link Refusal} if a union contains a record, which would be ambiguous as an array.
     */
    void needPlainRecords() {
        model.messages()
                .forEach(
                        (name, message) -> {
                            if (message.form().equals("union")
                                    && holdsRecord(message, new HashSet<>())) {
                                throw new Refusal(
                                        "a union has a record, and in an array nothing says which"
                                            + " fields it has");
                            }
                        });
    }

    private boolean holdsRecord(Model.Message message, Set<String> seen) {
        return message.fields().stream()
                .filter(field -> field.isMessage() && seen.add(field.of()))
                .map(field -> model.message(field.of()))
                .anyMatch(
                        inner ->
                                inner.form().equals("record")
                                        || inner.form().equals("variants")
                                        || holdsRecord(inner, seen));
    }

    List<Record> records() {
        return records;
    }

    private Type message(String name) {
        Model.Message message = model.message(name);
        return switch (message.form()) {
            case "record", "variants" -> new Type.Class(record(name, message));
            case "wrapper" -> {
                if (!open.add(name)) {
                    yield new Type.Anything();
                }
                Type inner = place(message.fields().get(0));
                open.remove(name);
                yield inner;
            }
                // Java has neither union types nor tuples.
            case "union", "tuple", "null" -> new Type.Anything();
            default ->
                    throw new Refusal(
                            "the generated classes cannot represent "
                                    + name
                                    + ", a "
                                    + message.form());
        };
    }

    private String record(String name, Model.Message message) {
        String known = names.get(name);
        if (known != null) {
            return known;
        }
        if (message.rest() != null) {
            throw new Refusal(
                    "the generated classes cannot represent the entries of "
                            + name
                            + " that are not fields");
        }
        String className = "T" + names.size();
        names.put(name, className);
        Map<String, Property> properties = new LinkedHashMap<>();
        for (Model.Field field : message.fields()) {
            boolean isVariant = message.form().equals("variants");
            boolean isOptional = isVariant || field.absent().equals("missing");
            Type type = place(field);
            boolean isNullable = isOptional || field.absent().equals("null");
            if (isNullable && !(type instanceof Type.Nullable)) {
                type = new Type.Nullable(type);
            }
            String identifier = identifier(field.proto());
            properties.put(identifier, new Property(identifier, field.name(), type, isOptional));
        }
        records.add(new Record(className, List.copyOf(properties.values())));
        return className;
    }

    private Type place(Model.Field field) {
        if (field.isMessage()) {
            Model.Message of = model.message(field.of());
            if (of.form().equals("map") || of.form().equals("entry")) {
                return new Type.Map(place(of.fields().get(0)), place(of.fields().get(1)));
            }
        }
        Type item = item(field);
        if (field.isRepeated()) {
            return new Type.List(item);
        }
        return field.absent().equals("null") ? new Type.Nullable(item) : item;
    }

    private Type item(Model.Field field) {
        return switch (field.kind()) {
            case "message" -> message(field.of());
            case "bool" -> Type.Scalar.BOOL;
            case "string", "enum" -> Type.Scalar.STRING;
            case "bytes" -> Type.Scalar.BYTES;
            case "float" -> Type.Scalar.FLOAT;
            case "double" -> Type.Scalar.DOUBLE;
                // A long is less than 2^63.
            case "uint64", "fixed64", "bigint" -> Type.Scalar.BIG;
            case "number" -> new Type.Anything();
            default -> Type.Scalar.LONG;
        };
    }

    /** Returns a Java name for a field of a `.proto`: letters, digits and underscores. */
    private static String identifier(String name) {
        return SourceVersion.isKeyword(name) || name.equals("_") ? name + "_" : name;
    }
}
