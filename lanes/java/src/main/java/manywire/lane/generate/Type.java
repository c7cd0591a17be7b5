package manywire.lane.generate;

/** The type of a field of a generated class. */
sealed interface Type {
    /** Returns the name of the type in source code, for nullable values. */
    String boxed();

    /** Returns the name of the type in source code, for values that are not null. */
    default String plain() {
        return boxed();
    }

    /** A scalar type that the reader and writer of MessagePack support. */
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

    /** Any value: maps, lists, boxed scalars, null. */
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

    /** The type of a nullable value. */
    record Nullable(Type inner) implements Type {
        @Override
        public String boxed() {
            return inner.boxed();
        }
    }
}
