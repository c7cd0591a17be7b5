using System;
using System.Collections.Generic;
using System.Reflection;
using System.Text.Json;

using Google.Protobuf;

using Newtonsoft.Json.Linq;

namespace Manywire.Lane.Subjects
{
    /// <summary>A library with a format, and the kind of value that a program has.</summary>
    public sealed class Subject
    {
        /// <summary>All subjects, in the order of <c>describe</c>.</summary>
        public static readonly Subject[] All = MakeAll();

        public readonly string Library;
        public readonly string Version;
        public readonly string Format;
        public readonly string Target;

        private readonly Func<Schema, Coder> prepare;

        private Subject(string library, string version, string format, string target, Func<Schema, Coder> prepare)
        {
            Library = library;
            Version = version;
            Format = format;
            Target = target;
            this.prepare = prepare;
        }

        private static Subject[] MakeAll()
        {
            string system = VersionOf(typeof(JsonDocument).Assembly);
            string newtonsoft = VersionOf(typeof(JToken).Assembly);
            string google = VersionOf(typeof(IMessage).Assembly);
            const string own = "1.0.0";
            return new[]
            {
                new Subject("System.Text.Json", system, "json", "dynamic", schema => new SystemTextJson()),
                new Subject("Newtonsoft.Json", newtonsoft, "json", "dynamic", schema => new NewtonsoftJson()),
                new Subject("manywire-net", own, "msgpack", "dynamic", schema => new ManywireNet()),
                new Subject("System.Text.Json", system, "json", "typed", schema => TypedCoder.Of(typeof(SystemTextJsonTyped<>))),
                new Subject("Newtonsoft.Json", newtonsoft, "json", "typed", schema => TypedCoder.Of(typeof(NewtonsoftJsonTyped<>))),
                new Subject("manywire-net", own, "msgpack", "typed", schema => TypedCoder.Of(typeof(ManywireNetTyped<>), false)),
                new Subject("manywire-net", own, "msgpack-array", "typed", schema =>
                {
                    schema.CheckArrays();
                    return TypedCoder.Of(typeof(ManywireNetTyped<>), true);
                }),
                new Subject("Google.Protobuf", google, "protobuf", "typed", schema => TypedCoder.OfMessage(typeof(GoogleProtobuf<>), schema)),
            };
        }

        /// <summary>Returns the reader and writer for payloads of a schema.</summary>
        public Coder Prepare(Schema schema)
        {
            return prepare(schema);
        }

        public Dictionary<string, object> Describe()
        {
            return new Dictionary<string, object>
            {
                ["library"] = Library, ["version"] = Version, ["format"] = Format, ["target"] = Target, ["buffer"] = "fresh",
            };
        }

        /// <summary>Returns the version that an assembly states, without the commit.</summary>
        private static string VersionOf(Assembly assembly)
        {
            var attribute = assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>();
            return attribute == null ? assembly.GetName().Version.ToString() : attribute.InformationalVersion.Split('+')[0];
        }
    }
}
