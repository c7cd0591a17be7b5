package manywire.lane;

/** The schema of the payloads. A member is {@code null} if the shape has no such schema. */
public record Schema(String proto, Model model, String avro, byte[] descriptors) {
    static final Schema NONE = new Schema(null, null, null, null);

    public Model modelNeeded() {
        return needed(model, "model");
    }

    public String protoNeeded() {
        return needed(proto, "proto");
    }

    public String avroNeeded() {
        return needed(avro, "avro");
    }

    private static <T> T needed(T value, String member) {
        if (value == null) {
            throw new Refusal(
                    "the payloads have no "
                            + member
                            + ": it must be in the request `schema`, before `load`");
        }
        return value;
    }
}
