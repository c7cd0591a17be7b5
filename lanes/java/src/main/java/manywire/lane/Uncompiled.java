package manywire.lane;

/** Generated code that does not compile, with the words of the compiler. */
public final class Uncompiled extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Uncompiled(String words) {
        super(words);
    }
}
