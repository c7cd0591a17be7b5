using System;
using System.Collections.Generic;

namespace Manywire.Lane.MessagePack
{
    /// <summary>Reads and writes the values of one type.</summary>
    internal abstract class Formatter<T>
    {
        public abstract T Read(Reader reader);

        public abstract void Write(Writer writer, T value);
    }

    /// <summary>Makes the formatters of generated types, with records as maps or as arrays of their fields.</summary>
    internal sealed class Formatters
    {
        private readonly bool isArray;
        private readonly Dictionary<Type, object> known = new Dictionary<Type, object>
        {
            [typeof(bool)] = new BoolFormatter(),
            [typeof(sbyte)] = new SByteFormatter(),
            [typeof(short)] = new Int16Formatter(),
            [typeof(int)] = new Int32Formatter(),
            [typeof(long)] = new Int64Formatter(),
            [typeof(byte)] = new ByteFormatter(),
            [typeof(ushort)] = new UInt16Formatter(),
            [typeof(uint)] = new UInt32Formatter(),
            [typeof(ulong)] = new UInt64Formatter(),
            [typeof(float)] = new SingleFormatter(),
            [typeof(double)] = new DoubleFormatter(),
            [typeof(string)] = new TextFormatter(),
            [typeof(byte[])] = new DataFormatter(),
            [typeof(DateTimeOffset)] = new TimeFormatter(),
            [typeof(object)] = new AnyFormatter(),
        };

        public Formatters(bool isArray)
        {
            this.isArray = isArray;
        }

        public Formatter<T> Of<T>()
        {
            if (!known.TryGetValue(typeof(T), out object found))
            {
                found = Make(typeof(T));
                // A type may contain itself, so the formatters of its parts are found afterwards.
                known[typeof(T)] = found;
                ((IComposite)found).Complete(this);
            }
            return (Formatter<T>)found;
        }

        private object Make(Type type)
        {
            if (type.IsGenericType)
            {
                Type generic = type.GetGenericTypeDefinition();
                Type formatter = generic == typeof(Nullable<>) ? typeof(NullableFormatter<>)
                    : generic == typeof(List<>) ? typeof(ListFormatter<>)
                    : generic == typeof(Dictionary<,>) ? typeof(MapFormatter<,>)
                    : throw Unknown(type);
                return Activator.CreateInstance(formatter.MakeGenericType(type.GetGenericArguments()));
            }
            if (!Subjects.TypedValues.IsRecord(type))
            {
                throw Unknown(type);
            }
            Type record = isArray ? typeof(ArrayFormatter<>) : typeof(RecordFormatter<>);
            return Activator.CreateInstance(record.MakeGenericType(type));
        }

        private static Refusal Unknown(Type type)
        {
            return new Refusal($"no formatter for the type {type}");
        }
    }

    /// <summary>A formatter that uses those of other types.</summary>
    internal interface IComposite
    {
        void Complete(Formatters all);
    }

    internal sealed class BoolFormatter : Formatter<bool>
    {
        public override bool Read(Reader reader) => reader.Truth();

        public override void Write(Writer writer, bool value) => writer.Truth(value);
    }

    internal sealed class SByteFormatter : Formatter<sbyte>
    {
        public override sbyte Read(Reader reader) => (sbyte)reader.Signed(sbyte.MinValue, sbyte.MaxValue);

        public override void Write(Writer writer, sbyte value) => writer.Signed(value);
    }

    internal sealed class Int16Formatter : Formatter<short>
    {
        public override short Read(Reader reader) => (short)reader.Signed(short.MinValue, short.MaxValue);

        public override void Write(Writer writer, short value) => writer.Signed(value);
    }

    internal sealed class Int32Formatter : Formatter<int>
    {
        public override int Read(Reader reader) => (int)reader.Signed(int.MinValue, int.MaxValue);

        public override void Write(Writer writer, int value) => writer.Signed(value);
    }

    internal sealed class Int64Formatter : Formatter<long>
    {
        public override long Read(Reader reader) => reader.Signed(long.MinValue, long.MaxValue);

        public override void Write(Writer writer, long value) => writer.Signed(value);
    }

    internal sealed class ByteFormatter : Formatter<byte>
    {
        public override byte Read(Reader reader) => (byte)reader.Positive(byte.MaxValue);

        public override void Write(Writer writer, byte value) => writer.Positive(value);
    }

