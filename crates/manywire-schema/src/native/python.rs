//! Generates Python 3.11: msgspec structs.

use std::fmt::Write;

use manywire_shape::{Presence, Tagging};

use super::layout::{
    Alternative, Content, Declaration, DeclarationKind, Layout, Member, Members, Symbol, Type,
    content_members, describe_enum, other_names, with_content,
};
use super::names::{Case, Rules};
use super::source::{Options, Source, also_known, comment, lines, quoted};

pub(super) const RULES: Rules = Rules {
    types: Case::Pascal,
    fields: Case::Snake,
    variants: Case::Upper,
    keywords: "\
        False None True and as assert async await break class continue def del elif else except \
        finally for from global if import in is lambda nonlocal not or pass raise return try while \
        with yield",
    used_types: "Any Literal Struct UNSET UnsetType",
    // In a class, a field would shadow the types and modules that later annotations use.
    used_fields: "bool bytes datetime dict enum field float int list msgspec str tuple",
    tuple_max: usize::MAX,
    declares_unions: false,
    recursive_aliases: false,
};

pub(super) fn write(layout: &Layout, _: &Options) -> Source {
    let mut file = PythonWriter { layout, out: String::new(), aliases: String::new() };
    for declaration in &layout.declarations {
        file.declaration(declaration);
    }
    let mut root = file.ty(&layout.root);
    if let Some(name) = &layout.root_name {
        let _ = write!(file.aliases, "\n# The whole value.\n{name} = {root}\n");
        root.clone_from(name);
    }
    let mut text = String::from(
        "# Written by `manywire shape`; needs msgspec 0.18 or later.\nfrom __future__ import annotations\n",
    );
    let body = format!("{}{}", file.out, file.aliases);
    let mut standard = String::new();
    for (word, import) in [("datetime.", "import datetime\n"), ("enum.", "import enum\n")] {
        standard.push_str(if body.contains(word) { import } else { "" });
    }
    let typing: Vec<&str> =
        ["Any", "Literal"].into_iter().filter(|name| mentions(&body, name)).collect();
    if !typing.is_empty() {
        let _ = writeln!(standard, "from typing import {}", typing.join(", "));
    }
    if !standard.is_empty() {
        let _ = write!(text, "\n{standard}");
    }
    let names =
        ["UNSET", "Struct", "UnsetType", "field"].into_iter().filter(|it| mentions(&body, it));
    let names: Vec<&str> = names.collect();
    if !names.is_empty() {
        let _ = writeln!(text, "\nfrom msgspec import {}", names.join(", "));
    }
    Source { text: text + &body, root }
}

/// Returns whether msgspec accepts a key as the name of a field, which it writes into JSON
/// unescaped.
fn is_name(key: &str) -> bool {
    !key.contains(|c: char| matches!(c, '"' | '\\') || c.is_control())
}

/// Returns whether a text contains a name as a word.
fn mentions(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(part) && !text[at + name.len()..].starts_with(part))
}

/// Returns the default of an absent value. A list or a map is an argument of `field`, which makes one
/// for each value.
fn default(member: &Member) -> Option<&'static str> {
    if member.nullable {
        return Some("None");
    }
    match &member.ty {
        Type::Null => Some("None"),
        Type::Bool => Some("False"),
        Type::Int(_) => Some("0"),
        Type::F32 | Type::F64 => Some("0.0"),
        Type::Text | Type::Char => Some("\"\""),
        Type::Bytes => Some("b\"\""),
        Type::Array(..) => Some("default_factory=list"),
        Type::Map(..) => Some("default_factory=dict"),
        _ => None,
    }
}

struct PythonWriter<'l> {
    layout: &'l Layout,
    out: String,
    /// The type aliases, which Python evaluates in order, so they come after all classes.
    aliases: String,
}

