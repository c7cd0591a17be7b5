package manywire.lane;

import com.fasterxml.jackson.databind.JsonNode;

import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A document in every format, written by Manywire's codecs: a folder of {@code schema.json}
 * (the request), {@code descriptors} (its frame), and for each payload {@code 0.document}, {@code
 * 0.msgpack}, ….
 */
record Document(Path folder) {
    static List<Document> all() throws IOException {
        String folder = System.getenv("MANYWIRE_LANE_DOCUMENTS");
        if (folder == null) {
            System.out.println("skipped: no documents (MANYWIRE_LANE_DOCUMENTS is not set)");
        }
        Assumptions.assumeTrue(folder != null, "no documents");
        try (Stream<Path> paths = Files.list(Path.of(folder))) {
            return paths.filter(Files::isDirectory).sorted().map(Document::new).toList();
        }
    }

    static Document named(String name) throws IOException {
        return all().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
    }

    String name() {
        return folder.getFileName().toString();
    }

    void tell(LaneProcess lane) throws IOException {
        JsonNode request = LaneProcess.MAPPER.readTree(folder.resolve("schema.json").toFile());
        JsonNode answer =
                lane.ask(request, List.of(Files.readAllBytes(folder.resolve("descriptors"))));
        if (!answer.has("ok")) {
            throw new AssertionError(answer.toString());
        }
    }

    List<byte[]> texts() throws IOException {
        return files("document");
    }

    /** Returns the payloads in a format, or none if it cannot represent all of them. */
    List<byte[]> payloads(String format) throws IOException {
        List<byte[]> found = files(format);
        return found.size() == texts().size() ? found : List.of();
    }

    private List<byte[]> files(String suffix) throws IOException {
        List<byte[]> found = new ArrayList<>();
        for (int index = 0; Files.exists(folder.resolve(index + ".document")); index++) {
            Path file = folder.resolve(index + "." + suffix);
            if (Files.exists(file)) {
                found.add(Files.readAllBytes(file));
            }
        }
        return found;
    }
}
