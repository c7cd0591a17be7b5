package manywire.lane.generate;

import manywire.lane.Model;

import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The generated classes of the payloads: public fields with annotations for the names in Jackson,
 * fastjson2 and bson.
 */
public final class Classes {
    static final String PACKAGE = "manywire.generated";

    private final ClassLoader loader;
    private final Types types;

    private Classes(Types types, ClassLoader loader) {
        this.types = types;
        this.loader = loader;
    }

    /** Generates the classes for a model, and compiles them unless they are cached. */
    public static Classes of(Model model) throws Exception {
        Types types = new Types(model);
        Map<String, String> sources = new LinkedHashMap<>();
        for (Types.Record record : types.records()) {
            sources.put(path(record.name()), source(record));
        }
        sources.put(
                path("Payload"),
                header()
                        + "public final class Payload {\n    public "
                        + types.root.boxed()
                        + " root;\n}\n");
        sources.put(path("MapPacker"), new PackerSource(types, "MapPacker", false).toString());
        sources.put(path("ArrayPacker"), new PackerSource(types, "ArrayPacker", true).toString());
        return new Classes(types, Compiler.compile(sources));
    }

    /** Returns the type of a whole payload. */
    public java.lang.reflect.Type root() throws ReflectiveOperationException {
        Field root = loader.loadClass(PACKAGE + ".Payload").getField("root");
        return root.getGenericType();
    }

    /** Returns these classes, or fails if records as arrays would be ambiguous. */
    public Classes asArrays() {
        types.needPlainRecords();
        return this;
    }

    /** Returns the class of a whole payload, or {@code null} if it is not a record. */
    public Class<?> rootClass() throws ReflectiveOperationException {
        return types.root instanceof Type.Class named
                ? loader.loadClass(PACKAGE + "." + named.name())
                : null;
    }

    /** Returns the classes of all records. */
    public Class<?>[] all() throws ReflectiveOperationException {
        Class<?>[] classes = new Class<?>[types.records().size()];
        for (int index = 0; index < classes.length; index++) {
            classes[index] = loader.loadClass(PACKAGE + "." + types.records().get(index).name());
        }
        return classes;
    }

    /** Returns the generated code that uses msgpack-core. */
    public Packer packer(boolean isArray) throws ReflectiveOperationException {
        Class<?> made = loader.loadClass(PACKAGE + (isArray ? ".ArrayPacker" : ".MapPacker"));
        return (Packer) made.getConstructor().newInstance();
    }

    /** Returns whether a class was generated. */
    public static boolean isMade(Class<?> type) {
        return type.getPackageName().equals(PACKAGE);
    }

    static String header() {
        return "package " + PACKAGE + ";\n\n";
    }

    private static String path(String name) {
        return PACKAGE.replace('.', '/') + "/" + name + ".java";
    }

    private static String source(Types.Record record) {
        StringBuilder out = new StringBuilder(header());
        out.append("@com.fasterxml.jackson.annotation.JsonPropertyOrder({");
        record.properties().forEach(property -> out.append(literal(property.key())).append(", "));
        out.append("})\npublic final class ").append(record.name()).append(" {\n");
        for (Types.Property property : record.properties()) {
            String key = literal(property.key());
            out.append("    @com.fasterxml.jackson.annotation.JsonProperty(")
                    .append(key)
                    .append(")\n");
            String inclusion = property.isOptional() ? "NON_NULL" : "ALWAYS";
            out.append(
                            "    @com.fasterxml.jackson.annotation.JsonInclude(com.fasterxml.jackson.annotation.JsonInclude.Include.")
                    .append(inclusion)
                    .append(")\n");
            String nulls =
                    property.isOptional()
                            ? ""
                            : ", serializeFeatures ="
                                  + " com.alibaba.fastjson2.JSONWriter.Feature.WriteNulls";
            out.append("    @com.alibaba.fastjson2.annotation.JSONField(name = ")
                    .append(key)
                    .append(nulls)
                    .append(")\n");
            out.append("    @org.bson.codecs.pojo.annotations.BsonProperty(")
                    .append(key)
                    .append(")\n");
            out.append("    public ")
                    .append(property.type().plain())
                    .append(' ')
                    .append(property.field())
                    .append(";\n\n");
        }
        return out.append("}\n").toString();
    }

    /**
     * Returns a text as a string literal. The compiler replaces Unicode escapes before it looks for the end
     * of a literal, so ASCII characters get octal escapes instead (The Java Language Specification,
     * sections 3.3 and 3.10.7).
     */
    static String literal(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            boolean isPlain = c >= ' ' && c < 127 && c != '"' && c != '\\';
            String escape = c < 128 ? "\\%03o" : "\\u%04x";
            out.append(isPlain ? String.valueOf(c) : String.format(escape, (int) c));
        }
        return out.append('"').toString();
    }
}
