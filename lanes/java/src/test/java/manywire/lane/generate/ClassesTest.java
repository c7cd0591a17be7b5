package manywire.lane.generate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.annotation.JsonProperty;

import manywire.lane.Model;
import manywire.lane.Uncompiled;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Classes that are generated for keys of every kind. */
class ClassesTest {
    private static final List<String> KEYS =
            List.of(
                    "a\"b", "\\", "\\u0022", "-", "", ",", "`", "new\nline", "\r", "\t", "\u0000", "7\u0001",
                    "\ud83d\ude00", "\u00e9", "content-type", "class", "a-b", "a_b");

    @Test
    void keysKeepTheirCharacters() throws Exception {
        List<Model.Field> fields =
                IntStream.range(0, KEYS.size())
                        .mapToObj(
                                index ->
                                        new Model.Field(
                                                "f" + index,
                                                KEYS.get(index),
                                                index + 1,
                                                "int64",
                                                "singular",
                                                "zero",
                                                null))
                        .toList();
        Model.Message root = new Model.Message("record", fields, null);
        Model model = new Model("keys.proto", "keys", "Root", Map.of("Root", root), Map.of());
        List<String> keys =
                Arrays.stream(Classes.of(model).rootClass().getFields())
                        .map(field -> field.getAnnotation(JsonProperty.class).value())
                        .toList();
        assertEquals(KEYS.stream().sorted().toList(), keys.stream().sorted().toList());
    }

    @Test
    void codeThatDoesNotCompileHasTheWordsOfTheCompiler() {
        Uncompiled thrown =
                assertThrows(
                        Uncompiled.class,
                        () -> Compiler.compile(Map.of("A.java", "class A { nope }")));
        assertTrue(thrown.getMessage().contains("A.java"), thrown.getMessage());
    }
}
