using Manywire.Lane.MessagePack;

namespace Manywire.Lane.Subjects
{
    /// <summary>
    /// The MessagePack of this lane. No library for .NET is available without NuGet, so its times show what is
    /// possible, and not what a program with MessagePack-CSharp has.
    /// </summary>
    public sealed class ManywireNet : Coder
    {
        public override object Decode(byte[] bytes)
        {
            return Reader.Read(bytes);
        }

        public override byte[] Encode(object value)
        {
            return Writer.Write(value);
        }
    }
}
