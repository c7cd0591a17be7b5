package manywire.lane.subjects;

import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;

import manywire.lane.Subject;

import java.util.List;

/** CBOR by Jackson. */
final class CborSubjects {
    static final List<Subject> ALL =
            List.of(
                    Subject.of(
                            "jackson-dataformat-cbor",
                            CBORFactory.class,
                            "cbor",
                            "dynamic",
                            schema -> JacksonCoder.dynamic(new CBORMapper())),
                    Subject.of(
                            "jackson-dataformat-cbor",
                            CBORFactory.class,
                            "cbor",
                            "typed",
                            schema -> JacksonCoder.typed(new CBORMapper(), schema)));

    private CborSubjects() {}
}
