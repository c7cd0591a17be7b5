package manywire.lane.generate;

import com.google.protobuf.Message;

import manywire.lane.Model;
import manywire.lane.Refusal;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Google's compiler, which generates the classes of a `.proto` that programs use. */
public final class Protoc {
    // The name of the outer class, which must differ from all messages.
    private static final String OUTER = "ManywireLanePayload";

    private static final List<String> IMPORTS =
            List.of("google/protobuf/empty.proto", "google/protobuf/timestamp.proto");

    private Protoc() {}

    /** Returns the default instance of the message of a whole payload. */
    public static Message message(String proto, Model model) throws Exception {
        Path folder = Files.createTempDirectory("manywire-protoc");
        try {
            Map<String, String> sources = generate(proto, model, folder);
            Class<?> root =
                    Compiler.compile(sources)
                            .loadClass(model.namespace() + "." + OUTER + "$" + model.root());
            return (Message) root.getMethod("getDefaultInstance").invoke(null);
        } finally {
            Compiler.delete(folder);
        }
    }

    private static Map<String, String> generate(String proto, Model model, Path folder)
            throws Exception {
        String named = proto + "\noption java_outer_classname = \"" + OUTER + "\";\n";
        Files.writeString(folder.resolve(model.file()), named);
        for (String path : IMPORTS) {
            Path file = folder.resolve(path);
            Files.createDirectories(file.getParent());
            try (InputStream source = Message.class.getResourceAsStream("/" + path)) {
                Files.copy(source, file);
            }
        }
        Path out = Files.createDirectory(folder.resolve("java"));
        run(
                List.of(
                        program().toString(),
                        "--proto_path=" + folder,
                        "--java_out=" + out,
                        model.file()));
        Map<String, String> sources = new TreeMap<>();
        List<Path> paths = new ArrayList<>();
        try (Stream<Path> found = Files.walk(out)) {
            found.filter(Files::isRegularFile).forEach(paths::add);
        }
        for (Path path : paths) {
            sources.put(out.relativize(path).toString().replace('\\', '/'), Files.readString(path));
        }
        return sources;
    }

    /** Returns the path of the compiler, which the build of this lane has installed. */
    private static Path program() throws URISyntaxException {
        Path here =
                Path.of(Protoc.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path program = here.resolveSibling("protoc.exe");
        program.toFile().setExecutable(true);
        return program;
    }

    private static void run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes());
        if (process.waitFor() != 0) {
            throw new Refusal("protoc: " + said);
        }
    }
}
