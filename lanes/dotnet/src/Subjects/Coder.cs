namespace Manywire.Lane.Subjects
{
    /// <summary>Reads and writes values with a library. It has no state, so that any thread can use it.</summary>
    public abstract class Coder
    {
        /// <summary>Throws for bytes that the library would read as another value than they are.</summary>
        public virtual void Check(byte[] bytes)
        {
        }

        /// <summary>Returns the value of bytes.</summary>
        public abstract object Decode(byte[] bytes);

        /// <summary>Returns new bytes of a value.</summary>
        public abstract byte[] Encode(object value);

        /// <summary>Returns a value of the library as one of the types that Values.cs lists.</summary>
        public virtual object Plain(object value)
        {
            return value;
        }
    }
}
