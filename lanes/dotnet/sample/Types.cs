// Written by `manywire shape`: JsonPropertyName is for System.Text.Json, DataMember for
// Newtonsoft.Json.
// The whole value is Root.

using System;
using System.Collections.Generic;
using System.Runtime.Serialization;
using System.Text.Json.Serialization;

namespace Typed
{
    [DataContract]
    public sealed class Root
    {
        [DataMember(Name = "id"), JsonPropertyName("id")]
        public ulong Id { get; set; }

        [DataMember(Name = "small"), JsonPropertyName("small")]
        public sbyte Small { get; set; }

        [DataMember(Name = "size"), JsonPropertyName("size")]
        public ushort Size { get; set; }

        [DataMember(Name = "ratio"), JsonPropertyName("ratio")]
        public float Ratio { get; set; }

        [DataMember(Name = "real"), JsonPropertyName("real")]
        public double Real { get; set; }

        [DataMember(Name = "flag"), JsonPropertyName("flag")]
        public bool Flag { get; set; }

        [DataMember(Name = "odd key"), JsonPropertyName("odd key")]
        public string OddKey { get; set; }

        [DataMember(Name = "note", EmitDefaultValue = false), JsonPropertyName("note")]
        [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
        public string Note { get; set; }

        [DataMember(Name = "count"), JsonPropertyName("count")]
        public long? Count { get; set; }

        [DataMember(Name = "tags"), JsonPropertyName("tags")]
        public List<string> Tags { get; set; }

        [DataMember(Name = "matrix"), JsonPropertyName("matrix")]
        public List<List<long>> Matrix { get; set; }

        [DataMember(Name = "place"), JsonPropertyName("place")]
        public Place Place { get; set; }

        [DataMember(Name = "places", EmitDefaultValue = false), JsonPropertyName("places")]
        [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
        public List<Place> Places { get; set; }

        [DataMember(Name = "by"), JsonPropertyName("by")]
        public Dictionary<string, Place> By { get; set; }

        /// <summary>an array of (text or an integer or null).</summary>
        [DataMember(Name = "mixed"), JsonPropertyName("mixed")]
        public List<object> Mixed { get; set; }

        [DataMember(Name = "parser"), JsonPropertyName("parser")]
        public Parser Parser { get; set; }

        [DataMember(Name = "has_note"), JsonPropertyName("has_note")]
        public bool HasNote { get; set; }

        [DataMember(Name = "at", EmitDefaultValue = false), JsonPropertyName("at")]
        [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
        public DateTimeOffset? At { get; set; }

        [DataMember(Name = "data", EmitDefaultValue = false), JsonPropertyName("data")]
        [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
        public byte[] Data { get; set; }

        [DataMember(Name = "numbers", EmitDefaultValue = false), JsonPropertyName("numbers")]
        [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
        public Dictionary<long, bool> Numbers { get; set; }
    }

    [DataContract]
    public sealed class Place
    {
        [DataMember(Name = "lat"), JsonPropertyName("lat")]
        public double Lat { get; set; }

        [DataMember(Name = "name"), JsonPropertyName("name")]
        public string Name { get; set; }

        [DataMember(Name = "has_name", EmitDefaultValue = false), JsonPropertyName("has_name")]
        [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
        public bool? HasName { get; set; }
    }

    [DataContract]
    public sealed class Parser
    {
        [DataMember(Name = "value"), JsonPropertyName("value")]
        public long Value { get; set; }

        [DataMember(Name = "next"), JsonPropertyName("next")]
        public Parser Next { get; set; }
    }
}
