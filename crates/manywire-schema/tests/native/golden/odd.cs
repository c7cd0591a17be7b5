// Written by `manywire shape`: JsonPropertyName is for System.Text.Json, DataMember for
// Newtonsoft.Json.
// The whole value is Root.

using System.Collections.Generic;
using System.Runtime.Serialization;
using System.Text.Json.Serialization;

[DataContract]
public sealed class Root
{
    [DataMember(Name = ""), JsonPropertyName("")]
    public long Field { get; set; }

    [DataMember(Name = "odd key"), JsonPropertyName("odd key")]
    public long OddKey { get; set; }

    [DataMember(Name = "class"), JsonPropertyName("class")]
    public long Class { get; set; }

    [DataMember(Name = "Class"), JsonPropertyName("Class")]
    public long Class2 { get; set; }

    [DataMember(Name = "CLASS"), JsonPropertyName("CLASS")]
    public long CLASS { get; set; }

    [DataMember(Name = "self"), JsonPropertyName("self")]
    public long Self { get; set; }

    [DataMember(Name = "Self"), JsonPropertyName("Self")]
    public string Self2 { get; set; }

    [DataMember(Name = "type"), JsonPropertyName("type")]
    public string Type { get; set; }

    [DataMember(Name = "import"), JsonPropertyName("import")]
    public bool Import { get; set; }

    [DataMember(Name = "int"), JsonPropertyName("int")]
    public long Int { get; set; }

    [DataMember(Name = "list"), JsonPropertyName("list")]
    public List<string> List { get; set; }

    [DataMember(Name = "naïve"), JsonPropertyName("naïve")]
    public long NaVe { get; set; }

    [DataMember(Name = "名前"), JsonPropertyName("名前")]
    public string Field2 { get; set; }

    [DataMember(Name = "имя"), JsonPropertyName("имя")]
    public string Field3 { get; set; }

    [DataMember(Name = "a-b"), JsonPropertyName("a-b")]
    public long AB { get; set; }

    [DataMember(Name = "a_b"), JsonPropertyName("a_b")]
    public long AB2 { get; set; }

    [DataMember(Name = "aB"), JsonPropertyName("aB")]
    public long AB3 { get; set; }

    [DataMember(Name = "1st"), JsonPropertyName("1st")]
    public long N1st { get; set; }

    [DataMember(Name = "quote\""), JsonPropertyName("quote\"")]
    public long Quote { get; set; }

    [DataMember(Name = "back\\slash"), JsonPropertyName("back\\slash")]
    public long BackSlash { get; set; }

    [DataMember(Name = "it's"), JsonPropertyName("it's")]
    public long ItS { get; set; }

    [DataMember(Name = "comma,"), JsonPropertyName("comma,")]
    public long Comma { get; set; }

    [DataMember(Name = "`tick`"), JsonPropertyName("`tick`")]
    public long Tick { get; set; }

    [DataMember(Name = "xml:lang"), JsonPropertyName("xml:lang")]
    public string XmlLang { get; set; }

    [DataMember(Name = "tab\t"), JsonPropertyName("tab\t")]
    public long Tab { get; set; }

    [DataMember(Name = "line\nfeed"), JsonPropertyName("line\nfeed")]
    public long LineFeed { get; set; }

    [DataMember(Name = "emoji😀"), JsonPropertyName("emoji😀")]
    public long Emoji { get; set; }

    [DataMember(Name = "rtl\u202e"), JsonPropertyName("rtl\u202e")]
    public long Rtl { get; set; }

    [DataMember(Name = "\\u0022"), JsonPropertyName("\\u0022")]
    public long U0022 { get; set; }

    [DataMember(Name = "$ref"), JsonPropertyName("$ref")]
    public string Ref { get; set; }

    [DataMember(Name = "-"), JsonPropertyName("-")]
    public long Field4 { get; set; }

    [DataMember(Name = "_"), JsonPropertyName("_")]
    public long Field5 { get; set; }

    [DataMember(Name = "__proto__"), JsonPropertyName("__proto__")]
    public long Proto { get; set; }

    [DataMember(Name = "constructor"), JsonPropertyName("constructor")]
    public long Constructor { get; set; }

