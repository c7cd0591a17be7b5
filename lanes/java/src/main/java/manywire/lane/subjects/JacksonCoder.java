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

/** Jackson, which is the same for every format but for its factory. */
class JacksonCoder implements Coder {
    private final ObjectReader reader;
    private final ObjectWriter writer;

    JacksonCoder(ObjectReader reader, ObjectWriter writer) {
        this.reader = reader;
        this.writer = writer;
    }

    /** Maps, lists and boxed scalars. */
    static JacksonCoder dynamic(ObjectMapper mapper) {
        return new JacksonCoder(mapper.readerFor(Object.class), mapper.writer());
    }

    /** Classes made for the payloads. */
    static JacksonCoder typed(ObjectMapper mapper, Schema schema) throws Exception {
        return typed(mapper, Classes.of(schema.modelNeeded()));
    }

    static JacksonCoder typed(ObjectMapper mapper, Classes classes) throws Exception {
        // As frameworks set it up: a field that a class does not have is no error.
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
