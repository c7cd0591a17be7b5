package manywire.lane.subjects;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.dataformat.avro.AvroFactory;
import com.fasterxml.jackson.dataformat.avro.AvroMapper;
import com.fasterxml.jackson.dataformat.avro.AvroSchema;

import manywire.lane.Coder;
import manywire.lane.Refusal;
import manywire.lane.Schema;
import manywire.lane.Subject;
import manywire.lane.generate.Classes;

import java.util.List;

/** Avro by Jackson: datums without a header, with a schema that both sides know. */
final class AvroSubjects {
    static final List<Subject> ALL =
            List.of(
                    Subject.of(
                            "jackson-dataformat-avro",
                            AvroFactory.class,
                            "avro",
                            "dynamic",
                            AvroSubjects::dynamic),
                    Subject.of(
                            "jackson-dataformat-avro",
                            AvroFactory.class,
                            "avro",
                            "typed",
                            AvroSubjects::typed));

    private AvroSubjects() {}

    private static Coder dynamic(Schema schema) throws Exception {
        AvroMapper mapper = new AvroMapper();
        AvroSchema avro = mapper.schemaFrom(schema.avroNeeded());
        return new Dynamic(
                mapper.readerFor(Object.class).with(avro),
                mapper.writer(avro),
                new AvroValues(avro.getAvroSchema()));
    }

    private static Coder typed(Schema schema) throws Exception {
        AvroMapper mapper = new AvroMapper();
        AvroSchema avro = mapper.schemaFrom(schema.avroNeeded());
        for (String property :
                new String[] {"manywire.name", "manywire.role", "manywire.variant"}) {
            if (schema.avro().contains('"' + property + '"')) {
                throw new Refusal(
                        "Jackson finds fields by name, and the schema has other names ("
                                + property
                                + ")");
            }
        }
        JavaType type = mapper.constructType(Classes.of(schema.modelNeeded()).root());
        return new JacksonCoder(
                mapper.readerFor(type).with(avro), mapper.writerFor(type).with(avro));
    }

    private static final class Dynamic extends JacksonCoder {
        private final AvroValues values;

        Dynamic(ObjectReader reader, ObjectWriter writer, AvroValues values) {
            super(reader, writer);
            this.values = values;
        }

        @Override
        public Object plain(Object value) {
            return values.plain(value);
        }
    }
}
