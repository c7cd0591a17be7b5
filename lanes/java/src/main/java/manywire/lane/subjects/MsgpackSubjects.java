package manywire.lane.subjects;

import com.fasterxml.jackson.databind.ObjectMapper;

import manywire.lane.Coder;
import manywire.lane.Schema;
import manywire.lane.Subject;
import manywire.lane.generate.Classes;
import manywire.lane.generate.Packer;

import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePacker;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.jackson.dataformat.JsonArrayFormat;
import org.msgpack.jackson.dataformat.MessagePackFactory;

import java.io.IOException;
import java.util.List;

/** MessagePack: by Jackson, and by hand-written code for msgpack-core, which Jackson uses. */
final class MsgpackSubjects {
    static final List<Subject> ALL =
            List.of(
                    Subject.of(
                            "jackson-dataformat-msgpack",
                            MessagePackFactory.class,
                            "msgpack",
                            "dynamic",
                            schema -> JacksonCoder.dynamic(mapper())),
                    Subject.of(
                            "jackson-dataformat-msgpack",
                            MessagePackFactory.class,
                            "msgpack",
                            "typed",
                            schema -> JacksonCoder.typed(mapper(), schema)),
                    Subject.of(
                            "jackson-dataformat-msgpack",
                            MessagePackFactory.class,
                            "msgpack-array",
                            "typed",
                            schema ->
                                    JacksonCoder.typed(
                                            arrays(), Classes.of(schema.modelNeeded()).asArrays())),
                    Subject.of(
                            "msgpack-core",
                            MessagePack.class,
                            "msgpack",
                            "dynamic",
                            schema -> new Core(new Dynamic())),
                    Subject.of(
                            "msgpack-core",
                            MessagePack.class,
                            "msgpack",
                            "typed",
                            schema -> typed(schema, false)),
                    Subject.of(
                            "msgpack-core",
                            MessagePack.class,
                            "msgpack-array",
                            "typed",
                            schema -> typed(schema, true)));

    private MsgpackSubjects() {}

    private static ObjectMapper mapper() {
        return new ObjectMapper(new MessagePackFactory());
    }

    private static ObjectMapper arrays() {
        ObjectMapper mapper = mapper();
        mapper.setAnnotationIntrospector(new JsonArrayFormat());
        return mapper;
    }

    private static Coder typed(Schema schema, boolean isArray) throws Exception {
        Classes classes = Classes.of(schema.modelNeeded());
        return new Core((isArray ? classes.asArrays() : classes).packer(isArray));
    }

    private static final class Dynamic implements Packer {
        @Override
        public void pack(MessagePacker out, Object value) throws IOException {
            MsgpackValues.pack(out, value);
        }

        @Override
        public Object unpack(MessageUnpacker in) throws IOException {
            return MsgpackValues.unpack(in);
        }
    }

    private record Core(Packer packer) implements Coder {
        @Override
        public Object decode(byte[] payload) throws IOException {
            try (MessageUnpacker in = MessagePack.newDefaultUnpacker(payload)) {
                return packer.unpack(in);
            }
        }

        @Override
        public byte[] encode(Object value) throws IOException {
            try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
                packer.pack(out, value);
                return out.toByteArray();
            }
        }

        @Override
        public Object plain(Object value) {
            return Plain.of(value);
        }
    }
}
