//! Generates Rust: structs and enums with serde's derives.

use std::collections::HashSet;
use std::fmt::Write;

use manywire_shape::{Int, IntEncoding, Presence, Tagging};

use super::cycle::Cycles;
use super::layout::{
    Alternative, Content, Declaration, DeclarationKind, Layout, Member, Members, Symbol, Type,
};
use super::names::{Case, Rules};
use super::source::{Options, Source, comment};

pub(super) const RULES: Rules = Rules {
    types: Case::Pascal,
    fields: Case::Snake,
    variants: Case::Pascal,
    // `Self` and these others cannot be raw identifiers.
    keywords: "Self self super crate _",
    used_types: "\
        BTreeMap Box ByteBuf Clone Copy Debug Default Deserialize Entries Eq Err Hash None Ok \
        Option Ord PartialEq PartialOrd Result Serialize Shaped Some String ToString Vec",
    used_fields: "",
    // The standard library implements its traits for tuples of up to 12 items.
    tuple_max: 12,
    declares_unions: true,
    recursive_aliases: true,
};

/// Keywords that can be raw identifiers, such as `r#type`.
const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

pub(super) fn write(layout: &Layout, options: &Options) -> Source {
    let mut file = RustWriter { layout, options, cycles: Cycles::new(layout), out: String::new() };
    file.head();
    let defaults = file.defaulted();
    for (index, declaration) in layout.declarations.iter().enumerate() {
        file.out.push('\n');
        file.declaration(index, declaration, defaults.contains(&index));
    }
    let root = file.ty(None, &layout.root);
    if let Some(name) = &layout.root_name {
        let _ = write!(file.out, "\n/// The whole value.\npub type {name} = {root};\n");
    }
    if file.uses_entries() {
        file.out.push_str(ENTRIES);
        if options.shaped {
            file.out.push_str(ENTRIES_SHAPED);
        }
    }
    Source { text: file.out, root: layout.root_name.clone().unwrap_or(root) }
}

struct RustWriter<'l> {
    layout: &'l Layout,
    options: &'l Options,
    cycles: Cycles,
    out: String,
}

