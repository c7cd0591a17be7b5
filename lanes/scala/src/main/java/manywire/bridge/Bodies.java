// The responses of a server of the lane.
package manywire.bridge;

/** The offers of the verb serve. Every server responds with their bodies, so that servers differ by nothing else. */
public interface Bodies {
    /** Returns the response to a request, or null if there is no such offer or if the nonce is invalid. */
    Body body(boolean isEncoded, String offer, String nonce, boolean isPacked);

    /** A body: a nonce and a representation, which is compressed by gzip if it is packed. */
    final class Body {
        public final String mediaType;
        public final byte[] nonce;
        public final byte[] representation;

        public Body(String mediaType, byte[] nonce, byte[] representation) {
            this.mediaType = mediaType;
            this.nonce = nonce;
            this.representation = representation;
        }
    }
}
