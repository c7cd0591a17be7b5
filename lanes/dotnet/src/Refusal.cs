using System;

namespace Manywire.Lane
{
    /// <summary>The error for an invalid request, or for a value that a library cannot represent.</summary>
    public sealed class Refusal : Exception
    {
        public Refusal(string message) : base(message)
        {
        }
    }
}
