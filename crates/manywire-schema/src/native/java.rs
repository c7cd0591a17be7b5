//! Generates Java 17: records for Jackson, within one class.

use std::fmt::Write;

use manywire_shape::{Int, Presence};

use super::layout::{
    Declaration, DeclarationKind, Layout, Member, Members, Symbol, Type, as_fields, describe_enum,
};
use super::names::{Case, Rules};
use super::source::{Options, Source, doc_comment, quoted};

pub(super) const RULES: Rules = Rules {
    types: Case::Pascal,
    fields: Case::Camel,
    variants: Case::Upper,
    keywords: "\
        abstract assert boolean break byte case catch char class const continue default do double \
        else enum extends false final finally float for goto if implements import instanceof int \
        interface long native new null package private protected public return short static \
        strictfp super switch synchronized this throw throws transient true try void volatile \
        while",
    used_types: "\
        BigInteger Boolean Byte Double Enum Float Instant Integer JsonAlias JsonAnyGetter \
        JsonAnySetter JsonCreator JsonFormat JsonInclude JsonProperty JsonPropertyOrder JsonSetter \
        JsonValue LinkedHashMap List Long Map Nulls Object Record Short String Types Void",
    // The methods that every record has, whose names a field must not have.
    used_fields: "clone finalize getClass hashCode notify notifyAll toString wait",
    tuple_max: 0,
    declares_unions: false,
    recursive_aliases: true,
};

/// The maximum number of fields of a record. A type with more fields becomes a class, because a
/// constructor has at most 255 arguments, and a `long` counts twice.
const COMPONENTS_MAX: usize = 120;

pub(super) fn write(layout: &Layout, options: &Options) -> Source {
    let mut class = options.class.clone();
    if class.is_empty() {
        class.push_str("Types");
    }
    while layout.declarations.iter().any(|it| it.name == class) {
        class.push('_');
    }
    let mut file = JavaWriter { layout, out: String::new() };
    for declaration in &layout.declarations {
        file.out.push('\n');
        file.declaration(declaration);
    }
    let root = file.ty(&layout.root, true);
    let mut text = String::from(
        "// Written by `manywire shape`; its records are for Jackson 2.18 or later.\n",
    );
    if !options.package.is_empty() {
        let _ = writeln!(text, "package {};", options.package);
    }
    text.push_str("\nimport com.fasterxml.jackson.annotation.*;\n");
    for (word, path) in [
        ("BigInteger", "java.math.BigInteger"),
        ("Instant", "java.time.Instant"),
        ("LinkedHashMap<", "java.util.LinkedHashMap"),
        ("List<", "java.util.List"),
        ("Map<", "java.util.Map"),
    ] {
        if file.out.contains(word) {
            let _ = writeln!(text, "import {path};");
        }
    }
    let _ = write!(
        text,
        "\n/** The whole value is {}. */\npublic final class {class} {{\n    private {class}() {{}}\n{}}}\n",
        root.replace('<', "&lt;").replace('>', "&gt;"),
        file.out
    );
    let root = qualified(layout, &root, &class);
    Source { text, root }
}

struct JavaWriter<'l> {
    layout: &'l Layout,
    out: String,
}