impl RustWriter<'_> {
    fn head(&mut self) {
        let any = self.layout.uses(&|ty| *ty == Type::Any);
        let bytes = self.layout.uses(&|ty| *ty == Type::Bytes);
        let time = self.layout.uses(&|ty| *ty == Type::Timestamp);
        let mut crates = vec!["serde (with derive)"];
        crates.extend(any.then_some("serde_json"));
        crates.extend(bytes.then_some("serde_bytes"));
        crates.extend((time || self.options.shaped).then_some("manywire-shape"));
        let _ =
            writeln!(self.out, "// Written by `manywire shape`. Crates: {}.\n", crates.join(", "));
        if self.layout.uses(&|ty| matches!(ty, Type::Map(key, _) if self.is_ordered(key)))
            || self.has_rest()
        {
            self.out.push_str("use std::collections::BTreeMap;\n\n");
        }
        if self.options.shaped {
            self.out.push_str("use manywire_shape::Shaped;\n");
        }
        self.out.push_str("use serde::{Deserialize, Serialize};\n");
    }

    fn has_rest(&self) -> bool {
        let has = |it: &Declaration| matches!(&it.kind, DeclarationKind::Record(members) if members.rest.is_some());
        self.layout.declarations.iter().any(has)
    }

    fn uses_entries(&self) -> bool {
        self.layout.uses(&|ty| matches!(ty, Type::Map(key, _) if !self.is_ordered(key)))
    }

    /// Returns the enums whose first symbol is the default of some absent field.
    fn defaulted(&self) -> HashSet<usize> {
        let mut found = HashSet::new();
        for declaration in &self.layout.declarations {
            let DeclarationKind::Record(members) = &declaration.kind else { continue };
            for member in &members.fields {
                if let (Presence::Defaulted, Type::Named(index)) = (member.presence, &member.ty) {
                    found.insert(*index);
                }
            }
        }
        found
    }

    fn declaration(&mut self, index: usize, declaration: &Declaration, default: bool) {
        let name = &declaration.name;
        comment(&mut self.out, "///", &declaration.doc);
        match &declaration.kind {
            DeclarationKind::Record(members) => {
                self.derive("Clone, Debug, PartialEq");
                let _ = writeln!(self.out, "pub struct {name} {{");
                self.members(index, members);
                self.out.push_str("}\n");
            }
            DeclarationKind::Symbols(symbols) => {
                let default_derive = if default && !symbols.is_empty() { ", Default" } else { "" };
                self.derive(&format!(
                    "Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash{default_derive}"
                ));
                let _ = writeln!(self.out, "pub enum {name} {{");
                for (at, symbol) in symbols.iter().enumerate() {
                    if at == 0 && default {
                        self.out.push_str("    #[default]\n");
                    }
                    self.symbol(symbol);
                    self.out.push_str(",\n");
                }
                self.out.push_str("}\n");
            }
            DeclarationKind::Sum(tagging, alternatives) => {
                self.sum(index, name, tagging, alternatives)
            }
            DeclarationKind::Union(branches) => {
                self.derive("Clone, Debug, PartialEq");
                let _ = writeln!(self.out, "#[serde(untagged)]\npub enum {name} {{");
                for (branch, ty) in branches {
                    let ty = self.ty(Some(index), ty);
                    let _ = writeln!(self.out, "    {branch}({ty}),");
                }
                self.out.push_str("}\n");
            }
            DeclarationKind::Tuple(types) => {
                self.derive("Clone, Debug, PartialEq");
                let types = self.list(index, types, "pub ");
                let _ = writeln!(self.out, "pub struct {name}({types});");
            }
            DeclarationKind::Alias(ty) => {
                self.derive("Clone, Debug, PartialEq");
                let ty = self.ty(Some(index), ty);
                let _ = writeln!(self.out, "#[serde(transparent)]\npub struct {name}(pub {ty});");
            }
        }
    }

    fn derive(&mut self, first: &str) {
        let shaped = if self.options.shaped { ", Shaped" } else { "" };
        let _ = writeln!(self.out, "#[derive({first}, Serialize, Deserialize{shaped})]");
    }

    fn sum(&mut self, index: usize, name: &str, tagging: &Tagging, alternatives: &[Alternative]) {
        self.derive("Clone, Debug, PartialEq");
        match tagging {
            Tagging::External => {}
            Tagging::Internal { tag } => {
                let _ = writeln!(self.out, "#[serde(tag = {tag:?})]");
            }
            Tagging::Adjacent { tag, content } => {
                let _ = writeln!(self.out, "#[serde(tag = {tag:?}, content = {content:?})]");
            }
        }
        let _ = writeln!(self.out, "pub enum {name} {{");
        for alternative in alternatives {
            self.symbol(&alternative.symbol);
            match &alternative.content {
                Content::Empty => {}
                Content::Single(ty) => {
                    let ty = self.ty(Some(index), ty);
                    let _ = write!(self.out, "({ty})");
                }
                Content::Multiple(types) => {
                    let types = self.list(index, types, "");
                    let _ = write!(self.out, "({types})");
                }
            }
            self.out.push_str(",\n");
        }
        self.out.push_str("}\n");
    }

    fn list(&self, index: usize, types: &[Type], before: &str) -> String {
        let types = types.iter().map(|ty| format!("{before}{}", self.ty(Some(index), ty)));
        types.collect::<Vec<_>>().join(", ")
    }

    fn symbol(&mut self, symbol: &Symbol) {
        comment(&mut self.out, "    ///", &symbol.doc);
        let mut attributes = Vec::new();
        if symbol.name != symbol.key {
            attributes.push(format!("rename = {:?}", symbol.key));
        }
        attributes.extend(symbol.aliases.iter().map(|alias| format!("alias = {alias:?}")));
        self.attribute("serde", &attributes);
        if let (Some(number), true) = (symbol.number, self.options.shaped) {
            self.attribute("shaped", &[format!("number = {number}")]);
        }
        let _ = write!(self.out, "    {}", raw(&symbol.name));
    }

    fn members(&mut self, index: usize, members: &Members) {
        for member in &members.fields {
            self.member(index, member);
        }
        if let Some((name, ty)) = &members.rest {
            let ty = self.ty(None, ty);
            let _ = writeln!(self.out, "    /// Every other key.\n    #[serde(flatten)]");
            let _ = writeln!(self.out, "    pub {}: BTreeMap<String, {ty}>,", raw(name));
        }
    }

    fn member(&mut self, index: usize, member: &Member) {
        comment(&mut self.out, "    ///", &member.doc);
        let has_default = member.nullable || self.has_default(&member.ty);
        let defaulted = member.presence == Presence::Defaulted && has_default;
        let optional = member.presence != Presence::Required && !defaulted;
        let mut attributes = Vec::new();
        if member.name != member.key {
            attributes.push(format!("rename = {:?}", member.key));
        }
        attributes.extend(member.aliases.iter().map(|alias| format!("alias = {alias:?}")));
        if defaulted || optional {
            attributes.push("default".to_owned());
        }
        if optional {
            attributes.push("skip_serializing_if = \"Option::is_none\"".to_owned());
        }
        self.attribute("serde", &attributes);
        if self.options.shaped {
            let number = member.number.map(|number| format!("number = {number}"));
            let encoding = match member.encoding {
                IntEncoding::Varint => None,
                IntEncoding::Zigzag => Some("encoding = \"zigzag\"".to_owned()),
                IntEncoding::Fixed => Some("encoding = \"fixed\"".to_owned()),
            };
            self.attribute("shaped", &number.into_iter().chain(encoding).collect::<Vec<_>>());
        }
        let ty = self.ty(Some(index), &member.ty);
        let ty = if optional || member.nullable { format!("Option<{ty}>") } else { ty };
        let _ = writeln!(self.out, "    pub {}: {ty},", raw(&member.name));
    }

    fn attribute(&mut self, name: &str, arguments: &[String]) {
        if !arguments.is_empty() {
            let _ = writeln!(self.out, "    #[{name}({})]", arguments.join(", "));
        }
    }
}

