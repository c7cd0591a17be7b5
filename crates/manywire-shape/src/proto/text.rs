//! Writes a schema as the text of a `.proto` file.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::{self, Write};
use std::ops::RangeInclusive;

use super::names::json_name;
use super::schema::{
    Absent, Enum, EnumValue, FIELD_NUMBER_MAX, Field, Kind, Label, Message, Reserved, Schema,
};

/// The version of the language that a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    Proto2,
    Proto3,
    Edition2023,
}

impl Schema {
    /// Returns the version of the language that can express the schema: proto3, else proto2, else
    /// edition 2023, which can mix the features of both.
    pub(super) fn syntax(&self) -> Syntax {
        let messages = || self.messages.iter().filter(|message| message.is_declared());
        let fields = || messages().flat_map(|message| &message.fields);
        let is_legacy = |field: &Field| {
            field.absent == Absent::Invalid || field.delimited || field.default.is_some()
        };
        let enums = || self.enums.iter().filter(|each| each.import.is_none());
        let are_open = enums().all(|each| !each.closed);
        if are_open && !fields().any(is_legacy) && !messages().any(Message::shares_json_names) {
            return Syntax::Proto3;
        }
        let is_implicit = |field: &Field| {
            field.label == Label::Singular && !matches!(field.kind, Kind::Message(_))
        };
        let is_proto2 = enums().all(|each| each.closed)
            && !fields().any(|field| field.delimited || is_implicit(field));
        if is_proto2 { Syntax::Proto2 } else { Syntax::Edition2023 }
    }

    /// Returns the schema as a file in this package: in proto3, or else in proto2 or edition 2023 for
    /// what proto3 does not have. An empty package is left out.
    pub fn to_proto(&self, package: &str) -> String {
        let mut text = String::new();
        self.write(package, &mut text).expect("a String takes everything");
        text
    }

    fn write(&self, package: &str, out: &mut String) -> fmt::Result {
        let syntax = self.syntax();
        out.write_str(match syntax {
            Syntax::Proto2 => "syntax = \"proto2\";\n",
            Syntax::Proto3 => "syntax = \"proto3\";\n",
            Syntax::Edition2023 => "edition = \"2023\";\n",
        })?;
        if !package.is_empty() {
            write!(out, "\npackage {package};\n")?;
        }
        for (index, import) in self.imports().into_iter().enumerate() {
            let gap = if index == 0 { "\n" } else { "" };
            writeln!(out, "{gap}import \"{import}\";")?;
        }
        let mut enums = self.enums_of(None);
        for message in &self.messages {
            if message.is_declared() {
                let enums = enums.remove(&Some(message.name.as_str())).unwrap_or_default();
                self.write_message(message, &enums, syntax, package, out)?;
            }
        }
        for (_, each) in enums.remove(&None::<&str>).unwrap_or_default() {
            out.write_char('\n')?;
            write_enum(each, syntax, "", out)?;
        }
        for scope in self.enum_scopes() {
            writeln!(out, "\nmessage {scope} {{")?;
            let enums = enums.remove(&Some(scope)).unwrap_or_default();
            write_nested_enums(&enums, true, syntax, out)?;
            out.write_str("}\n")?;
        }
        Ok(())
    }

    /// Returns the files that declare messages and enums of the schema.
    pub(super) fn imports(&self) -> BTreeSet<&str> {
        let of_messages = self.messages.iter().filter_map(|message| message.import.as_deref());
        of_messages.chain(self.enums.iter().filter_map(|each| each.import.as_deref())).collect()
    }

