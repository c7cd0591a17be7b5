package manywire.lane.subjects;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;

import manywire.lane.Coder;
import manywire.lane.Schema;
import manywire.lane.generate.Classes;

import java.io.IOException;

/** The coder of Jackson, which is the same for every format except for the factory. */
class JacksonCoder implements Coder {
    private final ObjectReader reader;
    private final ObjectWriter writer;

    JacksonCoder(ObjectReader reader, ObjectWriter writer) {
        this.reader = reader;
        this.writer = writer;
    }

    /** Returns a coder of maps, lists and boxed scalars. */
    static JacksonCoder dynamic(ObjectMapper mapper) {
        return new JacksonCoder(mapper.readerFor(Object.class), mapper.writer());
    }

    /** Returns a coder of generated classes. */
    static JacksonCoder typed(ObjectMapper mapper, Schema schema) throws Exception {
        return typed(mapper, Classes.of(schema.modelNeeded()));
    }

    static JacksonCoder typed(ObjectMapper mapper, Classes classes) throws Exception {
        // Unknown fields are ignored, as web frameworks configure Jackson.
        mapper.disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
        JavaType type = mapper.constructType(classes.root());
        return new JacksonCoder(mapper.readerFor(type), mapper.writerFor(type));
    }

    @Override
    public Object decode(byte[] payload) throws IOException {
        return reader.readValue(payload);
    }

    @Override
    public byte[] encode(Object value) throws IOException {
        return writer.writeValueAsBytes(value);
    }

    @Override
    public Object plain(Object value) {
        return Plain.of(value);
    }
}
