using System.Collections.Generic;
using System.Text.Json;

namespace Manywire.Lane.Subjects
{
    /// <summary>
    /// The JSON library of the runtime. Values are dictionaries and lists: a <c>JsonDocument</c> reads its
    /// fields on access and keeps the bytes, and a program that writes has made its values itself.
    /// </summary>
    public sealed class SystemTextJson : Coder
    {
        public override object Decode(byte[] bytes)
        {
            return Decode(bytes, new JsonDocumentOptions());
        }

        /// <summary>Returns the value of bytes, with options.</summary>
        public static object Decode(byte[] bytes, JsonDocumentOptions options)
        {
            using (JsonDocument document = JsonDocument.Parse(bytes, options))
            {
                return Value(document.RootElement);
            }
        }

        public override byte[] Encode(object value)
        {
            return JsonSerializer.SerializeToUtf8Bytes(value, null);
        }

        /// <summary>Returns the value of an element.</summary>
        public static object Value(JsonElement element)
        {
            switch (element.ValueKind)
            {
                case JsonValueKind.Object:
                    var map = new Dictionary<string, object>();
                    foreach (JsonProperty property in element.EnumerateObject())
                    {
                        map[property.Name] = Value(property.Value);
                    }
                    return map;
                case JsonValueKind.Array:
                    var list = new List<object>(element.GetArrayLength());
                    foreach (JsonElement item in element.EnumerateArray())
                    {
                        list.Add(Value(item));
                    }
                    return list;
                case JsonValueKind.String:
                    return element.GetString();
                case JsonValueKind.Number:
                    return Number(element);
                case JsonValueKind.True:
                    return true;
                case JsonValueKind.False:
                    return false;
                default:
                    return null;
            }
        }

        private static object Number(JsonElement element)
        {
            if (element.TryGetInt64(out long signed))
            {
                return signed;
            }
            if (element.TryGetUInt64(out ulong unsigned))
            {
                return unsigned;
            }
            double number = element.GetDouble();
            if (double.IsInfinity(number))
            {
                string text = element.GetRawText();
                throw new Refusal($"the number {text.Substring(0, System.Math.Min(40, text.Length))} is beyond a double");
            }
            return number;
        }
    }
}
