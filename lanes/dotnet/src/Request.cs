using System.Collections.Generic;
using System.Linq;
using System.Text.Json;

using Manywire.Lane.Subjects;

namespace Manywire.Lane
{
    /// <summary>A request. Each method returns a member, or throws what was expected.</summary>
    public sealed class Request
    {
        public const long CountMax = 1L << 53;

        private readonly JsonElement element;

        private Request(JsonElement element)
        {
            this.element = element;
        }

        /// <summary>Parses a frame.</summary>
        public static Request Parse(byte[] frame)
        {
            using (JsonDocument document = JsonDocument.Parse(frame, new JsonDocumentOptions()))
            {
                return Of(document.RootElement.Clone());
            }
        }

        private static Request Of(JsonElement element)
        {
            return element.ValueKind == JsonValueKind.Object ? new Request(element) : throw new Refusal("a request that is not a JSON object");
        }

        /// <summary>Returns the verb; null if it is missing or not text.</summary>
        public string Verb => element.TryGetProperty("verb", out JsonElement verb) && verb.ValueKind == JsonValueKind.String ? verb.GetString() : null;

        /// <summary>Returns the number of frames that follow.</summary>
        public long Following => Verb == "schema" ? 1 : Verb == "load" ? Whole("payloads", 1L << 32) : 0;

        /// <summary>Returns a member as JSON, shortened for messages.</summary>
        public string Show(string member)
        {
            return element.TryGetProperty(member, out JsonElement value) ? Show(value) : "missing";
        }

        private static string Show(JsonElement value)
        {
            string text = value.GetRawText();
            return text.Length > 80 ? text.Substring(0, 80) : text;
        }

        private Refusal Wrong(string member, string expected)
        {
            return new Refusal($"{member} is {Show(member)}, expected {expected}");
        }

        private bool IsNull(string member)
        {
            return !element.TryGetProperty(member, out JsonElement value) || value.ValueKind == JsonValueKind.Null;
        }

        private static bool IsWhole(JsonElement value, long end, out long number)
        {
            number = -1;
            return value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out number) && number >= 0 && number < end;
        }

        public long Whole(string member, long end)
        {
            bool isFound = element.TryGetProperty(member, out JsonElement value);
            return isFound && IsWhole(value, end, out long number) ? number : throw Wrong(member, $"a whole number below {end}");
        }

        /// <summary>Returns a number of milliseconds, which may have a fraction.</summary>
        public double Milliseconds(string member)
        {
            element.TryGetProperty(member, out JsonElement value);
            double number = value.ValueKind == JsonValueKind.Number ? value.GetDouble() : -1;
            return number >= 0 && number < int.MaxValue ? number : throw Wrong(member, "a number of milliseconds");
        }

        /// <summary>Returns a positive number, or null.</summary>
        public double? Rate(string member)
        {
            if (IsNull(member))
            {
                return null;
            }
            element.TryGetProperty(member, out JsonElement value);
            double number = value.ValueKind == JsonValueKind.Number ? value.GetDouble() : 0;
            return number > 0 ? number : throw Wrong(member, "a positive number or null");
        }

        public bool Truth(string member)
        {
            element.TryGetProperty(member, out JsonElement value);
            return value.ValueKind == JsonValueKind.True || (value.ValueKind == JsonValueKind.False ? false : throw Wrong(member, "true or false"));
        }

        /// <summary>Returns a text, or null for null or a missing member.</summary>
        public string TextOrNull(string member)
        {
            if (IsNull(member))
            {
                return null;
            }
            element.TryGetProperty(member, out JsonElement value);
            return value.ValueKind == JsonValueKind.String ? value.GetString() : throw Wrong(member, "text or null");
        }

        public string Text(string member)
        {
            return TextOrNull(member) ?? throw Wrong(member, "text");
        }

        /// <summary>Returns a member as a dictionary, list or scalar; null if it is missing.</summary>
        public object Value(string member)
        {
            return element.TryGetProperty(member, out JsonElement value) ? SystemTextJson.Value(value) : null;
        }

        /// <summary>Returns whether the operation is to encode.</summary>
        public bool IsEncode()
        {
            string operation = Text("operation");
            return operation == "encode" || (operation == "decode" ? false : throw Wrong("operation", "encode or decode"));
        }

        /// <summary>Returns whether the content coding is gzip.</summary>
        public bool IsPacked()
        {
            string coding = TextOrNull("coding");
            return coding == "gzip" || (coding == null ? false : throw Wrong("coding", "gzip or null"));
        }

        private IEnumerable<JsonElement> List(string member, string expected)
        {
            element.TryGetProperty(member, out JsonElement value);
            if (value.ValueKind != JsonValueKind.Array)
            {
                throw Wrong(member, expected);
            }
            var items = new List<JsonElement>();
            foreach (JsonElement item in value.EnumerateArray())
            {
                items.Add(item);
            }
            return items;
        }

        public int[] Window(int payloads)
        {
            string expected = $"a list of numbers of the {payloads} payloads";
            return List("window", expected)
                .Select(item => IsWhole(item, payloads, out long number) ? (int)number : throw Wrong("window", expected))
                .ToArray();
        }

        /// <summary>Returns a list of objects.</summary>
        public Request[] Objects(string member)
        {
            return List(member, "a list of objects").Select(Of).ToArray();
        }

        /// <summary>Returns a list of pairs of text.</summary>
        public List<KeyValuePair<string, string>> Pairs(string member)
        {
            const string expected = "a list of pairs of text";
            var pairs = new List<KeyValuePair<string, string>>();
            foreach (JsonElement item in List(member, expected))
            {
                var parts = new List<string>();
                if (item.ValueKind == JsonValueKind.Array)
                {
                    foreach (JsonElement part in item.EnumerateArray())
                    {
                        parts.Add(part.ValueKind == JsonValueKind.String ? part.GetString() : throw Wrong(member, expected));
                    }
                }
                if (parts.Count != 2)
                {
                    throw Wrong(member, expected);
                }
                pairs.Add(new KeyValuePair<string, string>(parts[0], parts[1]));
            }
            return pairs;
        }
    }
}
