package manywire.lane.serve;

/** A connection of the verb fetch, which requests one response at a time. */
public interface Connection extends AutoCloseable {
    /** A body, and its content coding. */
    record Response(byte[] body, String coding) {}

    /** Returns the response to the request with a nonce. */
    Response get(String nonce) throws Exception;

    @Override
    void close();
}
