package manywire.lane.subjects;

import com.alibaba.fastjson2.JSON;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;

import manywire.lane.Coder;
import manywire.lane.Model;
import manywire.lane.Refusal;
import manywire.lane.Schema;
import manywire.lane.Subject;
import manywire.lane.generate.Classes;

import java.lang.reflect.Type;
import java.util.List;

/** JSON: Jackson is the most used library; fastjson2 is newer and faster. */
final class JsonSubjects {
    static final List<Subject> ALL =
            List.of(
                    Subject.of(
                            "jackson-databind",
                            ObjectMapper.class,
                            "json",
                            "dynamic",
                            schema -> JacksonCoder.dynamic(new JsonMapper())),
                    Subject.of(
                            "jackson-databind",
                            ObjectMapper.class,
                            "json",
                            "typed",
                            schema -> JacksonCoder.typed(new JsonMapper(), schema)),
                    Subject.of(
                            "fastjson2",
                            JSON.class,
                            "json",
                            "dynamic",
                            schema -> new FastjsonDynamic()),
                    Subject.of("fastjson2", JSON.class, "json", "typed", FastjsonTyped::new));

    private JsonSubjects() {}

    private static class FastjsonDynamic implements Coder {
        @Override
        public Object decode(byte[] payload) {
            return JSON.parse(payload);
        }

        @Override
        public byte[] encode(Object value) {
            return JSON.toJSONBytes(value);
        }

        @Override
        public Object plain(Object value) {
            return Plain.of(value);
        }
    }

    private static final class FastjsonTyped extends FastjsonDynamic {
        private final Type root;

        FastjsonTyped(Schema schema) throws Exception {
            needPlainKeys(schema.modelNeeded());
            root = Classes.of(schema.modelNeeded()).root();
        }

        /** Refuses keys that JSON must escape, because fastjson2 writes them without escapes. */
        private static void needPlainKeys(Model model) {
            for (Model.Message message : model.messages().values()) {
                for (Model.Field field : message.fields()) {
                    boolean isPlain =
                            field.name().chars().allMatch(c -> c >= ' ' && c != '"' && c != '\\');
                    if (message.form().equals("record") && !isPlain) {
                        throw new Refusal(
                                "fastjson2 writes the keys of a class without escapes, and a key"
                                        + " has a quote, a backslash or a control character");
                    }
                }
            }
        }

        @Override
        public Object decode(byte[] payload) {
            return JSON.parseObject(payload, root);
        }
    }
}
