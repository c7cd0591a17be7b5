package manywire.lane.serve;

/** A server of the verb serve, which runs until it is closed. */
public interface Server {
    int port();

    /** Returns the number of requests answered without an error. */
    long answered();

    void close();
}
