package manywire.lane.subjects;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;

import manywire.lane.Coder;
import manywire.lane.Model;
import manywire.lane.Refusal;
import manywire.lane.Schema;
import manywire.lane.Subject;
import manywire.lane.generate.Protoc;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Protocol Buffers by Google's library. Typed subjects use generated classes; dynamic subjects use
 * {@code DynamicMessage}, by descriptor.
 */
final class ProtobufSubjects {
    static final List<Subject> ALL =
            List.of(
                    Subject.of(
                            "protobuf-java",
                            Message.class,
                            "protobuf",
                            "dynamic",
                            ProtobufSubjects::dynamic),
                    Subject.of(
                            "protobuf-java",
                            Message.class,
                            "protobuf",
                            "typed",
                            ProtobufSubjects::typed));

    private ProtobufSubjects() {}

    private static Coder typed(Schema schema) throws Exception {
        Model model = schema.modelNeeded();
        Parser<? extends Message> parser =
                Protoc.message(schema.protoNeeded(), model).getParserForType();
        return new Messages(parser, new MessageReader(model));
    }

    private static Coder dynamic(Schema schema) throws Exception {
        Model model = schema.modelNeeded();
        Descriptor root = descriptor(schema, model);
        return new Messages(
                DynamicMessage.getDefaultInstance(root).getParserForType(),
                new MessageReader(model));
    }

    private static Descriptor descriptor(Schema schema, Model model) throws Exception {
        Map<String, FileDescriptor> built = new HashMap<>();
        // The set contains imported files before the files that import them.
        for (FileDescriptorProto file :
                FileDescriptorSet.parseFrom(schema.descriptors()).getFileList()) {
            FileDescriptor[] imports =
                    file.getDependencyList().stream()
                            .map(built::get)
                            .toArray(FileDescriptor[]::new);
            built.put(file.getName(), FileDescriptor.buildFrom(file, imports));
        }
        FileDescriptor file = built.get(model.file());
        Descriptor root = file == null ? null : file.findMessageTypeByName(model.root());
        if (root == null) {
            throw new Refusal("the descriptors have no " + model.root() + " in " + model.file());
        }
        return root;
    }

    private static final class Messages implements Coder {
        private final Parser<? extends Message> parser;
        private final MessageReader reader;
        private final SizeMemory sizes = new SizeMemory();

        Messages(Parser<? extends Message> parser, MessageReader reader) {
            this.parser = parser;
            this.reader = reader;
        }

        @Override
        public Object decode(byte[] payload) throws InvalidProtocolBufferException {
            return parser.parseFrom(payload);
        }

        @Override
        public byte[] encode(Object value) {
            Message message = (Message) value;
            sizes.forget(message);
            return message.toByteArray();
        }

        @Override
        public Object plain(Object value) {
            return reader.root((Message) value);
        }
    }
}