impl JavaWriter<'_> {
    fn declaration(&mut self, declaration: &Declaration) {
        let name = &declaration.name;
        self.doc("    ", &declaration.doc);
        match &declaration.kind {
            DeclarationKind::Record(members) => self.record(name, &nameable(members)),
            DeclarationKind::Symbols(symbols) => self.symbols(name, symbols),
            DeclarationKind::Sum(tagging, alternatives) => match as_fields(tagging, alternatives) {
                Some(fields) => self.record(name, &Members { fields, rest: None }),
                None => {
                    let words = describe_enum(self.layout, tagging, alternatives);
                    self.doc("    ", &words);
                    self.wrapper(name, "Object");
                }
            },
            DeclarationKind::Tuple(types) => {
                let names: Vec<String> =
                    (0..types.len()).map(|at| quoted(&format!("f{at}"))).collect();
                let items = types.iter().enumerate().map(|(at, ty)| {
                    format!("@JsonProperty(\"f{at}\") {} f{at}", self.ty(ty, false))
                });
                let items: Vec<String> = items.collect();
                let _ = writeln!(
                    self.out,
                    "    @JsonFormat(shape = JsonFormat.Shape.ARRAY)\n    @JsonPropertyOrder({{{}}})\n    public record {name}({}) {{}}",
                    names.join(", "),
                    items.join(", ")
                );
            }
            DeclarationKind::Alias(ty) => {
                let ty = self.ty(ty, true);
                self.wrapper(name, &ty);
            }
            // Java declares no unions.
            DeclarationKind::Union(_) => {}
        }
    }

    /// Writes a wrapper that is encoded as its value.
    fn wrapper(&mut self, name: &str, ty: &str) {
        let _ = writeln!(
            self.out,
            "    public record {name}(@JsonValue {ty} value) {{\n        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)\n        public {name} {{}}\n    }}"
        );
    }

    fn symbols(&mut self, name: &str, symbols: &[Symbol]) {
        let _ = writeln!(self.out, "    public enum {name} {{");
        for symbol in symbols {
            self.doc("        ", &symbol.doc);
            self.aliases("        ", &symbol.aliases);
            let key = quoted(&symbol.key);
            let _ = writeln!(self.out, "        @JsonProperty({key}) {},", symbol.name);
        }
        self.out.push_str("    }\n");
    }

    fn record(&mut self, name: &str, members: &Members) {
        if members.fields.len() > COMPONENTS_MAX {
            return self.class(name, members);
        }
        self.include(members);
        let _ = write!(self.out, "    public record {name}(");
        for (at, member) in members.fields.iter().enumerate() {
            self.out.push_str(if at == 0 { "\n" } else { ",\n" });
            self.member(member, "");
        }
        if let Some((rest, ty)) = &members.rest {
            let ty = self.ty(ty, true);
            self.out.push_str(if members.fields.is_empty() { "\n" } else { ",\n" });
            let _ = write!(
                self.out,
                "        /** Every other key. */\n        @JsonAnySetter @JsonAnyGetter Map<String, {ty}> {rest}"
            );
        }
        let end = if members.fields.is_empty() && members.rest.is_none() { "" } else { "\n    " };
        let _ = writeln!(self.out, "{end}) {{}}");
    }

    /// Writes the annotation that leaves out nulls if some field may be absent: null represents
    /// absence.
    fn include(&mut self, members: &Members) {
        if members.fields.iter().any(Member::is_optional) {
            self.out.push_str("    @JsonInclude(JsonInclude.Include.NON_NULL)\n");
        }
    }

    fn class(&mut self, name: &str, members: &Members) {
        self.include(members);
        let _ = writeln!(self.out, "    public static final class {name} {{");
        for member in &members.fields {
            self.member(member, "public ");
            self.out.push_str(";\n");
        }
        if let Some((rest, ty)) = &members.rest {
            let ty = self.ty(ty, true);
            let _ = writeln!(
                self.out,
                "        /** Every other key. */\n        @JsonAnySetter @JsonAnyGetter public Map<String, {ty}> {rest} = new LinkedHashMap<>();"
            );
        }
        self.out.push_str("    }\n");
    }

    /// Writes a field with its annotations. `modifier` precedes the type.
    fn member(&mut self, member: &Member, modifier: &str) {
        self.doc("        ", &member.doc);
        self.doc("        ", &self.layout.union_note(member));
        self.aliases("        ", &member.aliases);
        let boxed = member.nullable || member.is_optional();
        let ty = self.ty(&member.ty, boxed);
        let null = member.nullable || matches!(member.ty, Type::Null | Type::Any);
        let include = if null && !member.is_optional() {
            "@JsonInclude(JsonInclude.Include.ALWAYS) "
        } else {
            ""
        };
        // Jackson sets a primitive to zero if the key is missing; other types need an annotation.
        let nulls = match (member.presence, &member.ty) {
            (Presence::Defaulted, Type::Text | Type::Char | Type::Array(..) | Type::Map(..))
                if !boxed =>
            {
                "@JsonSetter(nulls = Nulls.AS_EMPTY) "
            }
            _ => "",
        };
        let (key, name) = (quoted(&member.key), &member.name);
        let _ =
            write!(self.out, "        {include}{nulls}@JsonProperty({key}) {modifier}{ty} {name}");
    }

    fn aliases(&mut self, indent: &str, aliases: &[String]) {
        if !aliases.is_empty() {
            let all: Vec<String> = aliases.iter().map(|alias| quoted(alias)).collect();
            let _ = writeln!(self.out, "{indent}@JsonAlias({{{}}})", all.join(", "));
        }
    }

    fn doc(&mut self, indent: &str, doc: &str) {
        // `\u` begins an escape even in a comment.
        doc_comment(&mut self.out, indent, &doc.replace('\\', "&#92;"));
    }
}

