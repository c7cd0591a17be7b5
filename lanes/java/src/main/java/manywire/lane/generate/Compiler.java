package manywire.lane.generate;

import manywire.lane.Refusal;
import manywire.lane.Uncompiled;

import java.io.IOException;
import java.io.StringWriter;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles generated sources once. The classes are cached beside the lane, by source content.
 */
public final class Compiler {
    private static final Path KEPT = Path.of("target", "generated");

    private Compiler() {}

    /** Returns a loader of the classes of {@code sources}, a map from paths to source texts. */
    public static ClassLoader compile(Map<String, String> sources) throws IOException {
        Path folder = KEPT.resolve(fingerprint(sources));
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(KEPT);
            Path building = Files.createTempDirectory(KEPT, "building");
            try {
                build(sources, building);
                Files.move(building, folder, StandardCopyOption.ATOMIC_MOVE);
            } catch (FileSystemException error) {
                // Another process may have moved its result first; otherwise the error is real.
                if (!Files.isDirectory(folder)) {
                    throw error;
                }
            } finally {
                delete(building);
            }
        }
        return loader(folder);
    }

    private static void build(Map<String, String> sources, Path folder) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new Refusal("typed payloads need a JDK, and this Java has no compiler");
        }
        List<Path> paths = new ArrayList<>();
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Path path = folder.resolve(source.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, source.getValue());
            paths.add(path);
        }
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files =
                compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<String> options =
                    List.of(
                            "-d",
                            folder.toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            "-proc:none",
                            "-nowarn",
                            "-g:none");
            boolean isDone =
                    compiler.getTask(
                                    said,
                                    files,
                                    null,
                                    options,
                                    null,
                                    files.getJavaFileObjectsFromPaths(paths))
                            .call();
            if (!isDone) {
                throw new Uncompiled(said.toString());
            }
        }
    }

    private static ClassLoader loader(Path folder) throws MalformedURLException {
        URL[] places = {folder.toUri().toURL()};
        return new URLClassLoader(places, Compiler.class.getClassLoader());
    }

    private static String fingerprint(Map<String, String> sources) {
        try {
            MessageDigest hash = MessageDigest.getInstance("SHA-256");
            sources.forEach(
                    (path, text) -> {
                        hash.update(
                                (path + "\0" + text.length() + "\0")
                                        .getBytes(StandardCharsets.UTF_8));
                        hash.update(text.getBytes(StandardCharsets.UTF_8));
                    });
            return HexFormat.of().formatHex(hash.digest(), 0, 12);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