    /// Writes a message and the enums that are declared in it.
    fn write_message(
        &self,
        message: &Message,
        enums: &[(&str, &Enum)],
        syntax: Syntax,
        package: &str,
        out: &mut String,
    ) -> fmt::Result {
        out.write_char('\n')?;
        write_doc(&message.doc, "", out)?;
        let is_empty = message.fields.is_empty() && message.reserved == Reserved::default();
        if is_empty && enums.is_empty() {
            return writeln!(out, "message {} {{}}", message.name);
        }
        writeln!(out, "message {} {{", message.name)?;
        if syntax == Syntax::Edition2023 && message.shares_json_names() {
            out.write_str("  option features.json_format = LEGACY_BEST_EFFORT;\n")?;
        }
        write_reserved(&message.reserved, FIELD_NUMBER_MAX as i32, syntax, "  ", out)?;
        let mut written = vec![false; message.oneofs.len()];
        for field in &message.fields {
            let Some(oneof) = field.oneof else {
                self.write_field(field, syntax, package, "  ", out)?;
                continue;
            };
            // The members of a oneof are written together, at the position of its first member.
            if !std::mem::replace(&mut written[oneof], true) {
                writeln!(out, "  oneof {} {{", message.oneofs[oneof])?;
                for member in message.fields.iter().filter(|member| member.oneof == Some(oneof)) {
                    self.write_field(member, syntax, package, "    ", out)?;
                }
                out.write_str("  }\n")?;
            }
        }
        write_nested_enums(enums, is_empty, syntax, out)?;
        out.write_str("}\n")
    }

    fn write_field(
        &self,
        field: &Field,
        syntax: Syntax,
        package: &str,
        indent: &str,
        out: &mut String,
    ) -> fmt::Result {
        write_doc(&field.doc, indent, out)?;
        out.write_str(indent)?;
        match (self.map_entry(field.kind), field.label) {
            (Some(entry), _) => {
                let [key, value] = [0, 1].map(|at| self.reference(entry.fields[at].kind, package));
                write!(out, "map<{key}, {value}>")?;
            }
            (None, label) => {
                out.write_str(match (label, syntax) {
                    (Label::Repeated | Label::Packed, _) => "repeated ",
                    (_, Syntax::Edition2023) => "",
                    _ if field.oneof.is_some() => "",
                    (_, Syntax::Proto2) if field.absent == Absent::Invalid => "required ",
                    (Label::Optional, _) | (_, Syntax::Proto2) => "optional ",
                    (Label::Singular, _) => "",
                })?;
                out.write_str(&self.reference(field.kind, package))?;
            }
        }
        write!(out, " {} = {}", field.proto_name, field.number)?;
        let mut options = Vec::new();
        if json_name(&field.proto_name) != field.name {
            options.push(format!("json_name = {}", quote(&field.name)));
        }
        let is_message = matches!(field.kind, Kind::Message(_));
        match (syntax, field.label) {
            (Syntax::Proto3, Label::Repeated) if field.kind.is_packable() => {
                options.push("packed = false".to_owned());
            }
            (Syntax::Proto2, Label::Packed) => options.push("packed = true".to_owned()),
            (Syntax::Edition2023, Label::Repeated) if field.kind.is_packable() => {
                options.push("features.repeated_field_encoding = EXPANDED".to_owned());
            }
            (Syntax::Edition2023, Label::Singular) if !is_message && field.oneof.is_none() => {
                options.push("features.field_presence = IMPLICIT".to_owned());
            }
            (Syntax::Edition2023, _) if field.absent == Absent::Invalid => {
                options.push("features.field_presence = LEGACY_REQUIRED".to_owned());
            }
            _ => {}
        }
        if field.delimited {
            options.push("features.message_encoding = DELIMITED".to_owned());
        }
        options.extend(field.default.iter().map(|default| format!("default = {default}")));
        if !options.is_empty() {
            write!(out, " [{}]", options.join(", "))?;
        }
        out.write_str(";\n")
    }

    /// Returns the name by which a field refers to its type. A type with the name of a scalar type or
    /// of a keyword has its full name.
    fn reference(&self, kind: Kind, package: &str) -> Cow<'_, str> {
        let name = self.type_name(kind);
        let first = name.split('.').next().unwrap_or_default();
        let is_taken = Kind::scalar(first).is_some() || KEYWORDS.contains(&first);
        if !is_taken || kind.scalar_name().is_some() {
            return name;
        }
        let dot = if package.is_empty() { "" } else { "." };
        Cow::Owned(format!(".{package}{dot}{name}"))
    }
}

/// The words that begin a field or another statement of a message, and are not read as types there.
const KEYWORDS: [&str; 14] = [
    "enum",
    "export",
    "extend",
    "extensions",
    "group",
    "local",
    "map",
    "message",
    "oneof",
    "option",
    "optional",
    "repeated",
    "required",
    "reserved",
];

