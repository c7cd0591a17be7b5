package manywire.lane;

import java.net.URL;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Map;

/** A subject: a library, a format and a kind of value. */
public record Subject(String library, String version, String format, String target, Maker maker) {
    /** Creates the operations, including codec objects, for payloads with this schema. */
    @FunctionalInterface
    public interface Maker {
        Coder make(Schema schema) throws Exception;
    }

    /** Returns a subject whose version is that of the jar of a class. */
    public static Subject of(
            String library, Class<?> part, String format, String target, Maker maker) {
        return new Subject(library, version(library, part), format, target, maker);
    }

    Map<String, Object> describe() {
        return Map.of(
                "library", library, "version", version, "format", format, "target", target,
                "buffer", "fresh");
    }

    private static String version(String library, Class<?> part) {
        CodeSource source = part.getProtectionDomain().getCodeSource();
        URL jar = source == null ? null : source.getLocation();
        String name = jar == null ? "" : Path.of(jar.getPath()).getFileName().toString();
        String start = library + "-";
        return name.startsWith(start) && name.endsWith(".jar")
                ? name.substring(start.length(), name.length() - ".jar".length())
                : "unknown";
    }
}
