//! Go: structs with tags.

use std::collections::HashSet;
use std::fmt::Write;

use manywire_shape::Int;
use manywire_shape::names::unique;

use super::cycle::Cycles;
use super::go_methods::{self, Keys};
use super::layout::{Declaration, Kind, Layout, Member, Members, Symbol, Type, as_fields, in_words};
use super::names::{Case, Rules};
use super::{Options, Source, comment, quoted};

pub(super) const RULES: Rules = Rules {
    types: Case::Go,
    fields: Case::Go,
    variants: Case::Go,
    // Exported names begin with a capital, and no keyword does.
    keywords: &[],
    used_types: &[],
    // Methods of the type, which a field must not share its name with.
    used_fields: &["MarshalJSON", "UnmarshalJSON"],
    tuple_max: 0,
    declares_unions: false,
    recursive_aliases: true,
};

pub(super) fn write(layout: &Layout, options: &Options) -> Source {
    let names = layout.declarations.iter().map(|it| it.name.clone()).chain(layout.root_name.clone());
    let names = names.collect();
    let mut file =
        File { layout, options, cycles: Cycles::new(layout), names, out: String::new(), json: false };
    for (index, declaration) in layout.declarations.iter().enumerate() {
        file.out.push('\n');
        file.declaration(index, declaration);
    }
    let mut root = file.ty(None, &layout.root);
    if let Some(name) = &layout.root_name {
        let _ = write!(file.out, "\n// {name} is the whole value.\ntype {name} = {root}\n");
        root.clone_from(name);
    }
    let text = file.head() + &file.out;
    Source { text, root }
}

struct File<'l> {
    layout: &'l Layout,
    options: &'l Options,
    cycles: Cycles,
    /// Names of the package.
    names: HashSet<String>,
    out: String,
    /// Whether a method needs encoding/json.
    json: bool,
}

