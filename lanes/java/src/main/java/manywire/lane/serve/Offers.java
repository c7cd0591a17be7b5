package manywire.lane.serve;

import manywire.lane.Coder;
import manywire.lane.http.Gzip;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The offers of the verb serve, whatever the transport of the server. */
public final class Offers {
    /** An offered subject: its media type, its operations and its values. */
    public record Offer(String mediaType, Coder coder, List<Object> values) {
        byte[] represent(int index, boolean gzip) throws Exception {
            byte[] bytes = coder.encode(values.get(index));
            return gzip ? Gzip.deflate(bytes) : bytes;
        }
    }

    /** An offer with the bodies of the transport meter, uncompressed and compressed. */
    private record Made(Offer offer, List<byte[]> plain, List<byte[]> packed) {}

    /** The parts of a target: the payload of an offer, and the nonce of the request. */
    public static final class Target {
        private final Made made;
        private final boolean encodes;
        private final int index;
        private final String nonce;

        private Target(Made made, boolean encodes, int index, String nonce) {
            this.made = made;
            this.encodes = encodes;
            this.index = index;
            this.nonce = nonce;
        }

        public String mediaType() {
            return made.offer().mediaType();
        }

        /** Returns the bytes that a body begins with. */
        public byte[] nonce() {
            return nonce.getBytes(StandardCharsets.ISO_8859_1);
        }

        /** Returns the rest of the body. */
        public byte[] represent(boolean gzip) throws Exception {
            return encodes
                    ? made.offer().represent(index, gzip)
                    : (gzip ? made.packed() : made.plain()).get(index);
        }
    }

    private static final Pattern TARGET =
            Pattern.compile("/(transport|endpoint)/(\\d{1,6})/([0-9a-f]{8}([0-9a-f]{8}))");

    private final List<Made> offers = new ArrayList<>();

    public Offers(List<Offer> offers) throws Exception {
        for (Offer offer : offers) {
            Made made = new Made(offer, new ArrayList<>(), new ArrayList<>());
            for (int index = 0; index < offer.values().size(); index++) {
                made.plain().add(offer.represent(index, false));
                made.packed().add(offer.represent(index, true));
            }
            this.offers.add(made);
        }
    }

    /** Returns the target of a request, or {@code null} if it is unknown. */
    public Target find(String text) {
        Matcher target = TARGET.matcher(text);
        int number = target.matches() ? Integer.parseInt(target.group(2)) : offers.size();
        if (number >= offers.size() || offers.get(number).plain().isEmpty()) {
            return null;
        }
        Made made = offers.get(number);
        int index =
                Integer.remainderUnsigned(
                        Integer.parseUnsignedInt(target.group(4), 16), made.plain().size());
        return new Target(made, target.group(1).equals("endpoint"), index, target.group(3));
    }
}
