package manywire.lane.subjects;

import manywire.lane.Coder;
import manywire.lane.Refusal;
import manywire.lane.Schema;
import manywire.lane.Subject;
import manywire.lane.generate.Classes;

import org.bson.BsonBinaryReader;
import org.bson.BsonBinaryWriter;
import org.bson.Document;
import org.bson.codecs.Codec;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.DocumentCodec;
import org.bson.codecs.DocumentCodecProvider;
import org.bson.codecs.EncoderContext;
import org.bson.codecs.IterableCodecProvider;
import org.bson.codecs.MapCodecProvider;
import org.bson.codecs.ValueCodecProvider;
import org.bson.codecs.configuration.CodecRegistries;
import org.bson.codecs.pojo.PojoCodecProvider;
import org.bson.io.BasicOutputBuffer;

import java.nio.ByteBuffer;
import java.util.List;

/** BSON by the official MongoDB library. */
final class BsonSubjects {
    static final List<Subject> ALL =
            List.of(
                    Subject.of(
                            "bson",
                            Document.class,
                            "bson",
                            "dynamic",
                            schema -> new Bson<>(new DocumentCodec())),
                    Subject.of("bson", Document.class, "bson", "typed", BsonSubjects::typed));

    private BsonSubjects() {}

    private static Coder typed(Schema schema) throws Exception {
        Classes classes = Classes.of(schema.modelNeeded());
        Class<?> root = classes.rootClass();
        if (root == null) {
            throw new Refusal("the library reads documents only, and the payload is not one");
        }
        // A class without fields has a codec only if it is registered.
        var pojos = PojoCodecProvider.builder().automatic(true).register(classes.all()).build();
        return new Bson<>(
                CodecRegistries.fromProviders(
                                new ValueCodecProvider(),
                                new AnyCodec.Provider(),
                                new DocumentCodecProvider(),
                                new IterableCodecProvider(),
                                new MapCodecProvider(),
                                pojos)
                        .get(root));
    }

    private record Bson<T>(Codec<T> codec) implements Coder {
        private static final DecoderContext READING = DecoderContext.builder().build();
        private static final EncoderContext WRITING = EncoderContext.builder().build();

        @Override
        public Object decode(byte[] payload) {
            try (BsonBinaryReader in = new BsonBinaryReader(ByteBuffer.wrap(payload))) {
                return codec.decode(in, READING);
            }
        }

        @Override
        @SuppressWarnings("unchecked")
        public byte[] encode(Object value) {
            try (BasicOutputBuffer buffer = new BasicOutputBuffer();
                    BsonBinaryWriter out = new BsonBinaryWriter(buffer)) {
                codec.encode(out, (T) value, WRITING);
                return buffer.toByteArray();
            }
        }

        @Override
        public Object plain(Object value) {
            return BsonPlain.of(value);
        }
    }
}
