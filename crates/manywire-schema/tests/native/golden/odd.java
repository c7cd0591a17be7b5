// Written by `manywire shape`; its records are for Jackson 2.18 or later.

import com.fasterxml.jackson.annotation.*;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;

/** The whole value is Root. */
public final class Types {
    private Types() {}

    public record Root(
        @JsonProperty("odd key") long oddKey,
        @JsonProperty("class") long class_,
        @JsonProperty("Class") long class_2,
        @JsonProperty("CLASS") long class_3,
        @JsonProperty("self") long self,
        @JsonProperty("Self") String self2,
        @JsonProperty("type") String type,
        @JsonProperty("import") boolean import_,
        @JsonProperty("int") long int_,
        @JsonProperty("list") List<String> list,
        @JsonProperty("naïve") long naVe,
        @JsonProperty("名前") String field2,
        @JsonProperty("имя") String field3,
        @JsonProperty("a-b") long aB,
        @JsonProperty("a_b") long aB2,
        @JsonProperty("aB") long aB3,
        @JsonProperty("1st") long n1st,
        @JsonProperty("quote\"") long quote,
        @JsonProperty("back\\slash") long backSlash,
        @JsonProperty("it's") long itS,
        @JsonProperty("comma,") long comma,
        @JsonProperty("`tick`") long tick,
        @JsonProperty("xml:lang") String xmlLang,
        @JsonProperty("tab\t") long tab,
        @JsonProperty("line\nfeed") long lineFeed,
        @JsonProperty("emoji😀") long emoji,
        @JsonProperty("rtl\u202e") long rtl,
        @JsonProperty("\\u0022") long u0022,
        @JsonProperty("$ref") String ref,
        @JsonProperty("-") long field4,
        @JsonProperty("_") long field5,
        @JsonProperty("__proto__") long proto,
        @JsonProperty("constructor") long constructor,
        @JsonProperty("hashCode") long hashCode_,
        @JsonProperty("toString") String toString_,
        @JsonProperty("*/") String field6,
        @JsonProperty("userId") long userId,
        @JsonProperty("http_url") String httpUrl,
        @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("nothing") Object nothing,
        @JsonProperty("unsigned") BigInteger unsigned,
        @JsonProperty("least") long least,
        /** an array of (a float or a boolean or text or an array of (an integer) or Mixed or null). */
        @JsonProperty("mixed") List<Object> mixed,
        @JsonProperty("numbers") List<Double> numbers,
        @JsonProperty("empty") List<Object> empty,
        @JsonProperty("emptyObject") EmptyObject emptyObject,
        @JsonProperty("matrix") List<List<Long>> matrix,
        @JsonProperty("maybe") List<Maybe> maybe,
        @JsonProperty("byNumber") Map<String, ByNumber> byNumber,
        @JsonProperty("String") String2 string,
        @JsonProperty("Option") Option option,
        @JsonProperty("tree") Tree tree,
        @JsonProperty("chain") Chain chain,
        /** Every other key. */
        @JsonAnySetter @JsonAnyGetter Map<String, Long> field
    ) {}

    public record Mixed(
        @JsonProperty("b") long b
    ) {}

    public record EmptyObject() {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Maybe(
        @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("x") Long x,
        @JsonProperty("y") String y
    ) {}

    public record ByNumber(
        @JsonProperty("n") long n
    ) {}

    public record String2(
        @JsonProperty("Object") Object2 object
    ) {}

    public record Option(
        @JsonProperty("Vec") Vec vec
    ) {}

    public record Tree(
        @JsonProperty("name") String name,
        @JsonProperty("children") List<Tree> children
    ) {}

    public record Chain(
        @JsonProperty("value") long value,
        @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("next") Chain next
    ) {}

    public record Object2(
        @JsonProperty("List") List2 list
    ) {}

    public record Vec(
        @JsonProperty("Box") boolean box
    ) {}

    public record List2(
        @JsonProperty("Map") long map
    ) {}
}
