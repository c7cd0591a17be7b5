package manywire.lane;

/** The error for generated code that does not compile, with the output of the compiler. */
public final class Uncompiled extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Uncompiled(String words) {
        super(words);
    }
}
