package manywire.lane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import manywire.lane.http.Fetcher;
import manywire.lane.http.Gzip;
import manywire.lane.http.Service;
import manywire.lane.subjects.Subjects;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Executes requests, and keeps the schema and the loaded payloads. */
final class Requests {
    /** A response: its head, and the frames that follow it. */
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
    private Service service;

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
            case "serve" -> serve(request);
            case "served" -> served();
            case "fetch" -> fetch(request);
            default ->
                    throw new Refusal(
                            "unknown verb "
                                    + request.path("verb")
                                    + ", expected one of describe, schema, load, digest, encode,"
                                    + " run, memory, serve, served, fetch");
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
                        "http",
                        Map.of(
                                "server",
                                "com.sun.net.httpserver",
                                "client",
                                "java.net.http",
                                "codings",
                                List.of("gzip")),
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
        JsonNode coding = request.path("coding");
        boolean isCoded = !coding.isNull() && !coding.isMissingNode();
        if (isCoded && !coding.asText().equals("gzip")) {
            throw new Refusal("coding is " + coding + ", expected gzip or none");
        }
        return new Answer(
                Meter.run(
                        isCoded ? coded(subject, encodes) : operation(subject, encodes),
                        isCoded ? codedInputs(subject, encodes) : inputs(subject, encodes),
                        indexes,
                        repeats.longValue()));
    }

    private static Meter.Operation coded(Loaded subject, boolean encodes) {
        Coder coder = subject.coder;
        return encodes
                ? value -> Gzip.deflate(coder.encode(value))
                : packed -> coder.decode(Gzip.inflate((byte[]) packed));
    }

    private static List<?> codedInputs(Loaded subject, boolean encodes) throws Exception {
        if (encodes) {
            return subject.values;
        }
        List<byte[]> packed = new ArrayList<>();
        for (byte[] payload : subject.payloads) {
            packed.add(Gzip.deflate(payload));
        }
        return packed;
    }

    private Answer serve(JsonNode request) throws Exception {
        if (service != null) {
            throw new Refusal("the server is already running");
        }
        List<Service.Offer> offers = new ArrayList<>();
        for (JsonNode offer : request.path("offers")) {
            Loaded subject = subject(offer);
            String mediaType = offer.path("media_type").asText();
            offers.add(new Service.Offer(mediaType, subject.coder, subject.values));
        }
        service = new Service(offers);
        return new Answer(Map.of("port", service.port()));
    }

    private Answer served() {
        if (service == null) {
            throw new Refusal("the server is not running");
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("requests", service.answered());
        answer.put("cpu_ns", CpuClock.read());
        answer.put("collections", Meter.collected());
        return new Answer(answer);
    }

    private Answer fetch(JsonNode request) throws Exception {
        Coder coder = subject(request).coder;
        Fetcher fetcher =
                new Fetcher(coder, mapper.treeToValue(request, Fetcher.Parameters.class));
        fetcher.open();
        Long collections = Meter.collected();
        Long cpu = CpuClock.read();
        Fetcher.Fetched fetched = fetcher.run();
        Long spent = CpuClock.read();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("requests", fetched.requests());
        answer.put("errors", fetched.errors());
        answer.put("error", fetched.error());
        answer.put("body_bytes", fetched.bodyBytes());
        answer.put("wall_ns", fetched.wallNs());
        answer.put("cpu_ns", cpu == null || spent == null ? null : spent - cpu);
        answer.put("collections", collections == null ? null : Meter.collected() - collections);
        return new Answer(answer, List.of(fetched.latencies(), fetched.lags()));
    }

    /** Stops the server, which would keep the process alive. */
    void close() {
        if (service != null) {
            service.close();
        }
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