impl PythonWriter<'_> {
    fn declaration(&mut self, declaration: &Declaration) {
        let name = &declaration.name;
        match &declaration.kind {
            DeclarationKind::Record(members) => self.class(name, &declaration.doc, "", members),
            DeclarationKind::Symbols(symbols) => self.symbols(name, &declaration.doc, symbols),
            DeclarationKind::Sum(tagging, alternatives) => {
                self.sum(name, &declaration.doc, tagging, alternatives);
            }
            // Python declares no unions.
            DeclarationKind::Tuple(_) | DeclarationKind::Alias(_) | DeclarationKind::Union(_) => {}
        }
    }

    fn class(&mut self, name: &str, doc: &str, arguments: &str, members: &Members) {
        self.out.push_str("\n\n");
        comment(&mut self.out, "#", doc);
        let _ = writeln!(self.out, "class {name}(Struct, kw_only=True{arguments}):");
        let (named, unnamed): (Vec<_>, Vec<_>) =
            members.fields.iter().partition(|member| is_name(&member.key));
        for member in &named {
            self.member(member);
        }
        for member in unnamed {
            let words = self.layout.describe(&member.full_type());
            let text = format!("{} holds {words}; msgspec refuses the name.", quoted(&member.key));
            comment(&mut self.out, "    #", &text);
        }
        if let Some((_, ty)) = &members.rest {
            let words = self.layout.describe(ty);
            comment(
                &mut self.out,
                "    #",
                &format!("Other keys, passed over here, hold {words}."),
            );
        }
        if named.is_empty() {
            self.out.push_str("    pass\n");
        }
    }

    fn member(&mut self, member: &Member) {
        comment(&mut self.out, "    #", &member.doc);
        comment(&mut self.out, "    #", &also_known(&member.aliases));
        let mut ty = self.ty(&member.full_type());
        let default = match member.presence {
            Presence::Required => None,
            Presence::Defaulted => Some(default(member).unwrap_or("UNSET")),
            Presence::Optional => Some("UNSET"),
        };
        if default == Some("UNSET") {
            ty.push_str(" | UnsetType");
        }
        let name = (member.name != member.key).then(|| format!("name={}", quoted(&member.key)));
        let is_factory = default.is_some_and(|default| default.starts_with("default_factory="));
        let default = match (name, default) {
            (None, None) => String::new(),
            (None, Some(default)) if !is_factory => format!(" = {default}"),
            (name, default) => {
                let before = if is_factory { "" } else { "default=" };
                let default = default.map(|default| format!("{before}{default}"));
                let arguments: Vec<String> = name.into_iter().chain(default).collect();
                format!(" = field({})", arguments.join(", "))
            }
        };
        let _ = writeln!(self.out, "    {}: {ty}{default}", member.name);
    }

    fn symbols(&mut self, name: &str, doc: &str, symbols: &[Symbol]) {
        self.out.push_str("\n\n");
        comment(&mut self.out, "#", doc);
        let _ = writeln!(self.out, "class {name}(enum.Enum):");
        for symbol in symbols {
            comment(&mut self.out, "    #", &symbol.doc);
            comment(&mut self.out, "    #", &also_known(&symbol.aliases));
            let _ = writeln!(self.out, "    {} = {}", symbol.name, quoted(&symbol.key));
        }
        if symbols.is_empty() {
            self.out.push_str("    pass\n");
        }
    }

    /// Writes an enum as a union of tagged structs. An externally tagged enum is a struct with one
    /// present field, or the name of a variant without content.
    fn sum(&mut self, name: &str, doc: &str, tagging: &Tagging, alternatives: &[Alternative]) {
        let mut branches = Vec::new();
        let (tag, content) = match tagging {
            Tagging::External => {
                let fields = with_content(alternatives);
                if !fields.is_empty() {
                    let content = format!("{name}_");
                    self.class(&content, doc, "", &Members { fields, rest: None });
                    branches.push(content);
                }
                let units = alternatives.iter().filter(|it| matches!(it.content, Content::Empty));
                let units: Vec<&Symbol> = units.map(|it| &it.symbol).collect();
                if !units.is_empty() {
                    let keys: Vec<String> = units.iter().map(|it| quoted(&it.key)).collect();
                    branches.push(format!("Literal[{}]", keys.join(", ")));
                }
                return self.alias(name, &other_names(units.into_iter()), &branches);
            }
            Tagging::Internal { tag } => (tag, None),
            Tagging::Adjacent { tag, content } => (tag, Some(content.as_ref())),
        };
        for alternative in alternatives {
            let members = match content {
                Some(content) => Some(content_members(content, alternative)),
                None => self.inlined(alternative),
            };
            let Some(members) = members else {
                let doc = describe_enum(self.layout, tagging, alternatives);
                return self.alias(name, &doc, &["Any".to_owned()]);
            };
            let symbol = &alternative.symbol;
            let branch = format!("{name}_{}", symbol.name);
            let arguments = format!(", tag_field={}, tag={}", quoted(tag), quoted(&symbol.key));
            let doc = lines([&symbol.doc, &also_known(&symbol.aliases)]);
            self.class(&branch, &doc, &arguments, &members);
            branches.push(branch);
        }
        self.alias(name, "", &branches);
    }

    /// Returns the fields beside an internal tag.
    fn inlined(&self, alternative: &Alternative) -> Option<Members> {
        match &alternative.content {
            Content::Empty => Some(Members::default()),
            Content::Single(Type::Named(index)) => match &self.layout.declaration(*index).kind {
                DeclarationKind::Record(members) => Some(members.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    fn alias(&mut self, name: &str, doc: &str, branches: &[String]) {
        let all = if branches.is_empty() { "None".to_owned() } else { branches.join(" | ") };
        self.aliases.push('\n');
        comment(&mut self.aliases, "#", doc);
        let _ = writeln!(self.aliases, "{name} = {all}");
    }

    fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Null => "None".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Int(_) => "int".to_owned(),
            Type::F32 | Type::F64 => "float".to_owned(),
            Type::Char | Type::Text => "str".to_owned(),
            Type::Bytes => "bytes".to_owned(),
            Type::Timestamp => "datetime.datetime".to_owned(),
            Type::Any => "Any".to_owned(),
            Type::Option(inner) => format!("{} | None", self.ty(inner)),
            Type::Array(item, _) => format!("list[{}]", self.ty(item)),
            Type::Map(key, value) => {
                let key = match &**key {
                    Type::Int(_) => "int",
                    Type::Text | Type::Char => "str",
                    Type::Named(index)
                        if matches!(
                            self.layout.declaration(*index).kind,
                            DeclarationKind::Symbols(_)
                        ) =>
                    {
                        &self.layout.declaration(*index).name
                    }
                    _ => "Any",
                };
                format!("dict[{key}, {}]", self.ty(value))
            }
            Type::Tuple(types) => format!("tuple[{}]", self.list(types, ", ")),
            Type::Union(types) => self.list(types, " | "),
            Type::Named(index) => {
                let declaration = self.layout.declaration(*index);
                match &declaration.kind {
                    DeclarationKind::Tuple(types) if types.is_empty() => "tuple[()]".to_owned(),
                    DeclarationKind::Tuple(types) => format!("tuple[{}]", self.list(types, ", ")),
                    _ => declaration.name.clone(),
                }
            }
        }
    }

    fn list(&self, types: &[Type], joint: &str) -> String {
        types.iter().map(|ty| self.ty(ty)).collect::<Vec<_>>().join(joint)
    }
}
