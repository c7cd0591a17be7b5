using System;
using System.Linq;

using Manywire.Lane.Http;
using Manywire.Lane.Subjects;

namespace Manywire.Lane
{
    /// <summary>A subject with its payloads: their bytes, and the values that the subject read from them.</summary>
    public sealed class Loaded
    {
        public readonly Coder Coder;
        public readonly byte[][] Bytes;
        public readonly object[] Values;

        private readonly Subject subject;
        private bool isFaithful;

        public Loaded(Subject subject, Schema schema, byte[][] payloads)
        {
            this.subject = subject;
            Coder = subject.Prepare(schema);
            Bytes = payloads;
            Values = payloads.Select(bytes =>
            {
                Coder.Check(bytes);
                return Coder.Decode(bytes);
            }).ToArray();
        }

        public string[] Digests()
        {
            return Values.Select(value => Digest.Of(Coder.Plain(value))).ToArray();
        }

        /// <summary>Encodes each value. Throws if the subject reads another value from what it wrote.</summary>
        public byte[][] Encode()
        {
            byte[][] written = Values.Select(Coder.Encode).ToArray();
            if (!isFaithful)
            {
                for (int index = 0; index < written.Length; index++)
                {
                    Compare(Values[index], written[index]);
                }
                isFaithful = true;
            }
            return written;
        }

        private void Compare(object value, byte[] written)
        {
            string expected = DigestOrNull(value);
            // A value without a digest is compared by the reader of the bytes.
            if (expected != null && DigestOrNull(Coder.Decode(written)) != expected)
            {
                throw new Refusal($"{subject.Library} {subject.Version} reads another value from what it wrote");
            }
        }

        private string DigestOrNull(object value)
        {
            try
            {
                return Digest.Of(Coder.Plain(value));
            }
            catch (NoDigest)
            {
                return null;
            }
        }

        /// <summary>Returns an operation and its inputs.</summary>
        public (Func<object, object> Execute, object[] Inputs) Operation(bool isEncode, bool isPacked)
        {
            Coder coder = Coder;
            if (isEncode)
            {
                if (!isFaithful)
                {
                    Encode();
                }
                return isPacked
                    ? ((Func<object, object>)(value => Coding.Deflate(coder.Encode(value))), Values)
                    : (value => coder.Encode(value), Values);
            }
            return isPacked
                ? ((Func<object, object>)(packed => coder.Decode(Coding.Inflate((byte[])packed))), Bytes.Select(Coding.Deflate).ToArray<object>())
                : (bytes => coder.Decode((byte[])bytes), Bytes.ToArray<object>());
        }
    }
}
