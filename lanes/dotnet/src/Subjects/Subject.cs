using System.Collections.Generic;
using System.Reflection;

namespace Manywire.Lane.Subjects
{
    /// <summary>A library with one format. Subjects have no state, so that any thread can use them.</summary>
    public abstract class Subject
    {
        /// <summary>All subjects, in the order of <c>describe</c>.</summary>
        public static readonly Subject[] All = { new SystemTextJson(), new NewtonsoftJson(), new ManywireNet() };

        public abstract string Library { get; }

        public abstract string Version { get; }

        public abstract string Format { get; }

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

        public Dictionary<string, object> Describe()
        {
            return new Dictionary<string, object>
            {
                ["library"] = Library, ["version"] = Version, ["format"] = Format, ["target"] = "dynamic", ["buffer"] = "fresh",
            };
        }

        /// <summary>Returns the version that an assembly states, without the commit.</summary>
        protected static string VersionOf(Assembly assembly)
        {
            var attribute = assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>();
            return attribute == null ? assembly.GetName().Version.ToString() : attribute.InformationalVersion.Split('+')[0];
        }
    }
}
