using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Numerics;
using System.Reflection;

using Google.Protobuf;

namespace Manywire.Lane.Subjects
{
    /// <summary>Google's library, with the classes that <c>protoc</c> generates.</summary>
    public sealed class GoogleProtobuf<T> : Coder
        where T : IMessage<T>
    {
        private static readonly byte[] Replacement = { 0xef, 0xbf, 0xbd };

        private readonly MessageParser<T> parser = (MessageParser<T>)typeof(T).GetProperty("Parser").GetValue(null);
        private readonly MessageReader reader;

        public GoogleProtobuf(Schema schema)
        {
            reader = new MessageReader(schema);
        }

        /// <summary>Refuses text that is not UTF-8, in which the library replaces the faults.</summary>
        public override void Check(byte[] bytes)
        {
            // The payload may contain the replacement character itself.
            if (Count(Encode(Decode(bytes))) > Count(bytes))
            {
                throw new Refusal("a text is not UTF-8");
            }
        }

        private static int Count(byte[] bytes)
        {
            return Enumerable.Range(0, Math.Max(0, bytes.Length - 2)).Count(at => Replacement.SequenceEqual(new ArraySegment<byte>(bytes, at, 3)));
        }

        public override object Decode(byte[] bytes)
        {
            return parser.ParseFrom(bytes);
        }

        public override byte[] Encode(object value)
        {
            return ((T)value).ToByteArray();
        }

        public override object Plain(object value)
        {
            return reader.Root(value);
        }
    }

    /// <summary>
    /// Converts messages to the values that they represent, by the model. Only digests use this class: programs use
    /// messages directly. It uses the properties of the generated classes instead of their descriptors, because
    /// 3.10.1 refuses the descriptors of optional fields in proto3.
    /// </summary>
    internal sealed class MessageReader
    {
        private const string NumberSuffix = "FieldNumber";

        private readonly Schema schema;
        private readonly Dictionary<Type, Dictionary<int, string>> names = new Dictionary<Type, Dictionary<int, string>>();

        public MessageReader(Schema schema)
        {
            this.schema = schema;
        }

        public object Root(object message)
        {
            return Message(message, schema.Find(schema.Root));
        }

        private object Message(object message, Schema.Message type)
        {
            switch (type.Form)
            {
                case "record":
                    return Record(message, type);
                case "wrapper":
                    return Field(message, type.Fields[0]);
                case "tuple":
                    return type.Fields.Select(field => Field(message, field)).ToList();
                case "union":
                case "variants":
                    Schema.Field set = type.Fields.FirstOrDefault(field => Get(message, field) != null);
                    object value = set == null ? null : Field(message, set);
                    return set == null || type.Form == "union" ? value : new Dictionary<string, object> { [set.Name] = value };
                case "null":
                    return null;
                case "timestamp":
                    return new Timestamp((long)Field(message, type.Fields[0]), (uint)(long)Field(message, type.Fields[1]));
                default:
                    throw new Refusal($"a message of the form {type.Form} cannot be a whole value");
            }
        }

        private object Record(object message, Schema.Message type)
        {
            var entries = new Dictionary<string, object>();
            foreach (Schema.Field field in type.Fields)
            {
                object value = Field(message, field);
                if (field.Proto != type.Rest)
                {
                    entries[field.Name] = value;
                    continue;
                }
                foreach (KeyValuePair<object, object> entry in (MixedMap)value)
                {
                    entries[(string)entry.Key] = entry.Value;
                }
            }
            return entries;
        }

        /// <summary>Returns the property of a field, or null if the field is absent.</summary>
        private object Get(object message, Schema.Field field)
        {
            Type type = message.GetType();
            string name = Names(type)[field.Number];
            PropertyInfo presence = type.GetProperty($"Has{name}");
            bool isAbsent = presence != null && presence.PropertyType == typeof(bool) && presence.GetSetMethod() == null && !(bool)presence.GetValue(message);
            return isAbsent ? null : type.GetProperty(name).GetValue(message);
        }

        /// <summary>Returns the names of the properties of a generated class by number; a constant has each number.</summary>
        private Dictionary<int, string> Names(Type type)
        {
            if (!names.TryGetValue(type, out Dictionary<int, string> found))
            {
                found = type.GetFields(BindingFlags.Public | BindingFlags.Static)
                    .Where(field => field.IsLiteral && field.FieldType == typeof(int) && field.Name.EndsWith(NumberSuffix, StringComparison.Ordinal))
                    .ToDictionary(field => (int)field.GetRawConstantValue(), field => field.Name.Substring(0, field.Name.Length - NumberSuffix.Length));
                names[type] = found;
            }
            return found;
        }

        private object Field(object message, Schema.Field field)
        {
            object value = Get(message, field);
            // A list or map without entries is empty if absence means zero, otherwise null.
            if (value is ICollection all && all.Count == 0 && field.Absent != "zero")
            {
                return null;
            }
            if (value is IDictionary map)
            {
                Schema.Field[] parts = schema.Find(field.Of).Fields;
                var entries = new MixedMap();
                foreach (DictionaryEntry entry in map)
                {
                    entries.Add(new KeyValuePair<object, object>(Item(entry.Key, parts[0]), Item(entry.Value, parts[1])));
                }
                return entries;
            }
            if (value is IList list)
            {
                if (field.Kind == "message" && schema.Find(field.Of).Form == "entry")
                {
                    Schema.Field[] parts = schema.Find(field.Of).Fields;
                    var entries = new MixedMap();
                    entries.AddRange(list.Cast<object>().Select(entry => new KeyValuePair<object, object>(Field(entry, parts[0]), Field(entry, parts[1]))));
                    return entries;
                }
                return list.Cast<object>().Select(item => Item(item, field)).ToList();
            }
            return value == null ? null : Item(value, field);
        }

        private object Item(object value, Schema.Field field)
        {
            switch (field.Kind)
            {
                case "message":
                    return Message(value, schema.Find(field.Of));
                case "enum":
                    int number = Convert.ToInt32(value, CultureInfo.InvariantCulture);
                    return schema.EnumName(field.Of, number) ?? (long)number;
                case "bytes":
                    return ((ByteString)value).ToByteArray();
                case "bigint":
                case "number":
                    var text = (string)value;
                    return BigInteger.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out BigInteger whole)
                        ? whole
                        : (object)double.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture);
                default:
                    return value is int || value is uint ? Convert.ToInt64(value, CultureInfo.InvariantCulture) : value;
            }
        }
    }
}
