package manywire.lane;

import com.fasterxml.jackson.annotation.JsonProperty;

import java.util.List;
import java.util.Map;

/** The value that each message represents, as CONTRACT.md describes. */
public record Model(
        String file,
        @JsonProperty("package") String namespace,
        String root,
        Map<String, Message> messages,
        Map<String, Map<Integer, String>> enums) {

    /** A message type. */
    public record Message(String form, List<Field> fields, String rest) {}

    /** A field of a message. */
    public record Field(
            String proto,
            String name,
            int number,
            String kind,
            String label,
            String absent,
            String of) {

        public boolean isMessage() {
            return kind.equals("message");
        }

        public boolean isRepeated() {
            return label.equals("repeated") || label.equals("packed");
        }
    }

    public Message message(String name) {
        Message found = messages.get(name);
        if (found == null) {
            throw new Refusal("the model has no message " + name);
        }
        return found;
    }
}
