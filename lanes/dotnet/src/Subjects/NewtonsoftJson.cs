using System.Collections.Generic;
using System.IO;
using System.Text;
using System.Text.Json;

using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Manywire.Lane.Subjects
{
    /// <summary>The library that most programs used before the runtime had one. Values are its tokens.</summary>
    public sealed class NewtonsoftJson : Coder
    {
        // Writing is recursive, so that a deep value would overflow the stack. 10.0.3 has no limit by default.
        internal const int DepthMax = 512;

        internal static readonly Encoding Utf8 = new UTF8Encoding(false, true);

        public override void Check(byte[] bytes)
        {
            CheckSyntax(bytes);
        }

        /// <summary>
        /// Refuses what is not JSON. The library reads more than that, such as comments and <c>[1,,2]</c>, and it
        /// replaces an escaped lone surrogate and ignores what follows it in <c>"\ud800"x</c>.
        /// </summary>
        internal static void CheckSyntax(byte[] bytes)
        {
            SystemTextJson.Decode(bytes, new JsonDocumentOptions { MaxDepth = DepthMax });
        }

        public override object Decode(byte[] bytes)
        {
            using (var reader = new JsonTextReader(new StringReader(Utf8.GetString(bytes))))
            {
                // By default, text that looks like a date becomes a date and is written in another form.
                reader.DateParseHandling = DateParseHandling.None;
                reader.MaxDepth = DepthMax;
                JToken token = JToken.ReadFrom(reader);
                if (reader.Read())
                {
                    throw new JsonReaderException($"additional text at line {reader.LineNumber}, position {reader.LinePosition}");
                }
                return token;
            }
        }

        public override byte[] Encode(object value)
        {
            return Utf8.GetBytes(((JToken)value).ToString(Formatting.None));
        }

        public override object Plain(object value)
        {
            return PlainToken((JToken)value);
        }

        internal static object PlainToken(JToken value)
        {
            if (value is JObject map)
            {
                var entries = new Dictionary<string, object>();
                foreach (KeyValuePair<string, JToken> entry in map)
                {
                    entries[entry.Key] = PlainToken(entry.Value);
                }
                return entries;
            }
            if (value is JArray list)
            {
                var items = new List<object>();
                foreach (JToken item in list)
                {
                    items.Add(PlainToken(item));
                }
                return items;
            }
            if (value is JValue scalar && scalar.Type != JTokenType.Comment && scalar.Type != JTokenType.Undefined)
            {
                return scalar.Value;
            }
            throw new Refusal($"a token that is not JSON: {value.GetType().Name} {value.Type}");
        }
    }
}
