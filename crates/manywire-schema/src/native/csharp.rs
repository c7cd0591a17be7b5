//! Generates C# 7: classes with properties, for System.Text.Json and Newtonsoft.Json.
//!
//! `JsonPropertyName` has the key for System.Text.Json. `DataMember` has it for Newtonsoft.Json, and
//! unlike that library's own attribute it belongs to the runtime: the file compiles without the
//! package.

use std::fmt::Write;

use manywire_shape::{Int, Presence};

use super::layout::{
    Declaration, DeclarationKind, Layout, Member, Members, Symbol, Type, as_fields, describe_enum,
};
use super::names::{Case, Rules};
use super::source::{Options, Source, also_known, comment, lines, quoted};

pub(super) const RULES: Rules = Rules {
    types: Case::Pascal,
    fields: Case::Pascal,
    variants: Case::Pascal,
    // C# has no keywords in this case. The members of every object would be hidden by members with
    // their names, and the last would be taken for a property in an attribute.
    keywords: "\
        Equals Finalize GetHashCode GetType MemberwiseClone ReferenceEquals ToString \
        JsonIgnoreCondition",
    used_types: "\
        DataContract DataContractAttribute DataMember DataMemberAttribute DateTimeOffset \
        Dictionary JsonExtensionData JsonExtensionDataAttribute JsonIgnore JsonIgnoreAttribute \
        JsonPropertyName JsonPropertyNameAttribute List System",
    used_fields: "",
    tuple_max: usize::MAX,
    declares_unions: false,
    recursive_aliases: false,
};

pub(super) fn write(layout: &Layout, options: &Options) -> Source {
    let mut file = CSharpWriter { layout, out: String::new() };
    for (at, declaration) in layout.declarations.iter().enumerate() {
        if at > 0 {
            file.out.push('\n');
        }
        file.declaration(declaration);
    }
    let mut text = String::from(
        "// Written by `manywire shape`: JsonPropertyName is for System.Text.Json, DataMember for\n\
         // Newtonsoft.Json.\n",
    );
    let _ = writeln!(text, "// The whole value is {}.", file.ty(&layout.root, ""));
    let usings: [(&[&str], &str); 4] = [
        (&["DateTimeOffset"], "System"),
        (&["List<", "Dictionary<"], "System.Collections.Generic"),
        (&["[DataContract]"], "System.Runtime.Serialization"),
        (&[", JsonPropertyName(", "[JsonExtensionData]"], "System.Text.Json.Serialization"),
    ];
    let mut separator = "\n";
    for (words, namespace) in usings {
        if words.iter().any(|word| file.out.contains(word)) {
            let _ = writeln!(text, "{separator}using {namespace};");
            separator = "";
        }
    }
    if !file.out.is_empty() {
        text.push('\n');
    }
    if options.package.is_empty() {
        text.push_str(&file.out);
    } else {
        let _ = writeln!(text, "namespace {}\n{{", options.package);
        for line in file.out.lines() {
            let indent = if line.is_empty() { "" } else { "    " };
            let _ = writeln!(text, "{indent}{line}");
        }
        text.push_str("}\n");
    }
    Source { text, root: file.ty(&layout.root, "System.Collections.Generic.") }
}

struct CSharpWriter<'l> {
    layout: &'l Layout,
    out: String,
}

