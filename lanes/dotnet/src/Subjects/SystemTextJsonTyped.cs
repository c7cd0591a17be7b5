using System;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Manywire.Lane.Subjects
{
    /// <summary>The JSON library of the runtime, with the types of the payloads.</summary>
    public sealed class SystemTextJsonTyped<T> : Coder
    {
        private static readonly JsonSerializerOptions Options = MakeOptions();

        private static JsonSerializerOptions MakeOptions()
        {
            var options = new JsonSerializerOptions();
            options.Converters.Add(new AnyConverter());
            return options;
        }

        public override object Decode(byte[] bytes)
        {
            return JsonSerializer.Deserialize<T>(bytes, Options);
        }

        public override byte[] Encode(object value)
        {
            return JsonSerializer.SerializeToUtf8Bytes((T)value, Options);
        }

        public override object Plain(object value)
        {
            return TypedValues.Plain(value);
        }
    }

    /// <summary>
    /// Reads the places of type <c>object</c> as dictionaries, lists and scalars. The library's own reader leaves a
    /// <c>JsonElement</c> there, which reads its value on access.
    /// </summary>
    internal sealed class AnyConverter : JsonConverter<object>
    {
        public override object Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
        {
            using (JsonDocument document = JsonDocument.ParseValue(ref reader))
            {
                return SystemTextJson.Value(document.RootElement);
            }
        }

        public override void Write(Utf8JsonWriter writer, object value, JsonSerializerOptions options)
        {
            JsonSerializer.Serialize(writer, value, value.GetType(), options);
        }
    }
}