/// Moves a member with an empty key to the member for all other keys, because Jackson treats an
/// empty name as no name.
fn nameable(members: &Members) -> Members {
    let mut members = members.clone();
    let Some(at) = members.fields.iter().position(|member| member.key.is_empty()) else {
        return members;
    };
    let unnamed = members.fields.remove(at);
    members.rest = Some(match members.rest {
        Some((name, ty)) if ty == unnamed.full_type() => (name, ty),
        Some((name, _)) => (name, Type::Any),
        None => (unnamed.name.clone(), unnamed.full_type()),
    });
    members
}

/// Returns the root type as another class refers to it.
fn qualified(layout: &Layout, root: &str, class: &str) -> String {
    let mut text = String::new();
    for word in root.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_') {
        let name = word.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
        // No declared type has one of these names.
        match name {
            "List" | "Map" => text.push_str("java.util."),
            "BigInteger" => text.push_str("java.math."),
            "Instant" => text.push_str("java.time."),
            name if layout.declarations.iter().any(|it| it.name == name) => {
                let _ = write!(text, "{class}.");
            }
            _ => {}
        }
        text.push_str(word);
    }
    text
}

impl JavaWriter<'_> {
    /// Returns a type, boxed if it is a type argument or may be null.
    fn ty(&self, ty: &Type, boxed: bool) -> String {
        let pick =
            |plain: &str, object: &str| if boxed { object.to_owned() } else { plain.to_owned() };
        match ty {
            Type::Bool => pick("boolean", "Boolean"),
            Type::Int(int) => integer(*int, boxed).to_owned(),
            Type::F32 => pick("float", "Float"),
            Type::F64 => pick("double", "Double"),
            Type::Char | Type::Text => "String".to_owned(),
            Type::Bytes => "byte[]".to_owned(),
            Type::Timestamp => "Instant".to_owned(),
            Type::Null | Type::Any | Type::Union(_) | Type::Tuple(_) => "Object".to_owned(),
            Type::Option(inner) => self.ty(inner, true),
            Type::Array(item, _) => format!("List<{}>", self.ty(item, true)),
            Type::Map(key, value) => {
                let key = match &**key {
                    Type::Text | Type::Char | Type::Int(_) | Type::Bool | Type::Named(_) => {
                        self.ty(key, true)
                    }
                    _ => "Object".to_owned(),
                };
                format!("Map<{key}, {}>", self.ty(value, true))
            }
            Type::Named(index) => self.layout.declaration(*index).name.clone(),
        }
    }
}

/// Returns the narrowest type that holds the integer: Java has no unsigned integers.
fn integer(int: Int, boxed: bool) -> &'static str {
    match (int.signed, int.bits, boxed) {
        (true, 8, false) => "byte",
        (true, 8, true) => "Byte",
        (true, 16, false) | (false, 8, false) => "short",
        (true, 16, true) | (false, 8, true) => "Short",
        (true, 32, false) | (false, 16, false) => "int",
        (true, 32, true) | (false, 16, true) => "Integer",
        (true, 64, false) | (false, 32, false) => "long",
        (true, 64, true) | (false, 32, true) => "Long",
        _ => "BigInteger",
    }
}
