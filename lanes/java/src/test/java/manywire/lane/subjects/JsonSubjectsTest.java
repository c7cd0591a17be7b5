package manywire.lane.subjects;

import static org.junit.jupiter.api.Assertions.assertEquals;

import manywire.lane.Model;
import manywire.lane.Refusal;
import manywire.lane.Schema;
import manywire.lane.Subject;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

/** Keys that fastjson2 writes without the escapes that JSON needs. */
class JsonSubjectsTest {
    @Test
    void fastjsonRefusesKeysThatItDoesNotEscape() throws Exception {
        for (String key : List.of("a\"b", "a\\b", "a\nb", "a-b", "é")) {
            Model.Field field =
                    new Model.Field("f", key, 1, "int64", "singular", "zero", null);
            Model.Message root = new Model.Message("record", List.of(field), null);
            Model model = new Model("keys.proto", "keys", "Root", Map.of("Root", root), Map.of());
            boolean isRefused = false;
            for (Subject subject : JsonSubjects.ALL) {
                if (subject.library().equals("fastjson2") && subject.target().equals("typed")) {
                    try {
                        subject.maker().make(new Schema(null, model, null, null));
                    } catch (Refusal refusal) {
                        isRefused = true;
                    }
                }
            }
            assertEquals(!key.equals("a-b") && !key.equals("é"), isRefused, key);
        }
    }
}
