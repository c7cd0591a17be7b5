package manywire.lane.subjects;

import org.bson.BsonBinarySubType;
import org.bson.types.Binary;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Converts BSON's class for bytes to byte arrays, for digests. */
final class BsonPlain {
    private BsonPlain() {}

    static Object of(Object value) {
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> plain = new LinkedHashMap<>();
            map.forEach((key, each) -> plain.put(key, of(each)));
            return plain;
        }
        if (value instanceof List<?> items) {
            List<Object> plain = new ArrayList<>();
            items.forEach(item -> plain.add(of(item)));
            return plain;
        }
        if (value instanceof Binary binary
                && binary.getType() == BsonBinarySubType.BINARY.getValue()) {
            return binary.getData();
        }
        return Plain.of(value);
    }
}
