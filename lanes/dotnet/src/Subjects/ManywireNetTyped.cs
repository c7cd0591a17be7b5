using Manywire.Lane.MessagePack;

namespace Manywire.Lane.Subjects
{
    /// <summary>The MessagePack of this lane with the types of the payloads: records as maps, or as arrays.</summary>
    public sealed class ManywireNetTyped<T> : Coder
    {
        private readonly Formatter<T> formatter;

        public ManywireNetTyped(bool isArray)
        {
            formatter = new Formatters(isArray).Of<T>();
        }

        public override object Decode(byte[] bytes)
        {
            var reader = new Reader(bytes);
            T value = formatter.Read(reader);
            reader.End();
            return value;
        }

        public override byte[] Encode(object value)
        {
            var writer = new Writer();
            formatter.Write(writer, (T)value);
            return writer.Written();
        }

        public override object Plain(object value)
        {
            return TypedValues.Plain(value);
        }
    }
}
