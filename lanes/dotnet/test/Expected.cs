using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Numerics;
using System.Security.Cryptography;
using System.Text;

using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Manywire.Lane.Test
{
    /// <summary>The expected digest of a JSON document, implemented independently from CONTRACT.md.</summary>
    public static class Expected
    {
        private static readonly Encoding Latin1 = Encoding.GetEncoding("iso-8859-1");

        public static string OfForm(string latin1)
        {
            using (SHA256 hash = SHA256.Create())
            {
                return string.Concat(hash.ComputeHash(Latin1.GetBytes(latin1)).Select(each => each.ToString("x2")));
            }
        }

        public static string OfText(byte[] text)
        {
            var reader = new JsonTextReader(new StringReader(Encoding.UTF8.GetString(text))) { DateParseHandling = DateParseHandling.None };
            return OfForm(Form(JToken.ReadFrom(reader)));
        }

        /// <summary>Returns the canonical form as text of one character for each byte.</summary>
        private static string Form(JToken token)
        {
            switch (token.Type)
            {
                case JTokenType.Null:
                    return "n";
                case JTokenType.Boolean:
                    return (bool)token ? "t" : "f";
                case JTokenType.Integer:
                    return "i" + token.ToString(Formatting.None) + ";";
                case JTokenType.Float:
                    double number = (double)token;
                    if (number % 1 == 0 && number >= -9223372036854775808.0 && number < 18446744073709551616.0)
                    {
                        return "i" + new BigInteger(number) + ";";
                    }
                    return "d" + Latin1.GetString(BitConverter.GetBytes(number).Reverse().ToArray());
                case JTokenType.String:
                    return Text((string)token);
                case JTokenType.Array:
                    return "a" + token.Count() + ":" + string.Concat(token.Select(Form));
                default:
                    var entries = new SortedDictionary<string, string>(StringComparer.Ordinal);
                    foreach (JProperty property in ((JObject)token).Properties().Where(property => property.Value.Type != JTokenType.Null))
                    {
                        entries[Text(property.Name)] = Form(property.Value);
                    }
                    return "m" + entries.Count + ":" + string.Concat(entries.Select(entry => entry.Key + entry.Value));
            }
        }

        private static string Text(string text)
        {
            string bytes = Latin1.GetString(Encoding.UTF8.GetBytes(text));
            return "s" + bytes.Length + ":" + bytes;
        }
    }
}
