package manywire.lane.generate;

import java.util.List;

/**
 * Generates the code that reads and writes classes with msgpack-core, which has no data binding.
 * Records are maps by field name, or arrays of fields in order.
 */
final class PackerSource {
    private final boolean isArray;
    private final StringBuilder out = new StringBuilder(Classes.header());
    private int variables;

    PackerSource(Types types, String name, boolean isArray) {
        this.isArray = isArray;
        line("import java.io.IOException;");
        line("import manywire.lane.subjects.MsgpackValues;");
        line("import org.msgpack.core.MessagePacker;");
        line("import org.msgpack.core.MessageUnpacker;");
        line("");
        line("@SuppressWarnings({\"unchecked\", \"rawtypes\"})");
        line("public final class " + name + " implements manywire.lane.generate.Packer {");
        line("@Override public void pack(MessagePacker out, Object value) throws IOException {");
        String root = types.root.boxed();
        line(root + " root = (" + root + ") value;");
        write(types.root, "root");
        line("}");
        line("@Override public Object unpack(MessageUnpacker in) throws IOException {");
        line("return " + read(types.root) + ";");
        line("}");
        for (Types.Record record : types.records()) {
            writer(record);
            reader(record);
        }
        line("}");
    }

    @Override
    public String toString() {
        return out.toString();
    }

    private void writer(Types.Record record) {
        List<Types.Property> properties = record.properties();
        line(
                "private static void write(MessagePacker out, "
                        + record.name()
                        + " v) throws IOException {");
        if (isArray) {
            line("out.packArrayHeader(" + properties.size() + ");");
            properties.forEach(property -> write(property.type(), "v." + property.field()));
        } else {
            line("int count = " + properties.size() + ";");
            properties.stream()
                    .filter(Types.Property::isOptional)
                    .forEach(property -> line("if (v." + property.field() + " == null) count--;"));
            line("out.packMapHeader(count);");
            properties.forEach(this::writeEntry);
        }
        line("}");
    }

    private void writeEntry(Types.Property property) {
        String value = "v." + property.field();
        if (property.isOptional()) {
            line("if (" + value + " != null) {");
        }
        line("out.packString(" + Classes.literal(property.key()) + ");");
        write(property.type(), value);
        if (property.isOptional()) {
            line("}");
        }
    }

    private void write(Type type, String value) {
        if (type instanceof Type.Scalar scalar) {
            switch (scalar) {
                case BOOL -> line("out.packBoolean(" + value + ");");
                case LONG -> line("out.packLong(" + value + ");");
                case FLOAT -> line("out.packFloat(" + value + ");");
                case DOUBLE -> line("out.packDouble(" + value + ");");
                case STRING -> line("out.packString(" + value + ");");
                case BYTES ->
                        line(
                                "out.packBinaryHeader("
                                        + value
                                        + ".length); out.writePayload("
                                        + value
                                        + ");");
                case BIG -> line("out.packBigInteger(" + value + ");");
            }
        } else if (type instanceof Type.Anything) {
            line("MsgpackValues.pack(out, " + value + ");");
        } else if (type instanceof Type.Class) {
            line("write(out, " + value + ");");
        } else if (type instanceof Type.Nullable nullable) {
            line("if (" + value + " == null) out.packNil(); else {");
            write(nullable.inner(), value);
            line("}");
        } else if (type instanceof Type.List list) {
            String item = variable();
            line("out.packArrayHeader(" + value + ".size());");
            line("for (" + list.item().boxed() + " " + item + " : " + value + ") {");
            write(list.item(), item);
            line("}");
        } else if (type instanceof Type.Map map) {
            String entry = variable();
            line("out.packMapHeader(" + value + ".size());");
            line("for (var " + entry + " : " + value + ".entrySet()) {");
            write(map.key(), entry + ".getKey()");
            write(map.value(), entry + ".getValue()");
            line("}");
        }
    }

    private void reader(Types.Record record) {
        String name = record.name();
        line(
                "private static "
                        + name
                        + " read"
                        + name
                        + "(MessageUnpacker in) throws IOException {");
        line(name + " v = new " + name + "();");
        if (isArray) {
            line("int count = in.unpackArrayHeader();");
            int place = 0;
            for (Types.Property property : record.properties()) {
                line(
                        "if (count > "
                                + place
                                + ") v."
                                + property.field()
                                + " = "
                                + read(property.type())
                                + ";");
                place++;
            }
            line("for (int at = " + place + "; at < count; at++) in.skipValue();");
        } else {
            line("for (int count = in.unpackMapHeader(); count > 0; count--) {");
            line("switch (in.unpackString()) {");
            for (Types.Property property : record.properties()) {
                line(
                        "case "
                                + Classes.literal(property.key())
                                + ": v."
                                + property.field()
                                + " = "
                                + read(property.type())
                                + "; break;");
            }
            line("default: in.skipValue();");
            line("} }");
        }
        line("return v;");
        line("}");
    }

    /** Returns an expression that reads a value. Containers are read by helper functions. */
    private String read(Type type) {
        if (type instanceof Type.Scalar scalar) {
            return switch (scalar) {
                case BOOL -> "in.unpackBoolean()";
                case LONG -> "in.unpackLong()";
                case FLOAT -> "(float) MsgpackValues.unpackReal(in)";
                case DOUBLE -> "MsgpackValues.unpackReal(in)";
                case STRING -> "in.unpackString()";
                case BYTES -> "in.readPayload(in.unpackBinaryHeader())";
                case BIG -> "in.unpackBigInteger()";
            };
        } else if (type instanceof Type.Class named) {
            return "read" + named.name() + "(in)";
        } else if (type instanceof Type.Nullable nullable) {
            return "(in.tryUnpackNil() ? null : " + read(nullable.inner()) + ")";
        } else if (type instanceof Type.List list) {
            return "MsgpackValues.<"
                    + list.item().boxed()
                    + ">unpackList(in, () -> "
                    + read(list.item())
                    + ")";
        } else if (type instanceof Type.Map map) {
            return "MsgpackValues.<"
                    + map.key().boxed()
                    + ", "
                    + map.value().boxed()
                    + ">unpackMap(in, () -> "
                    + read(map.key())
                    + ", () -> "
                    + read(map.value())
                    + ")";
        }
        return "MsgpackValues.unpack(in)";
    }

    private String variable() {
        return "e" + variables++;
    }

    private void line(String text) {
        out.append(text).append('\n');
    }
}
