using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.Serialization;

using Newtonsoft.Json.Linq;

namespace Manywire.Lane.Subjects
{
    /// <summary>The generated types of payloads, and their values as the types that Values.cs lists.</summary>
    public static class TypedValues
    {
        /// <summary>Returns whether a type is a generated class.</summary>
        public static bool IsRecord(Type type)
        {
            return type.IsDefined(typeof(DataContractAttribute), false);
        }

        /// <summary>Returns the properties of a generated class with their keys, in the order of its source.</summary>
        public static KeyValuePair<string, PropertyInfo>[] Properties(Type type)
        {
            return type.GetProperties().OrderBy(property => property.MetadataToken)
                .Select(property => new KeyValuePair<string, PropertyInfo>(Member(property).Name, property)).ToArray();
        }

        /// <summary>Returns whether a property is left out if it is null.</summary>
        public static bool IsOptional(PropertyInfo property)
        {
            return !Member(property).EmitDefaultValue;
        }

        private static DataMemberAttribute Member(PropertyInfo property)
        {
            return property.GetCustomAttribute<DataMemberAttribute>() ?? throw new Refusal($"the property {property.Name} has no key");
        }

        /// <summary>Returns a typed value as dictionaries, lists and scalars. Only digests use this.</summary>
        public static object Plain(object value)
        {
            if (value == null || value is string || value is byte[] || value is Timestamp || value is MixedMap)
            {
                return value;
            }
            if (value is JToken token)
            {
                return NewtonsoftJson.PlainToken(token);
            }
            if (value is DateTimeOffset time)
            {
                return Times.Timestamp(time);
            }
            if (value is IDictionary map)
            {
                return Entries(map);
            }
            if (value is IList list)
            {
                return list.Cast<object>().Select(Plain).ToList();
            }
            Type type = value.GetType();
            if (IsRecord(type))
            {
                return Properties(type).ToDictionary(property => property.Key, property => Plain(property.Value.GetValue(value)));
            }
            // Digests are computed from the integer types of dynamic values.
            return value is sbyte || value is byte || value is short || value is ushort || value is int || value is uint
                ? Convert.ToInt64(value)
                : value;
        }

        private static object Entries(IDictionary map)
        {
            var entries = new MixedMap();
            foreach (DictionaryEntry entry in map)
            {
                entries.Add(new KeyValuePair<object, object>(Plain(entry.Key), Plain(entry.Value)));
            }
            return entries;
        }
    }
}
