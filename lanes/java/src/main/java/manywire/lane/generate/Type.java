package manywire.lane.generate;

/** What a field of a generated class holds. */
sealed interface Type {
    /** Its name in Java's source, where null may stand too. */
    String boxed();

    /** Its name where null cannot stand. */
    default String plain() {
        return boxed();
    }

    /** One of the types that MessagePack's reader and writer have words for. */
    enum Scalar implements Type {
        BOOL("boolean", "Boolean"),
        LONG("long", "Long"),
        FLOAT("float", "Float"),
        DOUBLE("double", "Double"),
        STRING("String", "String"),
        BYTES("byte[]", "byte[]"),
        BIG("java.math.BigInteger", "java.math.BigInteger");

        private final String plain;
        private final String boxed;

        Scalar(String plain, String boxed) {
            this.plain = plain;
            this.boxed = boxed;
        }

        @Override
        public String plain() {
            return plain;
        }

        @Override
        public String boxed() {
            return boxed;
        }
    }

    /** Whatever there is: maps, lists, boxed scalars, null. */
    record Anything() implements Type {
        @Override
        public String boxed() {
            return "Object";
        }
    }

    /** A generated class. */
    record Class(String name) implements Type {
        @Override
        public String boxed() {
            return name;
        }
    }

    record List(Type item) implements Type {
        @Override
        public String boxed() {
            return "java.util.List<" + item.boxed() + ">";
        }
    }

    record Map(Type key, Type value) implements Type {
        @Override
        public String boxed() {
            return "java.util.Map<" + key.boxed() + ", " + value.boxed() + ">";
        }
    }

    /** The same, or null. */
    record Nullable(Type inner) implements Type {
        @Override
        public String boxed() {
            return inner.boxed();
        }
    }
}
