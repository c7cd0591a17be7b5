using System.Globalization;
using System.IO;

using Newtonsoft.Json;

namespace Manywire.Lane.Subjects
{
    /// <summary>The library that most programs used before the runtime had one, with the types of the payloads.</summary>
    public sealed class NewtonsoftJsonTyped<T> : Coder
    {
        private static readonly JsonSerializer Serializer = JsonSerializer.Create(new JsonSerializerSettings
        {
            CheckAdditionalContent = true,
            DateParseHandling = DateParseHandling.None,
            MaxDepth = NewtonsoftJson.DepthMax,
            // By default, the keys "$ref" and "$id" have a meaning.
            MetadataPropertyHandling = MetadataPropertyHandling.Ignore,
        });

        public override void Check(byte[] bytes)
        {
            NewtonsoftJson.CheckSyntax(bytes);
        }

        public override object Decode(byte[] bytes)
        {
            using (var reader = new JsonTextReader(new StringReader(NewtonsoftJson.Utf8.GetString(bytes))))
            {
                return Serializer.Deserialize<T>(reader);
            }
        }

        public override byte[] Encode(object value)
        {
            using (var writer = new StringWriter(CultureInfo.InvariantCulture))
            {
                Serializer.Serialize(writer, value, typeof(T));
                return NewtonsoftJson.Utf8.GetBytes(writer.ToString());
            }
        }

        public override object Plain(object value)
        {
            return TypedValues.Plain(value);
        }
    }
}
