using System;
using System.IO;
using System.Reflection;

namespace Manywire.Lane.Subjects
{
    /// <summary>Finds the types of the payloads, which are in a separate assembly.</summary>
    public static class TypedCoder
    {
        /// <summary>The assembly with the generated types, beside that of the lane.</summary>
        private const string Library = "Payload.dll";

        private static readonly Lazy<Assembly> Generated = new Lazy<Assembly>(Load);

        private static Assembly Load()
        {
            string path = Path.Combine(AppDomain.CurrentDomain.BaseDirectory, Library);
            return File.Exists(path) ? Assembly.LoadFrom(path) : throw new Refusal("the lane was built without types of the payloads");
        }

        /// <summary>Returns a generic coder for the type of a whole payload.</summary>
        public static Coder Of(Type coder, params object[] arguments)
        {
            Type holder = Generated.Value.GetType("Typed.Lane_Root", true);
            return Make(coder, (Type)holder.GetField("Type").GetValue(null), arguments);
        }

        /// <summary>Returns a generic coder for the message of a whole payload.</summary>
        public static Coder OfMessage(Type coder, Schema schema)
        {
            Assembly generated = Generated.Value;
            string name = $"{schema.Namespace}.{schema.Root}";
            // generate.py appends the underscore to names that have another meaning in generated classes.
            Type root = generated.GetType(name) ?? generated.GetType($"{name}_");
            return Make(coder, root ?? throw new Refusal($"the generated types have no message {schema.Root}"), schema);
        }

        private static Coder Make(Type coder, Type root, params object[] arguments)
        {
            try
            {
                return (Coder)Activator.CreateInstance(coder.MakeGenericType(root), arguments);
            }
            catch (TargetInvocationException error) when (error.InnerException is Refusal)
            {
                throw new Refusal(error.InnerException.Message);
            }
        }
    }
}
