// Written by `manywire shape`; its records are for Jackson 2.18 or later.

import com.fasterxml.jackson.annotation.*;
import java.util.List;
import java.util.Map;

/** The whole value is Kinds. */
public final class Types {
    private Types() {}

    /** Of every kind one. * / // """ &#92;u002a */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Kinds(
        @JsonProperty("small") short small,
        @JsonProperty("sizes") List<Short> sizes,
        @JsonProperty("letter") String letter,
        @JsonProperty("color") Color color,
        @JsonProperty("pair") KindsPair pair,
        @JsonProperty("square") List<Double> square,
        /** text or an integer or null. */
        @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("one") Object one,
        @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("any") Object any,
        @JsonProperty("external") List<External> external,
        @JsonProperty("whole") Whole whole,
        @JsonProperty("internal") List<Internal> internal,
        @JsonProperty("adjacent") List<Adjacent> adjacent,
        @JsonProperty("byNumber") Map<Long, String> byNumber,
        @JsonProperty("byColor") Map<Color, Boolean> byColor,
        @JsonProperty("nested") KindsNestedItem nested,
        @JsonProperty("open") Open open,
        @JsonProperty("tree") Tree tree
    ) {}

    public enum Color {
        @JsonProperty("red") RED,
        @JsonProperty("dark green") DARK_GREEN,
        @JsonProperty("") EMPTY,
        @JsonProperty("class") CLASS,
    }

    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    @JsonPropertyOrder({"f0", "f1"})
    public record KindsPair(@JsonProperty("f0") String f0, @JsonProperty("f1") long f1) {}

    /** One key, or a name alone: "none", "circle" with Circle, "a box" with Box */
    public record External(@JsonValue Object value) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public External {}
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Whole(
        @JsonProperty("circle") Circle CIRCLE,
        @JsonProperty("number") Long NUMBER
    ) {}

    /** The key "kind" says which: "circle" with Circle2, "a box" with ABox */
    public record Internal(@JsonValue Object value) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public Internal {}
    }

    /** The key "t" says what "c" is: "circle" with Circle, "text" with text */
    public record Adjacent(@JsonValue Object value) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public Adjacent {}
    }

    public record KindsNestedItem(@JsonValue List<KindsNestedItem> value) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public KindsNestedItem {}
    }

    public record Open(
        @JsonProperty("id") long id,
        /** Every other key. */
        @JsonAnySetter @JsonAnyGetter Map<String, String> rest
    ) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Tree(
        @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("left") Tree left,
        @JsonProperty("right") Tree right
    ) {}

    public record Circle(
        @JsonProperty("radius") double radius
    ) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Box(
        @JsonProperty("width") double width,
        @JsonProperty("label") String label
    ) {}

    public record Circle2(
        @JsonProperty("radius") double radius
    ) {}

    public record ABox(
        @JsonProperty("width") double width
    ) {}
}
