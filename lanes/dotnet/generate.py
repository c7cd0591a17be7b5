"""Generates the C# classes of a `.proto` with protoc.

Some names in a `.proto` are valid, but two members of the generated class would have the same name, or
a member would have the name of its class. They are renamed first: messages of other names and fields of
the same numbers have the same bytes.
"""

import re
import subprocess
import sys

# The members of every generated class.
MEMBERS = {
    "CalculateSize", "Clone", "Descriptor", "Equals", "GetHashCode", "MergeFrom", "OnConstruction", "Parser",
    "ToString", "Types", "WriteTo",
}

MESSAGE = re.compile(r"^message (\w+) \{")
ONEOF = re.compile(r"^\s+oneof (\w+) \{")
FIELD = re.compile(r"^(\s+(?:optional |repeated |required )?)(map<[^>]+>|[\w.]+) (\w+)( = (\d+)\b.*;)$")


def messages(proto, protoc):
    """Returns the source of the messages of a `.proto` as Manywire writes it: a field on each line."""
    folder = proto.parent / "generated"
    folder.mkdir(exist_ok=True)
    renamed = folder / proto.name
    renamed.write_text(rename(proto.read_text()))
    paths = [f"--proto_path={folder}", f"--proto_path={protoc / 'include'}"]
    if subprocess.run([protoc / "bin/protoc", *paths, f"--csharp_out={folder}", renamed]).returncode != 0:
        sys.exit("protoc failed")
    return folder / "Manywire.cs"


def rename(text):
    """Returns a `.proto` without names that collide in C#. A message gets an underscore, and a field the
    name `field_` and its number."""
    lines = text.split("\n")
    declared = {match[1] for line in lines if (match := MESSAGE.match(line))}
    new_names = {name: f"{name}_" for name in declared & MEMBERS}
    message, members, renamed = "", set(), []
    for line in lines:
        if match := MESSAGE.match(line):
            message = new_names.get(match[1], match[1])
            members = MEMBERS | {message}
            line = f"message {message} {{" + line[match.end() :]
        elif match := ONEOF.match(line):
            name = pascal(match[1])
            members |= {f"{name}Case", f"Clear{name}", f"{name}OneofCase"}
        elif match := FIELD.match(line):
            head, kind, field, tail, number = match.groups()
            kind = re.sub(r"\w+", lambda word: new_names.get(word[0], word[0]), kind)
            name = pascal(field)
            # protoc appends an underscore itself to a property with one of these names.
            name = f"{name}_" if name in MEMBERS or name == message else name
            # The property, the constant with its number, and the members that tell whether it is set.
            own = {name, f"{name}FieldNumber", f"Has{name}", f"Clear{name}"}
            if own & members:
                field = f"field_{number}"
                own = {f"Field{number}"}
            members |= own
            line = f"{head}{kind} {field}{tail}"
        renamed.append(line)
    return "\n".join(renamed)


def pascal(name):
    """Returns the name of a field as protoc writes it: a letter after an underscore or a digit is large."""
    return re.sub(r"(?:^|[_0-9])_*[a-z]", lambda part: part[0].replace("_", "").upper(), name).replace("_", "")