fn raw(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("r#{name}") } else { name.to_owned() }
}

impl RustWriter<'_> {
    /// Returns whether a type can be the key of a `BTreeMap`.
    fn is_ordered(&self, ty: &Type) -> bool {
        match ty {
            Type::Bool | Type::Int(_) | Type::Text | Type::Char => true,
            Type::Named(index) => {
                matches!(self.layout.declaration(*index).kind, DeclarationKind::Symbols(_))
            }
            _ => false,
        }
    }

    /// Returns whether a type has a default for absence.
    fn has_default(&self, ty: &Type) -> bool {
        match ty {
            Type::Timestamp => false,
            Type::Named(index) => matches!(&self.layout.declaration(*index).kind,
                DeclarationKind::Symbols(symbols) if !symbols.is_empty()),
            Type::Array(inner, Some(_)) => self.has_default(inner),
            Type::Tuple(types) => types.iter().all(|ty| self.has_default(ty)),
            _ => true,
        }
    }

    /// Returns a type as it is written within a declaration, or outside of all declarations.
    fn ty(&self, within: Option<usize>, ty: &Type) -> String {
        match ty {
            Type::Null => "()".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Int(int) => integer(*int),
            Type::F32 => "f32".to_owned(),
            Type::F64 => "f64".to_owned(),
            Type::Char => "char".to_owned(),
            Type::Text => "String".to_owned(),
            Type::Bytes => "serde_bytes::ByteBuf".to_owned(),
            Type::Timestamp => "manywire_shape::Timestamp".to_owned(),
            Type::Any => "serde_json::Value".to_owned(),
            Type::Option(inner) => format!("Option<{}>", self.ty(within, inner)),
            Type::Array(inner, Some(len @ 0..=32)) => {
                format!("[{}; {len}]", self.ty(within, inner))
            }
            Type::Array(inner, _) => format!("Vec<{}>", self.ty(None, inner)),
            Type::Map(key, value) if self.is_ordered(key) => {
                format!("BTreeMap<{}, {}>", self.ty(None, key), self.ty(None, value))
            }
            Type::Map(key, value) => {
                format!("Entries<{}, {}>", self.ty(None, key), self.ty(None, value))
            }
            Type::Tuple(types) => {
                let all: Vec<String> = types.iter().map(|ty| self.ty(within, ty)).collect();
                format!("({}{})", all.join(", "), if all.len() == 1 { "," } else { "" })
            }
            // Rust declares all unions.
            Type::Union(_) => "serde_json::Value".to_owned(),
            Type::Named(index) => {
                let name = &self.layout.declaration(*index).name;
                match within {
                    Some(holder) if self.cycles.needs_box(holder, *index) => format!("Box<{name}>"),
                    _ => name.clone(),
                }
            }
        }
    }
}

fn integer(int: Int) -> String {
    format!("{}{}", if int.signed { 'i' } else { 'u' }, int.bits)
}

/// The source of `Entries`, which serde needs to read a map whose keys have no order in Rust. A
/// file that uses it contains it once.
const ENTRIES: &str = r#"
/// The entries of a map in their order, for keys that no map of the standard library takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Entries<K, V>(pub Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Entries<K, V> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for Entries<K, V> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<K, V>(std::marker::PhantomData<(K, V)>);

        impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> serde::de::Visitor<'de> for Visitor<K, V> {
            type Value = Entries<K, V>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(Visitor(std::marker::PhantomData))
    }
}
"#;

/// The source of the shape of `Entries`.
const ENTRIES_SHAPED: &str = r"
impl<K: Shaped, V: Shaped> Shaped for Entries<K, V> {
    fn node(builder: &mut manywire_shape::ShapeBuilder) -> manywire_shape::NodeId {
        let (key, value) = (K::node(builder), V::node(builder));
        builder.add(manywire_shape::Node::Map { key, value })
    }
}
";
