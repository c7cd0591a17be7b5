package manywire.lane;

/** The operations of a subject, ready to be timed. */
public interface Coder {
    Object decode(byte[] payload) throws Exception;

    byte[] encode(Object value) throws Exception;

    /** From the library's value to one of those that {@link Digest} knows. */
    default Object plain(Object value) {
        return value;
    }
}
