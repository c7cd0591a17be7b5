package manywire.lane;

/** The operations of a subject. Decoding and encoding are timed. */
public interface Coder {
    Object decode(byte[] payload) throws Exception;

    byte[] encode(Object value) throws Exception;

    /** Converts a value of the library to one that {@link Digest} accepts. */
    default Object plain(Object value) {
        return value;
    }
}
