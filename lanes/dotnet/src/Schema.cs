using System.Collections.Generic;
using System.Linq;

namespace Manywire.Lane
{
    /// <summary>
    /// The value that each message of Protocol Buffers represents, as CONTRACT.md describes the model of the
    /// request <c>schema</c>. Messages have names and levels that the value does not have.
    /// </summary>
    public sealed class Schema
    {
        public static readonly Schema None = new Schema(null);

        /// <summary>The namespace of the generated messages; null without a model.</summary>
        public readonly string Namespace;

        private readonly string root;
        private readonly Dictionary<string, Message> messages = new Dictionary<string, Message>();
        private readonly Dictionary<string, Dictionary<string, object>> enums = new Dictionary<string, Dictionary<string, object>>();

        /// <summary>Reads a model, or null for payloads that Protocol Buffers cannot represent.</summary>
        public Schema(object model)
        {
            if (!(model is Dictionary<string, object> members))
            {
                return;
            }
            root = (string)members["root"];
            // The package `manywire.payload` becomes `Manywire.Payload`.
            Namespace = string.Join(".", ((string)members["package"]).Split('.').Select(part => char.ToUpperInvariant(part[0]) + part.Substring(1)));
            foreach (KeyValuePair<string, object> message in (Dictionary<string, object>)members["messages"])
            {
                messages[message.Key] = new Message((Dictionary<string, object>)message.Value);
            }
            foreach (KeyValuePair<string, object> each in (Dictionary<string, object>)members["enums"])
            {
                enums[each.Key] = (Dictionary<string, object>)each.Value;
            }
        }

        /// <summary>The name of the message of a whole payload.</summary>
        public string Root => root ?? throw new Refusal("Protocol Buffers cannot represent the payloads, or no `schema` came before `load`");

        public Message Find(string name)
        {
            return messages.TryGetValue(name, out Message found) ? found : throw new Refusal($"the model has no message {name}");
        }

        /// <summary>Returns the name of a value of an enum; null if it has none.</summary>
        public object EnumName(string name, int number)
        {
            return enums.TryGetValue(name, out Dictionary<string, object> names) && names.TryGetValue(number.ToString(), out object found) ? found : null;
        }

        /// <summary>
        /// Throws if a union has a record: an <c>object</c> receives the array of its fields as a list, without
        /// their names.
        /// </summary>
        public void CheckArrays()
        {
            if (messages.Values.Any(message => message.Form == "union" && HasRecord(message, new HashSet<string>())))
            {
                throw new Refusal("a union has a record, and in an array nothing says which fields it has");
            }
        }

        private bool HasRecord(Message message, HashSet<string> seen)
        {
            return message.Fields.Where(field => field.Kind == "message" && seen.Add(field.Of)).Select(field => Find(field.Of))
                .Any(inner => inner.Form == "record" || inner.Form == "variants" || HasRecord(inner, seen));
        }

        /// <summary>A message type.</summary>
        public sealed class Message
        {
            public readonly string Form;
            public readonly Field[] Fields;

            /// <summary>The field of the <c>.proto</c> whose entries belong to the record; null if there is none.</summary>
            public readonly string Rest;

            public Message(Dictionary<string, object> members)
            {
                Form = (string)members["form"];
                Fields = ((List<object>)members["fields"]).Select(field => new Field((Dictionary<string, object>)field)).ToArray();
                Rest = members.TryGetValue("rest", out object rest) ? (string)rest : null;
            }
        }

        /// <summary>A field of a message.</summary>
        public sealed class Field
        {
            public readonly string Proto;
            public readonly string Name;
            public readonly int Number;
            public readonly string Kind;
            public readonly string Absent;

            /// <summary>The message or enum of the field; null for scalars.</summary>
            public readonly string Of;

            public Field(Dictionary<string, object> members)
            {
                Proto = (string)members["proto"];
                Name = (string)members["name"];
                Number = (int)(long)members["number"];
                Kind = (string)members["kind"];
                Absent = (string)members["absent"];
                Of = members.TryGetValue("of", out object of) ? (string)of : null;
            }
        }
    }
}
