// Written by `manywire shape`: JsonPropertyName is for System.Text.Json, DataMember for
// Newtonsoft.Json.
// The whole value is Kinds.

using System.Collections.Generic;
using System.Runtime.Serialization;
using System.Text.Json.Serialization;

/// <summary>Of every kind one. */ // """ \u002a</summary>
[DataContract]
public sealed class Kinds
{
    [DataMember(Name = "small"), JsonPropertyName("small")]
    public byte Small { get; set; }

    [DataMember(Name = "sizes", EmitDefaultValue = false), JsonPropertyName("sizes")]
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public List<byte> Sizes { get; set; }

    [DataMember(Name = "letter"), JsonPropertyName("letter")]
    public string Letter { get; set; }

    [DataMember(Name = "color"), JsonPropertyName("color")]
    public string Color { get; set; }

    /// <summary>an array of (text, an integer).</summary>
    [DataMember(Name = "pair"), JsonPropertyName("pair")]
    public List<object> Pair { get; set; }

    [DataMember(Name = "square"), JsonPropertyName("square")]
    public List<double> Square { get; set; }

    /// <summary>text or an integer or null.</summary>
    [DataMember(Name = "one"), JsonPropertyName("one")]
    public object One { get; set; }

    [DataMember(Name = "any"), JsonPropertyName("any")]
    public object Any { get; set; }

    /// <summary>an array of (External).</summary>
    [DataMember(Name = "external"), JsonPropertyName("external")]
    public List<object> External { get; set; }

    [DataMember(Name = "whole", EmitDefaultValue = false), JsonPropertyName("whole")]
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public Whole Whole { get; set; }

    /// <summary>an array of (Internal).</summary>
    [DataMember(Name = "internal"), JsonPropertyName("internal")]
    public List<object> Internal { get; set; }

    /// <summary>an array of (Adjacent).</summary>
    [DataMember(Name = "adjacent"), JsonPropertyName("adjacent")]
    public List<object> Adjacent { get; set; }

    [DataMember(Name = "byNumber"), JsonPropertyName("byNumber")]
    public Dictionary<long, string> ByNumber { get; set; }

    [DataMember(Name = "byColor"), JsonPropertyName("byColor")]
    public Dictionary<string, bool> ByColor { get; set; }

    [DataMember(Name = "nested", EmitDefaultValue = false), JsonPropertyName("nested")]
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public List<object> Nested { get; set; }

    [DataMember(Name = "open", EmitDefaultValue = false), JsonPropertyName("open")]
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public Open Open { get; set; }

    [DataMember(Name = "tree", EmitDefaultValue = false), JsonPropertyName("tree")]
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public Tree Tree { get; set; }
}

public static class Color
{
    public const string Red = "red";
    public const string DarkGreen = "dark green";
    public const string Empty = "";
    public const string Class = "class";
}

// External is an object. One key, or a name alone: "none", "circle" with Circle, "a box" with Box

/// <summary>One of the properties is there.</summary>
[DataContract]
public sealed class Whole
{
    [DataMember(Name = "circle", EmitDefaultValue = false), JsonPropertyName("circle")]
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public Circle Circle { get; set; }

    [DataMember(Name = "number", EmitDefaultValue = false), JsonPropertyName("number")]
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public long? Number { get; set; }
}

// Internal is an object. The key "kind" says which: "circle" with Circle2, "a box" with ABox

// Adjacent is an object. The key "t" says what "c" is: "circle" with Circle, "text" with text

[DataContract]
public sealed class Open
{
    [DataMember(Name = "id"), JsonPropertyName("id")]
    public long Id { get; set; }

    /// <summary>Every other key, with text; Newtonsoft.Json ignores them.</summary>
    [JsonExtensionData]
    public Dictionary<string, object> Rest { get; set; }
}

[DataContract]
public sealed class Tree
{
    [DataMember(Name = "left"), JsonPropertyName("left")]
    public Tree Left { get; set; }

    [DataMember(Name = "right", EmitDefaultValue = false), JsonPropertyName("right")]
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public Tree Right { get; set; }
}

[DataContract]
public sealed class Circle
{
    [DataMember(Name = "radius"), JsonPropertyName("radius")]
    public double Radius { get; set; }
}

[DataContract]
public sealed class Box
{
    [DataMember(Name = "width"), JsonPropertyName("width")]
    public double Width { get; set; }

    [DataMember(Name = "label", EmitDefaultValue = false), JsonPropertyName("label")]
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string Label { get; set; }
}

[DataContract]
public sealed class Circle2
{
    [DataMember(Name = "radius"), JsonPropertyName("radius")]
    public double Radius { get; set; }
}

[DataContract]
public sealed class ABox
{
    [DataMember(Name = "width"), JsonPropertyName("width")]
    public double Width { get; set; }
}
