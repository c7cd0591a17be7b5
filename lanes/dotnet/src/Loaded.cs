using System;
using System.Linq;

using Manywire.Lane.Http;
using Manywire.Lane.Subjects;

namespace Manywire.Lane
{
    /// <summary>A subject with its payloads: their bytes, and the values that the subject read from them.</summary>
    public sealed class Loaded
    {
        public readonly Subject Subject;
        public readonly byte[][] Bytes;
        public readonly object[] Values;

        private bool isFaithful;

        public Loaded(Subject subject, byte[][] payloads)
        {
            Subject = subject;
            Bytes = payloads;
            Values = payloads.Select(bytes =>
            {
                subject.Check(bytes);
                return subject.Decode(bytes);
            }).ToArray();
        }

        public string[] Digests()
        {
            return Values.Select(value => Digest.Of(Subject.Plain(value))).ToArray();
        }

        /// <summary>Encodes each value. Throws if the subject reads another value from what it wrote.</summary>
        public byte[][] Encode()
        {
            byte[][] written = Values.Select(Subject.Encode).ToArray();
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
            if (expected != null && DigestOrNull(Subject.Decode(written)) != expected)
            {
                throw new Refusal($"{Subject.Library} {Subject.Version} reads another value from what it wrote");
            }
        }

        private string DigestOrNull(object value)
        {
            try
            {
                return Digest.Of(Subject.Plain(value));
            }
            catch (NoDigest)
            {
                return null;
            }
        }

        /// <summary>Returns an operation and its inputs.</summary>
        public (Func<object, object> Execute, object[] Inputs) Operation(bool isEncode, bool isPacked)
        {
            Subject subject = Subject;
            if (isEncode)
            {
                if (!isFaithful)
                {
                    Encode();
                }
                return isPacked
                    ? ((Func<object, object>)(value => Coding.Deflate(subject.Encode(value))), Values)
                    : (value => subject.Encode(value), Values);
            }
            return isPacked
                ? ((Func<object, object>)(packed => subject.Decode(Coding.Inflate((byte[])packed))), Bytes.Select(Coding.Deflate).ToArray<object>())
                : (bytes => subject.Decode((byte[])bytes), Bytes.ToArray<object>());
        }
    }
}
