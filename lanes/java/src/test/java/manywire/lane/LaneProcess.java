package manywire.lane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The lane as a process that is driven by frames, as the orchestrator does. */
final class LaneProcess implements AutoCloseable {
    static final ObjectMapper MAPPER = new ObjectMapper();

    /** The result of a process that has ended. */
    record Ended(int status, byte[] out, String err) {}

    private final Process process;
    private final DataInputStream in;

    LaneProcess() throws IOException {
        String java = System.getProperty("java.home") + "/bin/java";
        process =
                new ProcessBuilder(
                                java,
                                "-Xbatch",
                                "-cp",
                                System.getProperty("java.class.path"),
                                "manywire.lane.Main")
                        .start();
        in = new DataInputStream(process.getInputStream());
    }

    static byte[] frame(byte[] content) {
        return ByteBuffer.allocate(4 + content.length).putInt(content.length).put(content).array();
    }

    void send(byte[] raw) throws IOException {
        OutputStream out = process.getOutputStream();
        out.write(raw);
        out.flush();
    }

    byte[] receive() throws IOException {
        return in.readNBytes(in.readInt());
    }

    /** Returns the head of the response. */
    JsonNode ask(JsonNode request, List<byte[]> frames) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(frame(MAPPER.writeValueAsBytes(request)));
        frames.forEach(each -> all.writeBytes(frame(each)));
        send(all.toByteArray());
        return MAPPER.readTree(receive());
    }

    JsonNode ask(Map<String, ?> request, byte[]... frames) throws IOException {
        return ask(MAPPER.valueToTree(request), List.of(frames));
    }

    /** Returns the response to a request that must succeed. */
    JsonNode get(Map<String, ?> request, byte[]... frames) throws IOException {
        JsonNode answer = ask(request, frames);
        if (!answer.has("ok")) {
            throw new AssertionError(
                    request.get("verb") + " of " + request.get("subject") + ": " + answer);
        }
        return answer.get("ok");
    }

    JsonNode subjects() throws IOException {
        return get(Map.of("verb", "describe")).get("subjects");
    }

    JsonNode load(int subject, List<byte[]> payloads) throws IOException {
        return ask(
                Map.of("verb", "load", "subject", subject, "payloads", payloads.size()),
                payloads.toArray(byte[][]::new));
    }

    JsonNode digest(int subject) throws IOException {
        return ask(Map.of("verb", "digest", "subject", subject));
    }

    /** Returns the output of a subject, or nothing after an error. */
    List<byte[]> encode(int subject) throws IOException {
        int count =
                ask(Map.of("verb", "encode", "subject", subject))
                        .path("ok")
                        .path("payloads")
                        .asInt();
        List<byte[]> written = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            written.add(receive());
        }
        return written;
    }

    /** Sends the rest and closes the input. */
    Ended end(byte[] raw) throws IOException, InterruptedException {
        process.getOutputStream().write(raw);
        process.getOutputStream().close();
        byte[] out = in.readAllBytes();
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), out, err);
    }

    static String name(JsonNode subject) {
        return subject.get("library").asText()
                + " "
                + subject.get("format").asText()
                + " "
                + subject.get("target").asText();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
