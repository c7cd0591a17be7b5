package manywire.lane;

import java.net.URL;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Map;

/** A row of the table: a library, a format, and what values are in the program. */
public record Subject(String library, String version, String format, String target, Maker maker) {
    /** Makes the operations, codec objects and all, for payloads of which this is known. */
    @FunctionalInterface
    public interface Maker {
        Coder make(Schema schema) throws Exception;
    }

    /** A subject whose version is that of the jar which a class of it comes from. */
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