impl CSharpWriter<'_> {
    fn declaration(&mut self, declaration: &Declaration) {
        let name = &declaration.name;
        match &declaration.kind {
            DeclarationKind::Record(members) => self.class(name, &declaration.doc, members),
            DeclarationKind::Symbols(symbols) => self.symbols(name, &declaration.doc, symbols),
            DeclarationKind::Sum(tagging, alternatives) => match as_fields(tagging, alternatives) {
                Some(fields) => {
                    let doc = format!("{}\nOne of the properties is there.", declaration.doc);
                    self.class(name, doc.trim_start(), &Members { fields, rest: None });
                }
                None => {
                    let words = describe_enum(self.layout, tagging, alternatives);
                    let words = format!("{name} is an object. {words}");
                    comment(&mut self.out, "//", &declaration.doc);
                    comment(&mut self.out, "//", &words);
                }
            },
            // The rules have no such declarations, except for a tuple without items.
            DeclarationKind::Tuple(_) | DeclarationKind::Alias(_) | DeclarationKind::Union(_) => {
                comment(&mut self.out, "//", &format!("{name} is an empty list."));
            }
        }
    }

    /// Writes the constants of an enum without content, whose type is `string`: System.Text.Json 8
    /// cannot give a name to the member of an enum.
    fn symbols(&mut self, name: &str, doc: &str, symbols: &[Symbol]) {
        self.doc("", doc);
        let _ = writeln!(self.out, "public static class {name}\n{{");
        for symbol in symbols {
            self.doc("    ", &lines([&symbol.doc, &also_known(&symbol.aliases)]));
            let (constant, key) = (member_name(&symbol.name, name), quoted(&symbol.key));
            let _ = writeln!(self.out, "    public const string {constant} = {key};");
        }
        self.out.push_str("}\n");
    }

    fn class(&mut self, name: &str, doc: &str, members: &Members) {
        self.doc("", doc);
        let _ = writeln!(self.out, "[DataContract]\npublic sealed class {name}\n{{");
        for (at, member) in members.fields.iter().enumerate() {
            if at > 0 {
                self.out.push('\n');
            }
            self.property(member, name);
        }
        if let Some((rest, ty)) = &members.rest {
            if !members.fields.is_empty() {
                self.out.push('\n');
            }
            // System.Text.Json accepts no other type.
            let words = self.layout.describe(ty);
            self.doc(
                "    ",
                &format!("Every other key, with {words}; Newtonsoft.Json ignores them."),
            );
            let rest = member_name(rest, name);
            let _ = writeln!(
                self.out,
                "    [JsonExtensionData]\n    public Dictionary<string, object> {rest} {{ get; set; }}"
            );
        }
        self.out.push_str("}\n");
    }

    fn property(&mut self, member: &Member, class: &str) {
        let object = self.layout.note_if(member, &|ty| self.is_object(ty));
        self.doc("    ", &lines([&member.doc, &object, &also_known(&member.aliases)]));
        let key = quoted(&member.key);
        let (member_option, ignore) = if member.is_optional() {
            (
                ", EmitDefaultValue = false",
                "    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]\n",
            )
        } else {
            ("", "")
        };
        let may_be_null = member.nullable || member.is_optional();
        let ty = self.ty(&member.ty, "");
        let mark = if may_be_null && is_struct(&member.ty) { "?" } else { "" };
        let default = match &member.ty {
            _ if may_be_null || member.presence != Presence::Defaulted => String::new(),
            Type::Text | Type::Char => " = \"\";".to_owned(),
            Type::Bytes => " = new byte[0];".to_owned(),
            Type::Array(..) | Type::Map(..) => format!(" = new {ty}();"),
            _ => String::new(),
        };
        let name = member_name(&member.name, class);
        let _ = writeln!(
            self.out,
            "    [DataMember(Name = {key}{member_option}), JsonPropertyName({key})]\n{ignore}    public {ty}{mark} {name} {{ get; set; }}{default}"
        );
    }

    /// Writes a documentation comment, which is XML.
    fn doc(&mut self, indent: &str, doc: &str) {
        let text = doc.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let text = match text.lines().count() {
            0 => return,
            1 => format!("<summary>{}</summary>", text.trim()),
            _ => format!("<summary>\n{}\n</summary>", text.trim_end()),
        };
        comment(&mut self.out, &format!("{indent}///"), &text);
    }

    /// Returns a type. `space` precedes the names of the collections.
    fn ty(&self, ty: &Type, space: &str) -> String {
        match ty {
            Type::Bool => "bool".to_owned(),
            Type::Int(int) => integer(*int).to_owned(),
            Type::F32 => "float".to_owned(),
            Type::F64 => "double".to_owned(),
            Type::Char | Type::Text => "string".to_owned(),
            Type::Bytes => "byte[]".to_owned(),
            Type::Timestamp if space.is_empty() => "DateTimeOffset".to_owned(),
            Type::Timestamp => "System.DateTimeOffset".to_owned(),
            Type::Null | Type::Any | Type::Union(_) => "object".to_owned(),
            Type::Option(inner) => {
                let mark = if is_struct(inner) { "?" } else { "" };
                format!("{}{mark}", self.ty(inner, space))
            }
            Type::Array(item, _) => format!("{space}List<{}>", self.ty(item, space)),
            // The items differ in type, and neither library reads an array as a class.
            Type::Tuple(_) => format!("{space}List<object>"),
            Type::Map(key, value) => {
                let key = match &**key {
                    Type::Int(_) | Type::Bool => self.ty(key, space),
                    _ => "string".to_owned(),
                };
                format!("{space}Dictionary<{key}, {}>", self.ty(value, space))
            }
            Type::Named(index) => {
                let declaration = self.layout.declaration(*index);
                match &declaration.kind {
                    DeclarationKind::Symbols(_) => "string".to_owned(),
                    DeclarationKind::Tuple(_) => format!("{space}List<object>"),
                    _ if self.is_object(ty) => "object".to_owned(),
                    _ => declaration.name.clone(),
                }
            }
        }
    }

    /// Returns whether C# has no type for a value, so that a comment describes it.
    fn is_object(&self, ty: &Type) -> bool {
        match ty {
            Type::Union(_) | Type::Tuple(_) => true,
            Type::Named(index) => match &self.layout.declaration(*index).kind {
                DeclarationKind::Sum(tagging, all) => as_fields(tagging, all).is_none(),
                _ => false,
            },
            _ => false,
        }
    }
}

/// Returns the name of a member, which must not be that of its class.
fn member_name(name: &str, class: &str) -> String {
    if name == class { format!("{name}_") } else { name.to_owned() }
}

/// Returns whether a type holds no null, unless a question mark follows it.
fn is_struct(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Int(_) | Type::F32 | Type::F64 | Type::Timestamp)
}

/// Returns the type of an integer. Beyond 64 bits it has 28 decimal digits, and a number with more is
/// an error: System.Text.Json does not read a `BigInteger`.
fn integer(int: Int) -> &'static str {
    match (int.signed, int.bits) {
        (true, 8) => "sbyte",
        (true, 16) => "short",
        (true, 32) => "int",
        (true, 64) => "long",
        (false, 8) => "byte",
        (false, 16) => "ushort",
        (false, 32) => "uint",
        (false, 64) => "ulong",
        _ => "decimal",
    }
}