    internal sealed class UInt16Formatter : Formatter<ushort>
    {
        public override ushort Read(Reader reader) => (ushort)reader.Positive(ushort.MaxValue);

        public override void Write(Writer writer, ushort value) => writer.Positive(value);
    }

    internal sealed class UInt32Formatter : Formatter<uint>
    {
        public override uint Read(Reader reader) => (uint)reader.Positive(uint.MaxValue);

        public override void Write(Writer writer, uint value) => writer.Positive(value);
    }

    internal sealed class UInt64Formatter : Formatter<ulong>
    {
        public override ulong Read(Reader reader) => reader.Positive(ulong.MaxValue);

        public override void Write(Writer writer, ulong value) => writer.Positive(value);
    }

    internal sealed class SingleFormatter : Formatter<float>
    {
        public override float Read(Reader reader) => (float)reader.Real();

        public override void Write(Writer writer, float value) => writer.Single(value);
    }

    internal sealed class DoubleFormatter : Formatter<double>
    {
        public override double Read(Reader reader) => reader.Real();

        public override void Write(Writer writer, double value) => writer.Real(value);
    }

    internal sealed class TextFormatter : Formatter<string>
    {
        public override string Read(Reader reader) => reader.IsNil() ? null : reader.Text();

        public override void Write(Writer writer, string value)
        {
            if (value == null)
            {
                writer.Nil();
            }
            else
            {
                writer.Text(value);
            }
        }
    }

    internal sealed class DataFormatter : Formatter<byte[]>
    {
        public override byte[] Read(Reader reader) => reader.IsNil() ? null : reader.Data();

        public override void Write(Writer writer, byte[] value)
        {
            if (value == null)
            {
                writer.Nil();
            }
            else
            {
                writer.Data(value);
            }
        }
    }

    internal sealed class TimeFormatter : Formatter<DateTimeOffset>
    {
        public override DateTimeOffset Read(Reader reader) => Times.Time(reader.Time());

        public override void Write(Writer writer, DateTimeOffset value) => writer.Time(Times.Timestamp(value));
    }

    internal sealed class AnyFormatter : Formatter<object>
    {
        public override object Read(Reader reader) => reader.Value();

        public override void Write(Writer writer, object value) => writer.Value(value);
    }

    internal sealed class NullableFormatter<T> : Formatter<T?>, IComposite
        where T : struct
    {
        private Formatter<T> inner;

        public void Complete(Formatters all) => inner = all.Of<T>();

        public override T? Read(Reader reader) => reader.IsNil() ? (T?)null : inner.Read(reader);

        public override void Write(Writer writer, T? value)
        {
            if (value.HasValue)
            {
                inner.Write(writer, value.Value);
            }
            else
            {
                writer.Nil();
            }
        }
    }

    internal sealed class ListFormatter<T> : Formatter<List<T>>, IComposite
    {
        private Formatter<T> item;

        public void Complete(Formatters all) => item = all.Of<T>();

        public override List<T> Read(Reader reader)
        {
            if (reader.IsNil())
            {
                return null;
            }
            int count = reader.EnterList();
            var list = new List<T>(count);
            for (int index = 0; index < count; index++)
            {
                list.Add(item.Read(reader));
            }
            reader.Leave();
            return list;
        }

        public override void Write(Writer writer, List<T> value)
        {
            if (value == null)
            {
                writer.Nil();
                return;
            }
            writer.ListHead(value.Count);
            foreach (T each in value)
            {
                item.Write(writer, each);
            }
        }
    }

    internal sealed class MapFormatter<K, V> : Formatter<Dictionary<K, V>>, IComposite
    {
        private Formatter<K> key;
        private Formatter<V> value;

        public void Complete(Formatters all)
        {
            key = all.Of<K>();
            value = all.Of<V>();
        }

        public override Dictionary<K, V> Read(Reader reader)
        {
            if (reader.IsNil())
            {
                return null;
            }
            int count = reader.EnterMap();
            var map = new Dictionary<K, V>(count);
            for (int index = 0; index < count; index++)
            {
                // The last of duplicate keys counts.
                map[key.Read(reader)] = value.Read(reader);
            }
            reader.Leave();
            return map;
        }

        public override void Write(Writer writer, Dictionary<K, V> map)
        {
            if (map == null)
            {
                writer.Nil();
                return;
            }
            writer.MapHead(map.Count);
            foreach (KeyValuePair<K, V> entry in map)
            {
                key.Write(writer, entry.Key);
                value.Write(writer, entry.Value);
            }
        }
    }
}