/// Writes the enums of a message, with an empty line before each. `are_first` says that nothing of the
/// message comes before them.
fn write_nested_enums(
    enums: &[(&str, &Enum)],
    are_first: bool,
    syntax: Syntax,
    out: &mut String,
) -> fmt::Result {
    for (index, (_, each)) in enums.iter().enumerate() {
        if index > 0 || !are_first {
            out.write_char('\n')?;
        }
        write_enum(each, syntax, "  ", out)?;
    }
    Ok(())
}

fn write_enum(each: &Enum, syntax: Syntax, indent: &str, out: &mut String) -> fmt::Result {
    let inner = format!("{indent}  ");
    write_doc(&each.doc, indent, out)?;
    writeln!(out, "{indent}enum {} {{", each.name)?;
    if each.closed && syntax == Syntax::Edition2023 {
        writeln!(out, "{inner}option features.enum_type = CLOSED;")?;
    }
    if each.allows_aliases() {
        writeln!(out, "{inner}option allow_alias = true;")?;
    }
    write_reserved(&each.reserved, i32::MAX, syntax, &inner, out)?;
    for (name, number, doc) in written_values(each) {
        write_doc(doc, &inner, out)?;
        writeln!(out, "{inner}{name} = {number};")?;
    }
    writeln!(out, "{indent}}}")
}

/// The name, the number and the documentation of a value of an enum.
type WrittenValue<'e> = (Cow<'e, str>, i32, &'e str);

/// Returns the values of an enum in the order in which they are written, each followed by its aliases.
pub(super) fn written_values(each: &Enum) -> Vec<WrittenValue<'_>> {
    fn written(value: &EnumValue) -> impl Iterator<Item = WrittenValue<'_>> {
        let own = (Cow::Borrowed(value.proto_name.as_str()), value.number, value.doc.as_str());
        let aliases = value.proto_aliases.iter();
        let aliases = aliases.map(move |alias| (Cow::Borrowed(alias.as_str()), value.number, ""));
        std::iter::once(own).chain(aliases)
    }
    // The first value of a closed enum is the default, whatever its number is.
    if each.closed {
        return each.values.iter().flat_map(written).collect();
    }
    // proto3 requires that the first value is 0.
    let (zero, others): (Vec<_>, Vec<_>) = each.values.iter().partition(|value| value.number == 0);
    let missing: Option<WrittenValue<'_>> =
        zero.is_empty().then(|| (Cow::Owned(unspecified(each)), 0, ""));
    missing.into_iter().chain(zero.into_iter().chain(others).flat_map(written)).collect()
}

/// Writes the reserved numbers and names; the largest number is written `max`. Editions have
/// identifiers where earlier syntaxes have strings.
fn write_reserved(
    reserved: &Reserved,
    max: i32,
    syntax: Syntax,
    indent: &str,
    out: &mut String,
) -> fmt::Result {
    if !reserved.numbers.is_empty() {
        let range = |range: &RangeInclusive<i32>| match (*range.start(), *range.end()) {
            (start, end) if start == end => start.to_string(),
            (start, end) if end == max => format!("{start} to max"),
            (start, end) => format!("{start} to {end}"),
        };
        let all: Vec<String> = reserved.numbers.iter().map(range).collect();
        writeln!(out, "{indent}reserved {};", all.join(", "))?;
    }
    let name = |name: &String| match syntax {
        // No field can have another name, so nothing is lost.
        Syntax::Edition2023 => is_identifier(name).then(|| name.clone()),
        _ => Some(quote(name)),
    };
    let all: Vec<String> = reserved.names.iter().filter_map(name).collect();
    if !all.is_empty() {
        writeln!(out, "{indent}reserved {};", all.join(", "))?;
    }
    Ok(())
}

/// Returns whether a name is an identifier of the language.
fn is_identifier(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(|c: char| is_word(c) && !c.is_ascii_digit()) && name.chars().all(is_word)
}

/// Returns the name of the value 0 that no variant has: with the suffix of the style guide, or a
/// longer one if it is taken.
fn unspecified(each: &Enum) -> String {
    let prefix = super::names::snake(&each.name).to_uppercase();
    let mut name = format!("{prefix}_UNSPECIFIED");
    let is_taken = |name: &String| {
        each.values.iter().any(|it| it.proto_name == *name || it.proto_aliases.contains(name))
    };
    while is_taken(&name) {
        name.push('_');
    }
    name
}