impl File<'_> {
    fn head(&self) -> String {
        let package = if self.options.package.is_empty() { "main" } else { &self.options.package };
        let big = self.layout.uses(&|ty| matches!(ty, Type::Int(int) if int.bits > 64));
        let time = self.layout.uses(&|ty| *ty == Type::Timestamp);
        let mut imports = Vec::new();
        imports.extend(self.json.then_some("encoding/json"));
        imports.extend(big.then_some("math/big"));
        imports.extend(time.then_some("time"));
        let mut head = format!("// Written by `manywire shape`.\n\npackage {package}\n");
        if !imports.is_empty() {
            let lines: String = imports.iter().map(|path| format!("\t\"{path}\"\n")).collect();
            let _ = write!(head, "\nimport (\n{lines})\n");
        }
        head
    }

    fn declaration(&mut self, index: usize, declaration: &Declaration) {
        let name = &declaration.name;
        comment(&mut self.out, "//", &declaration.doc);
        match &declaration.kind {
            Kind::Record(members) => self.record(index, name, members),
            Kind::Symbols(symbols) => self.symbols(name, symbols),
            Kind::Sum(tagging, alternatives) => match as_fields(tagging, alternatives) {
                Some(fields) => {
                    comment(&mut self.out, "//", "One of the fields is there.");
                    self.record(index, name, &Members { fields, rest: None });
                }
                None => {
                    comment(&mut self.out, "//", &in_words(self.layout, tagging, alternatives));
                    let _ = writeln!(self.out, "type {name} = any");
                }
            },
            Kind::Tuple(types) => {
                let types: Vec<String> = types.iter().map(|ty| self.ty(Some(index), ty)).collect();
                self.json = true;
                go_methods::tuple(&mut self.out, name, &types);
            }
            Kind::Alias(ty) => {
                let ty = self.ty(Some(index), ty);
                let _ = writeln!(self.out, "type {name} {ty}");
            }
            // Never declared in this language.
            Kind::Union(_) => {}
        }
    }

    fn symbols(&mut self, name: &str, symbols: &[Symbol]) {
        let _ = writeln!(self.out, "type {name} string");
        if symbols.is_empty() {
            return;
        }
        self.out.push_str("\nconst (\n");
        for symbol in symbols {
            comment(&mut self.out, "\t//", &symbol.doc);
            let constant = unique(format!("{name}{}", symbol.name), &mut self.names, "");
            let _ = writeln!(self.out, "\t{constant} {name} = {}", quoted(&symbol.key));
        }
        self.out.push_str(")\n");
    }

    fn record(&mut self, index: usize, name: &str, members: &Members) {
        let _ = writeln!(self.out, "type {name} struct {{");
        let mut keys = Keys::default();
        for member in &members.fields {
            comment(&mut self.out, "\t//", &member.doc);
            if Layout::has(&member.ty, &|ty| matches!(ty, Type::Union(_))) {
                comment(&mut self.out, "\t//", &format!("{}.", self.layout.words(&member.whole())));
            }
            if member.is_optional() && member.nullable {
                comment(&mut self.out, "\t//", "Null is read as absent.");
            }
            let (ty, pointer) = self.member_type(index, member);
            let star = if pointer { "*" } else { "" };
            let tags = self.tags(member, pointer);
            let _ = writeln!(self.out, "\t{} {star}{ty} `{tags}`", member.name);
            keys.add(&member.key, &member.name, member.is_optional());
        }
        if let Some((rest, ty)) = &members.rest {
            let ty = self.ty(None, ty);
            comment(&mut self.out, "\t//", "Every other key; encoding/json alone fills it.");
            let _ = writeln!(self.out, "\t{rest} map[string]{ty} `json:\"-\" msgpack:\"-\" cbor:\"-\"`");
            keys.rest = Some((rest.clone(), ty));
        }
        self.out.push_str("}\n");
        if keys.need_methods() {
            self.json = true;
            go_methods::record(&mut self.out, name, &keys);
        }
    }

    /// A field's type, and whether it is a pointer to that.
    fn member_type(&self, index: usize, member: &Member) -> (String, bool) {
        let ty = self.ty(Some(index), &member.ty);
        let nilable = ty == "any"
            || ["[]", "map[", "*"].iter().any(|start| ty.starts_with(start))
            || matches!(&member.ty, Type::Named(index)
                if matches!(&self.layout.declaration(*index).kind, Kind::Sum(tagging, all) if as_fields(tagging, all).is_none()));
        (ty, (member.is_optional() || member.nullable) && !nilable)
    }

    fn tags(&self, member: &Member, pointer: bool) -> String {
        let key = &member.key;
        let extra: Vec<&str> = self.options.go_tags.iter().map(String::as_str).collect();
        let mut tags = Vec::new();
        for library in ["json", "msgpack", "cbor"].into_iter().chain(extra) {
            let option = match library {
                _ if !member.is_optional() => "",
                // An empty slice is a value; only its absence is left out.
                "json" | "cbor" if !pointer && self.is_collection(&member.ty) => ",omitzero",
                _ => ",omitempty",
            };
            let name = match library {
                "json" if !go_methods::is_tag(key) => "-".to_owned(),
                "json" | "cbor" if key == "-" => "-,".to_owned(),
                "msgpack" => go_methods::msgpack_name(key),
                _ => go_methods::tag_text(key),
            };
            let option = if name == "-" || name == "-," { "" } else { option };
            tags.push(format!("{library}:\"{name}{option}\""));
        }
        tags.join(" ")
    }

    fn is_collection(&self, ty: &Type) -> bool {
        matches!(ty, Type::Array(..) | Type::Map(..) | Type::Bytes)
    }

    fn ty(&self, within: Option<usize>, ty: &Type) -> String {
        match ty {
            Type::Null | Type::Any | Type::Union(_) | Type::Tuple(_) => "any".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Int(int) => integer(*int).to_owned(),
            Type::F32 => "float32".to_owned(),
            Type::F64 => "float64".to_owned(),
            Type::Char | Type::Text => "string".to_owned(),
            Type::Bytes => "[]byte".to_owned(),
            Type::Timestamp => "time.Time".to_owned(),
            Type::Option(inner) => {
                let inner = self.ty(None, inner);
                let nilable = ["[]", "map[", "*", "any"].iter().any(|start| inner.starts_with(start));
                if nilable { inner } else { format!("*{inner}") }
            }
            // A slice of uint8 is base64 to encoding/json.
            Type::Array(item, _) if matches!(**item, Type::Int(Int { signed: false, bits: 8, .. })) => {
                "[]uint16".to_owned()
            }
            Type::Array(item, _) => format!("[]{}", self.ty(None, item)),
            Type::Map(key, value) => format!("map[{}]{}", self.key(key), self.ty(None, value)),
            Type::Named(index) => {
                let name = &self.layout.declaration(*index).name;
                match within {
                    Some(holder) if self.cycles.needs_box(holder, *index) => format!("*{name}"),
                    _ => name.clone(),
                }
            }
        }
    }

    /// The key of a map: what is neither text nor an integer has no type that every library takes.
    fn key(&self, ty: &Type) -> String {
        match ty {
            Type::Int(int) if int.bits <= 64 => integer(*int).to_owned(),
            Type::Text | Type::Char => "string".to_owned(),
            Type::Named(index) if matches!(self.layout.declaration(*index).kind, Kind::Symbols(_)) => {
                self.layout.declaration(*index).name.clone()
            }
            _ => "any".to_owned(),
        }
    }
}

fn integer(int: Int) -> &'static str {
    match (int.signed, int.bits) {
        (true, 8) => "int8",
        (true, 16) => "int16",
        (true, 32) => "int32",
        (true, 64) => "int64",
        (false, 8) => "uint8",
        (false, 16) => "uint16",
        (false, 32) => "uint32",
        (false, 64) => "uint64",
        _ => "big.Int",
    }
}
