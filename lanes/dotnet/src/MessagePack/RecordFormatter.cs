using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

using Manywire.Lane.Subjects;

namespace Manywire.Lane.MessagePack
{
    /// <summary>A property of a generated class: its key, and how it is read and written.</summary>
    internal abstract class Member<T>
    {
        /// <summary>The key as it is written.</summary>
        public readonly byte[] Key;

        /// <summary>True if an entry with null is left out.</summary>
        public readonly bool IsOptional;

        protected Member(string key, bool isOptional)
        {
            Key = Writer.Write(key);
            IsOptional = isOptional;
        }

        /// <summary>Returns the members of a class, in the order of its source.</summary>
        public static KeyValuePair<string, Member<T>>[] All(Formatters all)
        {
            return TypedValues.Properties(typeof(T)).Select(entry =>
            {
                Type type = typeof(Member<,>).MakeGenericType(typeof(T), entry.Value.PropertyType);
                return new KeyValuePair<string, Member<T>>(entry.Key, (Member<T>)Activator.CreateInstance(type, entry.Key, entry.Value, all));
            }).ToArray();
        }

        public abstract bool IsNull(T record);

        public abstract void Read(Reader reader, T record);

        public abstract void Write(Writer writer, T record);
    }

    internal sealed class Member<T, V> : Member<T>
    {
        private readonly Func<T, V> get;
        private readonly Action<T, V> set;
        private readonly Formatter<V> formatter;

        public Member(string key, PropertyInfo property, Formatters all) : base(key, TypedValues.IsOptional(property))
        {
            get = (Func<T, V>)property.GetGetMethod().CreateDelegate(typeof(Func<T, V>));
            set = (Action<T, V>)property.GetSetMethod().CreateDelegate(typeof(Action<T, V>));
            formatter = all.Of<V>();
        }

        public override bool IsNull(T record) => get(record) == null;

        public override void Read(Reader reader, T record) => set(record, formatter.Read(reader));

        public override void Write(Writer writer, T record) => formatter.Write(writer, get(record));
    }

    /// <summary>Reads and writes a record as a map by key.</summary>
    internal sealed class RecordFormatter<T> : Formatter<T>, IComposite
        where T : class, new()
    {
        private Member<T>[] members;
        private Dictionary<string, int> places;
        private int optional;

        public void Complete(Formatters all)
        {
            KeyValuePair<string, Member<T>>[] found = Member<T>.All(all);
            members = found.Select(entry => entry.Value).ToArray();
            places = found.Select((entry, place) => new KeyValuePair<string, int>(entry.Key, place)).ToDictionary(entry => entry.Key, entry => entry.Value);
            optional = members.Count(member => member.IsOptional);
        }

        public override T Read(Reader reader)
        {
            if (reader.IsNil())
            {
                return null;
            }
            var record = new T();
            int next = 0;
            for (int left = reader.EnterMap(); left > 0; left--)
            {
                // Most programs write the fields in one order, and leave out some.
                int place = next;
                while (place < members.Length && !reader.Skip(members[place].Key))
                {
                    place = members[place].IsOptional ? place + 1 : members.Length;
                }
                if (place == members.Length && !places.TryGetValue(reader.Text(), out place))
                {
                    reader.Value();
                    continue;
                }
                members[place].Read(reader, record);
                next = place + 1;
            }
            reader.Leave();
            return record;
        }

        public override void Write(Writer writer, T record)
        {
            if (record == null)
            {
                writer.Nil();
                return;
            }
            int count = members.Length;
            if (optional > 0)
            {
                foreach (Member<T> member in members)
                {
                    count -= member.IsOptional && member.IsNull(record) ? 1 : 0;
                }
            }
            writer.MapHead(count);
            foreach (Member<T> member in members)
            {
                if (!member.IsOptional || !member.IsNull(record))
                {
                    writer.Raw(member.Key);
                    member.Write(writer, record);
                }
            }
        }
    }

    /// <summary>Reads and writes a record as an array of its fields, with null for those that are absent.</summary>
    internal sealed class ArrayFormatter<T> : Formatter<T>, IComposite
        where T : class, new()
    {
        private Member<T>[] members;

        public void Complete(Formatters all)
        {
            members = Member<T>.All(all).Select(entry => entry.Value).ToArray();
        }

        public override T Read(Reader reader)
        {
            if (reader.IsNil())
            {
                return null;
            }
            var record = new T();
            int count = reader.EnterList();
            for (int place = 0; place < count; place++)
            {
                if (place < members.Length)
                {
                    members[place].Read(reader, record);
                }
                else
                {
                    reader.Value();
                }
            }
            reader.Leave();
            return record;
        }

        public override void Write(Writer writer, T record)
        {
            if (record == null)
            {
                writer.Nil();
                return;
            }
            writer.ListHead(members.Length);
            foreach (Member<T> member in members)
            {
                member.Write(writer, record);
            }
        }
    }
}