    [DataMember(Name = "hashCode"), JsonPropertyName("hashCode")]
    public long HashCode { get; set; }

    [DataMember(Name = "toString"), JsonPropertyName("toString")]
    public string ToString_ { get; set; }

    [DataMember(Name = "*/"), JsonPropertyName("*/")]
    public string Field6 { get; set; }

    [DataMember(Name = "userId"), JsonPropertyName("userId")]
    public long UserId { get; set; }

    [DataMember(Name = "http_url"), JsonPropertyName("http_url")]
    public string HttpUrl { get; set; }

    [DataMember(Name = "nothing"), JsonPropertyName("nothing")]
    public object Nothing { get; set; }

    [DataMember(Name = "unsigned"), JsonPropertyName("unsigned")]
    public ulong Unsigned { get; set; }

    [DataMember(Name = "least"), JsonPropertyName("least")]
    public long Least { get; set; }

    /// <summary>an array of (a float or a boolean or text or an array of (an integer) or Mixed or null).</summary>
    [DataMember(Name = "mixed"), JsonPropertyName("mixed")]
    public List<object> Mixed { get; set; }

    [DataMember(Name = "numbers"), JsonPropertyName("numbers")]
    public List<double> Numbers { get; set; }

    [DataMember(Name = "empty"), JsonPropertyName("empty")]
    public List<object> Empty { get; set; }

    [DataMember(Name = "emptyObject"), JsonPropertyName("emptyObject")]
    public EmptyObject EmptyObject { get; set; }

    [DataMember(Name = "matrix"), JsonPropertyName("matrix")]
    public List<List<long>> Matrix { get; set; }

    [DataMember(Name = "maybe"), JsonPropertyName("maybe")]
    public List<Maybe> Maybe { get; set; }

    [DataMember(Name = "byNumber"), JsonPropertyName("byNumber")]
    public Dictionary<string, ByNumber> ByNumber { get; set; }

    [DataMember(Name = "String"), JsonPropertyName("String")]
    public String String { get; set; }

    [DataMember(Name = "Option"), JsonPropertyName("Option")]
    public Option Option { get; set; }

    [DataMember(Name = "tree"), JsonPropertyName("tree")]
    public Tree Tree { get; set; }

    [DataMember(Name = "chain"), JsonPropertyName("chain")]
    public Chain Chain { get; set; }
}

[DataContract]
public sealed class Mixed
{
    [DataMember(Name = "b"), JsonPropertyName("b")]
    public long B { get; set; }
}

[DataContract]
public sealed class EmptyObject
{
}

[DataContract]
public sealed class Maybe
{
    [DataMember(Name = "x"), JsonPropertyName("x")]
    public long? X { get; set; }

    [DataMember(Name = "y", EmitDefaultValue = false), JsonPropertyName("y")]
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string Y { get; set; }
}

[DataContract]
public sealed class ByNumber
{
    [DataMember(Name = "n"), JsonPropertyName("n")]
    public long N { get; set; }
}

[DataContract]
public sealed class String
{
    [DataMember(Name = "Object"), JsonPropertyName("Object")]
    public Object Object { get; set; }
}

[DataContract]
public sealed class Option
{
    [DataMember(Name = "Vec"), JsonPropertyName("Vec")]
    public Vec Vec { get; set; }
}

[DataContract]
public sealed class Tree
{
    [DataMember(Name = "name"), JsonPropertyName("name")]
    public string Name { get; set; }

    [DataMember(Name = "children"), JsonPropertyName("children")]
    public List<Tree> Children { get; set; }
}

[DataContract]
public sealed class Chain
{
    [DataMember(Name = "value"), JsonPropertyName("value")]
    public long Value { get; set; }

    [DataMember(Name = "next"), JsonPropertyName("next")]
    public Chain Next { get; set; }
}

[DataContract]
public sealed class Object
{
    [DataMember(Name = "List"), JsonPropertyName("List")]
    public List2 List { get; set; }
}

[DataContract]
public sealed class Vec
{
    [DataMember(Name = "Box"), JsonPropertyName("Box")]
    public bool Box { get; set; }
}

[DataContract]
public sealed class List2
{
    [DataMember(Name = "Map"), JsonPropertyName("Map")]
    public long Map { get; set; }
}
