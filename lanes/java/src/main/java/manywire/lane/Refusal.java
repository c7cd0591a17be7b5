package manywire.lane;

/** What this lane cannot do, in words for people. */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Refusal(String words) {
        super(words);
    }
}
