package manywire.lane;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The Java lane: responds to the requests of CONTRACT.md until the end of its input. */
public final class Main {
    private static final JsonMapper MAPPER =
            JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

    private Main() {}

    public static void main(String[] arguments) {
        // Output that a library prints goes to standard error.
        System.setOut(System.err);
        try (InputStream in = new BufferedInputStream(System.in);
                OutputStream out =
                        new BufferedOutputStream(new FileOutputStream(FileDescriptor.out))) {
            answerAll(in, out);
        } catch (IOException error) {
            // After an invalid frame the start of the next request is unknown.
            System.err.println("cannot continue: " + describe(error));
            System.exit(1);
        }
    }

    private static void answerAll(InputStream in, OutputStream out) throws IOException {
        Requests requests = new Requests(MAPPER);
        for (byte[] frame = Frames.read(in); frame != null; frame = Frames.read(in)) {
            JsonNode request = MAPPER.readTree(frame);
            if (!request.isObject()) {
                throw new IOException("the request is not a JSON object");
            }
            List<byte[]> frames = new ArrayList<>();
            for (long count = following(request); count > 0; count--) {
                byte[] payload = Frames.read(in);
                if (payload == null) {
                    throw new EOFException(
                            "the input ends before the frames of " + request.path("verb"));
                }
                frames.add(payload);
            }
            Frames.write(out, answer(requests, request, frames));
        }
        requests.close();
    }

    /** Returns the number of frames that follow a request. */
    private static long following(JsonNode request) throws IOException {
        switch (request.path("verb").asText()) {
            case "schema":
                return 1;
            case "load":
                JsonNode count = request.path("payloads");
                if (!Requests.isIndex(count, 1L << 31)) {
                    throw new IOException(
                            "payloads is "
                                    + count
                                    + ", expected the number of frames that follow");
                }
                return count.longValue();
            default:
                return 0;
        }
    }

    private static List<byte[]> answer(Requests requests, JsonNode request, List<byte[]> frames)
            throws IOException {
        List<byte[]> all = new ArrayList<>();
        try {
            Requests.Answer answer = requests.answer(request, frames);
            all.add(MAPPER.writeValueAsBytes(Map.of("ok", answer.ok())));
            all.addAll(answer.frames());
        } catch (Refusal refusal) {
            all.add(error(refusal.getMessage()));
        } catch (Uncompiled uncompiled) {
            all.add(MAPPER.writeValueAsBytes(Map.of("uncompiled", uncompiled.getMessage())));
        } catch (Exception | StackOverflowError | OutOfMemoryError | LinkageError error) {
            // Any exception of a library is an error response; the lane continues.
            all.clear();
            all.add(error(describe(error)));
        }
        return all;
    }

    private static byte[] error(String words) throws IOException {
        return MAPPER.writeValueAsBytes(Map.of("error", words));
    }

    /** Describes an error and its root cause, or the eighth cause of a longer chain. */
    private static String describe(Throwable error) {
        Throwable cause = error;
        // Limits the number of causes, because a chain may be cyclic.
        for (int depth = 0; depth < 8 && cause.getCause() != null; depth++) {
            cause = cause.getCause();
        }
        return cause == error ? words(error) : words(error) + ": " + words(cause);
    }

    private static String words(Throwable error) {
        String words = error.getMessage();
        return error.getClass().getSimpleName()
                + (words == null ? "" : ": " + words.lines().findFirst().orElse(""));
    }
}
