package manywire.lane.subjects;

import manywire.lane.Subject;

import java.util.List;
import java.util.stream.Stream;

/** The subjects, by format. */
public final class Subjects {
    public static final List<Subject> ALL =
            Stream.of(
                            JsonSubjects.ALL,
                            MsgpackSubjects.ALL,
                            CborSubjects.ALL,
                            ProtobufSubjects.ALL,
                            AvroSubjects.ALL,
                            BsonSubjects.ALL)
                    .flatMap(List::stream)
                    .toList();

    private Subjects() {}
}
