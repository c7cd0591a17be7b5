package manywire.lane.subjects;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.bson.BsonDocument;
import org.bson.BsonDocumentReader;
import org.bson.BsonDocumentWriter;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.DocumentCodecProvider;
import org.bson.codecs.EncoderContext;
import org.bson.codecs.IterableCodecProvider;
import org.bson.codecs.MapCodecProvider;
import org.bson.codecs.ValueCodecProvider;
import org.bson.codecs.configuration.CodecRegistries;
import org.bson.codecs.pojo.PojoCodecProvider;
import org.junit.jupiter.api.Test;

/** A field of type {@code Object}, which the library has no codec for. */
class AnyCodecTest {
    /** A class with a value of any kind. */
    public static final class Holder {
        public Object value;
    }

    @Test
    void aValueOfAnyKindComesBack() {
        var codec =
                CodecRegistries.fromProviders(
                                new ValueCodecProvider(),
                                new AnyCodec.Provider(),
                                new DocumentCodecProvider(),
                                new IterableCodecProvider(),
                                new MapCodecProvider(),
                                PojoCodecProvider.builder().automatic(true).build())
                        .get(Holder.class);
        for (String value :
                new String[] {
                    "1", "true", "'x'", "0.5", "[1, [], {'a': null}, 'x']", "{'a': {'b': [0.5]}}"
                }) {
            BsonDocument given = BsonDocument.parse("{'value': " + value + "}");
            Holder holder =
                    codec.decode(new BsonDocumentReader(given), DecoderContext.builder().build());
            BsonDocument written = new BsonDocument();
            codec.encode(
                    new BsonDocumentWriter(written), holder, EncoderContext.builder().build());
            assertEquals(given, written);
        }
    }
}