fn write_doc(doc: &str, indent: &str, out: &mut String) -> fmt::Result {
    doc.lines().try_for_each(|line| writeln!(out, "{}", format!("{indent}// {line}").trim_end()))
}

/// Returns a text as a string literal of the `.proto` language.
pub fn quote(text: &str) -> String {
    quote_bytes(text.as_bytes())
}

/// Returns bytes as a string literal of the `.proto` language. Bytes that are not UTF-8 are escaped.
pub fn quote_bytes(bytes: &[u8]) -> String {
    let mut literal = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => literal.extend(['\\', c]),
                c if c.is_ascii_control() => literal.push_str(&format!("\\{:03o}", u32::from(c))),
                c => literal.push(c),
            }
        }
        chunk.invalid().iter().for_each(|byte| literal.push_str(&format!("\\{byte:03o}")));
    }
    literal + "\""
}

/// Returns the bytes of a string literal between its quotes (Protocol Buffers Language
/// Specification, "String literals"). In an escape that the specification does not have, the
/// backslash is dropped.
pub fn unescape(literal: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(literal.len());
    let mut rest = literal;
    while let Some((before, escape)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        rest = unescape_one(escape, &mut bytes);
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// Adds the bytes of one escape, of which the backslash is consumed, and returns the text after it.
fn unescape_one<'t>(escape: &'t str, bytes: &mut Vec<u8>) -> &'t str {
    let Some(first) = escape.chars().next() else { return escape };
    let after = &escape[first.len_utf8()..];
    let byte = match first {
        '0'..='7' => number(escape, 8, 1..=3),
        'x' | 'X' => number(after, 16, 1..=2),
        _ => None,
    };
    if let Some((byte, rest)) = byte
        && let Ok(byte) = u8::try_from(byte)
    {
        bytes.push(byte);
        return rest;
    }
    let character = match first {
        'u' => number(after, 16, 4..=4),
        'U' => number(after, 16, 8..=8),
        _ => None,
    };
    let character = character.and_then(|(code, rest)| Some((char::from_u32(code)?, rest)));
    let (character, rest) = character.unwrap_or_else(|| {
        let character = match first {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            other => other,
        };
        (character, after)
    });
    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    rest
}

/// Parses the digits at the start of a text, at most the end of `digits`. Returns the number and
/// the text after it, or `None` if there are fewer digits than the start of `digits`.
fn number(text: &str, radix: u32, digits: RangeInclusive<usize>) -> Option<(u32, &str)> {
    let found = text.bytes().take(*digits.end());
    let count = found.take_while(|&byte| char::from(byte).is_digit(radix)).count();
    let (number, rest) = text.split_at(count);
    let number = u32::from_str_radix(number, radix).ok()?;
    digits.contains(&count).then_some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::{quote, quote_bytes, unescape};

    #[test]
    fn escapes_are_those_of_the_specification() {
        for (literal, expected) in [
            (r"plain é", "plain é".as_bytes()),
            (r#"\a\b\f\n\r\t\v\\\'\"\?"#, b"\x07\x08\x0c\n\r\t\x0b\\'\"?"),
            (r"a\012b\0c\1234", b"a\nb\0cS4"),
            (r"\x4a\X4A\x4\xzz", b"JJ\x04xzz"),
            (r"\303\251\xc3\xa9", "éé".as_bytes()),
            (r"\u00e9\U0001F600\u12\ud800", "é😀u12ud800".as_bytes()),
            ("a\\", b"a"),
        ] {
            assert_eq!(unescape(literal), expected, "{literal}");
        }
    }

    #[test]
    fn quoted_texts_are_read_as_they_were() {
        for text in ["", "a\nb", "\0 \" \\ ' \u{7f}", "é😀\t1"] {
            let literal = quote(text);
            assert_eq!(unescape(&literal[1..literal.len() - 1]), text.as_bytes(), "{literal}");
        }
        let bytes = b"a\xff\x001\xc3\xa9\xc3";
        let literal = quote_bytes(bytes);
        assert_eq!(literal, "\"a\\377\\0001é\\303\"");
        assert_eq!(unescape(&literal[1..literal.len() - 1]), bytes);
    }
}
