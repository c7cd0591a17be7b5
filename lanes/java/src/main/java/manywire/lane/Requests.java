package manywire.lane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import manywire.lane.subjects.Subjects;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What this process was told so far, and what it answers. */
final class Requests {
    /** An answer: its head, and the frames that follow it. */
    record Answer(Object ok, List<byte[]> frames) {
        Answer(Object ok) {
            this(ok, List.of());
        }
    }

    private record Loaded(Coder coder, List<byte[]> payloads, List<Object> values) {}

    private final List<Subject> subjects = Subjects.ALL;
    private final Map<Integer, Loaded> loaded = new HashMap<>();
    private final JsonMapper mapper;
    private Schema schema = Schema.NONE;

    Requests(JsonMapper mapper) {
        this.mapper = mapper;
    }

    Answer answer(JsonNode request, List<byte[]> frames) throws Exception {
        String verb = request.path("verb").asText();
        return switch (verb) {
            case "describe" -> describe();
            case "schema" -> schema(request, frames.get(0));
            case "load" -> load(request, frames);
            case "digest" -> digest(request);
            case "encode" -> encode(request);
            case "run" -> run(request);
            case "memory" -> memory(request);
            default ->
                    throw new Refusal(
                            "unknown verb "
                                    + request.path("verb")
                                    + ", expected one of describe, schema, load, digest, encode,"
                                    + " run, memory");
        };
    }

    private Answer describe() {
        Runtime.Version version = Runtime.version();
        return new Answer(
                Map.of(
                        "contract",
                        1,
                        "lane",
                        "java",
                        "runtime",
                        System.getProperty("java.vm.name")
                                + " "
                                + version.feature()
                                + "."
                                + version.interim()
                                + "."
                                + version.update(),
                        "subjects",
                        subjects.stream().map(Subject::describe).toList()));
    }

    private Answer schema(JsonNode request, byte[] descriptors) throws Exception {
        JsonNode model = request.path("model");
        schema =
                new Schema(
                        request.path("proto").textValue(),
                        model.isObject() ? mapper.treeToValue(model, Model.class) : null,
                        request.path("avro").textValue(),
                        descriptors);
        return new Answer(Map.of());
    }

    private Answer load(JsonNode request, List<byte[]> frames) throws Exception {
        int index = index(request);
        loaded.remove(index);
        Coder coder = subjects.get(index).maker().make(schema);
        List<Object> values = new ArrayList<>();
        for (byte[] payload : frames) {
            values.add(coder.decode(payload));
        }
        loaded.put(index, new Loaded(coder, frames, values));
        return new Answer(Map.of());
    }

    private Answer digest(JsonNode request) {
        Loaded subject = subject(request);
        return new Answer(
                Map.of(
                        "digests",
                        subject.values.stream()
                                .map(value -> Digest.of(subject.coder.plain(value)))
                                .toList()));
    }

    private Answer encode(JsonNode request) throws Exception {
        Loaded subject = subject(request);
        List<byte[]> written = new ArrayList<>();
        for (Object value : subject.values) {
            written.add(subject.coder.encode(value));
        }
        return new Answer(Map.of("payloads", written.size()), written);
    }

    private Answer run(JsonNode request) throws Exception {
        Loaded subject = subject(request);
        boolean encodes = encodes(request);
        JsonNode window = request.path("window");
        JsonNode repeats = request.path("repeats");
        if (!window.isArray()) {
            throw new Refusal("window is " + window + ", expected a list of numbers of payloads");
        }
        int[] indexes = new int[window.size()];
        for (int at = 0; at < indexes.length; at++) {
            JsonNode index = window.get(at);
            if (!isIndex(index, subject.payloads.size())) {
                throw new Refusal(
                        "window has "
                                + index
                                + ", expected a number of the "
                                + subject.payloads.size()
                                + " payloads");
            }
            indexes[at] = index.intValue();
        }
        if (!isIndex(repeats, Long.MAX_VALUE)) {
            throw new Refusal("repeats is " + repeats + ", expected a whole number");
        }
        return new Answer(
                Meter.run(
                        operation(subject, encodes),
                        inputs(subject, encodes),
                        indexes,
                        repeats.longValue()));
    }

    private Answer memory(JsonNode request) throws Exception {
        Loaded subject = subject(request);
        boolean encodes = encodes(request);
        return new Answer(Meter.memory(operation(subject, encodes), inputs(subject, encodes)));
    }

    private static Meter.Operation operation(Loaded subject, boolean encodes) {
        Coder coder = subject.coder;
        return encodes ? coder::encode : payload -> coder.decode((byte[]) payload);
    }

    private static List<?> inputs(Loaded subject, boolean encodes) {
        return encodes ? subject.values : subject.payloads;
    }

    private static boolean encodes(JsonNode request) {
        return switch (request.path("operation").asText()) {
            case "encode" -> true;
            case "decode" -> false;
            default ->
                    throw new Refusal(
                            "operation is "
                                    + request.path("operation")
                                    + ", expected encode or decode");
        };
    }

    private int index(JsonNode request) {
        JsonNode index = request.path("subject");
        if (!isIndex(index, subjects.size())) {
            throw new Refusal(
                    "subject is " + index + ", expected a number below " + subjects.size());
        }
        return index.intValue();
    }

    private Loaded subject(JsonNode request) {
        int index = index(request);
        Loaded found = loaded.get(index);
        if (found == null) {
            throw new Refusal("subject " + index + " has no payloads; send them with `load`");
        }
        return found;
    }

    static boolean isIndex(JsonNode value, long end) {
        return value.isIntegralNumber()
                && value.canConvertToLong()
                && value.longValue() >= 0
                && value.longValue() < end;
    }
}
