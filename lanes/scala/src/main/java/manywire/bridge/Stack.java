// The libraries of another Scala version, which have class loaders of their own.
package manywire.bridge;

/**
 * A JSON library and HTTP servers that need other versions than the lane: Finch and its Finagle. The lane has no class of
 * theirs, so only classes of Java pass between both.
 */
public interface Stack {
    /** Returns the version of Scala. */
    String scalaVersion();

    /** Returns the version of circe. */
    String circeVersion();

    /** Reads JSON as circe's value. */
    Object decode(byte[] payload) throws Exception;

    /** Writes circe's value. */
    byte[] encode(Object value);

    /** Starts a server, `finch` or `finagle`, on the loopback interface. Returns its port. */
    int start(String server, Bodies bodies);
}
