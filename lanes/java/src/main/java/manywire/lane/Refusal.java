package manywire.lane;

/** An error of the lane, with a message for people. */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Refusal(String words) {
        super(words);
    }
}
