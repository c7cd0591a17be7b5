using Manywire.Lane.MessagePack;

namespace Manywire.Lane.Subjects
{
    /// <summary>
    /// The MessagePack of this lane. No library for .NET can be had without NuGet, so its times show what is
    /// possible, and not what a program with MessagePack-CSharp has.
    /// </summary>
    public sealed class ManywireNet : Subject
    {
        public override string Library => "manywire-net";

        public override string Version => "1.0.0";

        public override string Format => "msgpack";

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
