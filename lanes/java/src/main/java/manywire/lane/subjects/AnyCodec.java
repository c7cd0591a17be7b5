package manywire.lane.subjects;

import org.bson.BsonReader;
import org.bson.BsonType;
import org.bson.BsonWriter;
import org.bson.codecs.BsonTypeClassMap;
import org.bson.codecs.BsonTypeCodecMap;
import org.bson.codecs.Codec;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.EncoderContext;
import org.bson.codecs.configuration.CodecProvider;
import org.bson.codecs.configuration.CodecRegistry;

/**
 * Reads and writes a value of any kind by its type in BSON. The library has no codec for {@code
 * Object}; a program must provide one.
 */
final class AnyCodec implements Codec<Object> {
    private final CodecRegistry registry;
    private final BsonTypeCodecMap codecs;

    private AnyCodec(CodecRegistry registry) {
        this.registry = registry;
        this.codecs = new BsonTypeCodecMap(new BsonTypeClassMap(), registry);
    }

    /** Provides the codec for {@code Object}. */
    static final class Provider implements CodecProvider {
        @Override
        @SuppressWarnings("unchecked")
        public <T> Codec<T> get(Class<T> type, CodecRegistry registry) {
            return type == Object.class ? (Codec<T>) new AnyCodec(registry) : null;
        }
    }

    @Override
    public Object decode(BsonReader reader, DecoderContext context) {
        if (reader.getCurrentBsonType() == BsonType.NULL) {
            reader.readNull();
            return null;
        }
        return codecs.get(reader.getCurrentBsonType()).decode(reader, context);
    }

    @Override
    @SuppressWarnings("unchecked")
    public void encode(BsonWriter writer, Object value, EncoderContext context) {
        if (value == null) {
            writer.writeNull();
        } else {
            Codec<Object> codec = (Codec<Object>) registry.get(value.getClass());
            context.encodeWithChildContext(codec, writer, value);
        }
    }

    @Override
    public Class<Object> getEncoderClass() {
        return Object.class;
    }
}
