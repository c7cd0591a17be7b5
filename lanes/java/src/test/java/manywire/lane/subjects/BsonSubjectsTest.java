package manywire.lane.subjects;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import manywire.lane.Coder;
import manywire.lane.Model;
import manywire.lane.Schema;
import manywire.lane.Subject;

import org.junit.jupiter.api.Test;

import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** Classes that bson has no codec for by itself. */
class BsonSubjectsTest {
    @Test
    void aRecordWithoutFieldsComesBack() throws Exception {
        Model.Field field =
                new Model.Field("e", "e", 1, "message", "singular", "null", "Empty");
        Map<String, Model.Message> messages =
                Map.of(
                        "Root", new Model.Message("record", List.of(field), null),
                        "Empty", new Model.Message("record", List.of(), null));
        Model model = new Model("empty.proto", "empty", "Root", messages, Map.of());
        // {"e": {}}
        byte[] given = HexFormat.of().parseHex("0d000000036500050000000000");
        for (Subject subject : BsonSubjects.ALL) {
            Coder coder = subject.maker().make(new Schema(null, model, null, null));
            assertArrayEquals(given, coder.encode(coder.decode(given)), subject.target());
        }
    }
}
