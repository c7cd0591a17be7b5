//! Writes the text of a schema, its Parsing Canonical Form and its fingerprint (specification,
//! "Parsing Canonical Form for Schemas" and "Schema Fingerprints").

use std::collections::HashSet;
use std::fmt;

use super::schema::is_name;
use super::{
    Enum, Field, Fixed, Form, FullName, Literal, Logical, NodeId, Record, Role, Schema, Type,
    VariantOf,
};
use crate::Tagging;

/// Writes the text of an `.avsc` file, indented, with a line feed at the end.
impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_literal().pretty())
    }
}

impl Schema {
    /// Returns the schema as JSON, with all properties of the model.
    pub fn to_literal(&self) -> Literal {
        AvscWriter { schema: self, written: HashSet::new() }.type_literal(self.root(), "")
    }
}

struct AvscWriter<'s> {
    schema: &'s Schema,
    /// The named types that were written: later uses refer to them by name.
    written: HashSet<NodeId>,
}

type Members = Vec<(String, Literal)>;

impl AvscWriter<'_> {
    /// Returns a type as it is written within a namespace.
    fn type_literal(&mut self, id: NodeId, namespace: &str) -> Literal {
        let node = self.schema.node(id);
        let name = match &node.ty {
            Type::Record(record) => Some(&record.name),
            Type::Enum(symbols) => Some(&symbols.name),
            Type::Fixed(fixed) => Some(&fixed.name),
            _ => None,
        };
        if let Some(name) = name
            && !self.written.insert(id)
        {
            return Literal::text(reference(name, namespace));
        }
        let mut members = match &node.ty {
            Type::Union(branches) => {
                let branches = branches.iter().map(|&branch| self.type_literal(branch, namespace));
                return Literal::Array(branches.collect());
            }
            Type::Array(items) => self.container("array", "items", *items, namespace),
            Type::Map(values) => self.container("map", "values", *values, namespace),
            Type::Record(record) => self.record(record, namespace),
            Type::Enum(symbols) => enumeration(symbols, namespace),
            Type::Fixed(fixed) => fixed_bytes(fixed, namespace),
            primitive => {
                let name = Literal::text(primitive.keyword());
                if node.logical.is_none() {
                    return name;
                }
                vec![("type".to_owned(), name)]
            }
        };
        if let Some(logical) = &node.logical {
            members.extend(annotation(logical));
        }
        Literal::Object(members)
    }

    fn container(&mut self, ty: &str, of: &str, inner: NodeId, namespace: &str) -> Members {
        vec![member("type", Literal::text(ty)), member(of, self.type_literal(inner, namespace))]
    }

    fn record(&mut self, record: &Record, namespace: &str) -> Members {
        let mut members = vec![member("type", Literal::text("record"))];
        members.extend(names(&record.name, &record.doc, &record.aliases, namespace));
        if let Some(original) = &record.original {
            members.push(member("manywire.name", Literal::text(original)));
        }
        match &record.role {
            Role::Record => {}
            Role::Variant(variant) => members.push(member("manywire.variant", variant_of(variant))),
            role => members.push(member("manywire.role", Literal::text(role_name(role)))),
        }
        let fields =
            record.fields.iter().map(|field| self.field(field, &record.name.namespace)).collect();
        members.push(member("fields", Literal::Array(fields)));
        members
    }

    fn field(&mut self, field: &Field, namespace: &str) -> Literal {
        let mut members = vec![member("name", Literal::text(&field.name))];
        if !field.doc.is_empty() {
            members.push(member("doc", Literal::text(&field.doc)));
        }
        members.push(member("type", self.type_literal(field.node, namespace)));
        if let Some(default) = &field.default {
            members.push(member("default", default.clone()));
        }
        members.extend(aliases(&field.aliases));
        if let Some(original) = &field.original {
            members.push(member("manywire.name", Literal::text(original)));
        }
        if field.optional {
            members.push(member("manywire.presence", Literal::text("optional")));
        }
        if field.rest {
            members.push(member("manywire.rest", Literal::Boolean(true)));
        }
        Literal::Object(members)
    }
}

fn member(key: &str, value: Literal) -> (String, Literal) {
    (key.to_owned(), value)
}

/// Returns a reference to a type from within a namespace. A name without dots refers to the same
/// namespace.
fn reference(name: &FullName, namespace: &str) -> String {
    if name.namespace == namespace { name.name.clone() } else { name.to_string() }
}

fn names<'a>(
    name: &'a FullName,
    doc: &str,
    former: &[String],
    namespace: &str,
) -> impl Iterator<Item = (String, Literal)> + use<'a> {
    let mut members = vec![member("name", Literal::text(&name.name))];
    if name.namespace != namespace {
        members.push(member("namespace", Literal::text(&name.namespace)));
    }
    if !doc.is_empty() {
        members.push(member("doc", Literal::text(doc)));
    }
    members.extend(aliases(former));
    members.into_iter()
}

/// Returns the aliases: valid Avro names as `aliases`, others as `manywire.aliases`.
fn aliases(aliases: &[String]) -> Vec<(String, Literal)> {
    let is_alias = |alias: &String| alias.split('.').all(is_name);
    let list = |of: &dyn Fn(&String) -> bool| {
        aliases.iter().filter(|alias| of(alias)).map(Literal::text).collect::<Vec<_>>()
    };
    [("aliases", list(&is_alias)), ("manywire.aliases", list(&|alias| !is_alias(alias)))]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(key, names)| member(key, Literal::Array(names)))
        .collect()
}

fn enumeration(symbols: &Enum, namespace: &str) -> Members {
    let mut members = vec![member("type", Literal::text("enum"))];
    members.extend(names(&symbols.name, &symbols.doc, &symbols.aliases, namespace));
    if let Some(original) = &symbols.original {
        members.push(member("manywire.name", Literal::text(original)));
    }
    let all = |text: fn(&super::Symbol) -> &str| {
        Literal::Array(symbols.symbols.iter().map(|symbol| Literal::text(text(symbol))).collect())
    };
    members.push(member("symbols", all(|symbol| &symbol.name)));
    if symbols.symbols.iter().any(|symbol| symbol.original.is_some()) {
        members.push(member("manywire.symbols", all(super::Symbol::key)));
    }
    if let Some(default) = &symbols.default {
        members.push(member("default", Literal::text(default)));
    }
    members
}

fn fixed_bytes(fixed: &Fixed, namespace: &str) -> Members {
    let mut members = vec![member("type", Literal::text("fixed"))];
    members.extend(names(&fixed.name, "", &fixed.aliases, namespace));
    members.push(member("size", Literal::Number(fixed.size.to_string())));
    members
}

fn annotation(logical: &Logical) -> Members {
    let number = |number: u32| Literal::Number(number.to_string());
    [
        Some(member("logicalType", Literal::text(&logical.name))),
        logical.precision.map(|precision| member("precision", number(precision))),
        logical.scale.map(|scale| member("scale", number(scale))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn variant_of(variant: &VariantOf) -> Literal {
    let form = match variant.form {
        Form::Unit => "unit",
        Form::Newtype => "newtype",
        Form::Tuple => "tuple",
        Form::Struct => "struct",
    };
    let mut members =
        vec![member("enum", Literal::text(&variant.sum)), member("form", Literal::text(form))];
    match &variant.tagging {
        Tagging::External => {}
        Tagging::Internal { tag } => members.push(member("tag", Literal::text(&**tag))),
        Tagging::Adjacent { tag, content } => {
            members.push(member("tag", Literal::text(&**tag)));
            members.push(member("content", Literal::text(&**content)));
        }
    }
    Literal::Object(members)
}

fn role_name(role: &Role) -> &'static str {
    match role {
        Role::Record | Role::Variant(_) => "record",
        Role::Tuple => "tuple",
        Role::Transparent => "transparent",
        Role::Entry => "entry",
        Role::Timestamp => "timestamp",
        Role::Number => "number",
        Role::Extension => "extension",
    }
}

impl Schema {
    /// Returns the Parsing Canonical Form. Schemas with the same form encode every datum
    /// identically.
    pub fn canonical(&self) -> String {
        canonical(self, self.root(), &mut HashSet::new()).compact()
    }

    /// Returns the CRC-64-AVRO of the canonical form, the fingerprint of single-object encoding.
    pub fn fingerprint(&self) -> u64 {
        crc_64_avro(self.canonical().as_bytes())
    }
}

fn canonical(schema: &Schema, id: NodeId, written: &mut HashSet<NodeId>) -> Literal {
    let member = |key: &str, value| (key.to_owned(), value);
    let named = |name: &FullName, ty: &str| {
        vec![member("name", Literal::text(name.to_string())), member("type", Literal::text(ty))]
    };
    let ty = schema.ty(id);
    Literal::Object(match ty {
        Type::Union(branches) => {
            let branches = branches.iter().map(|&branch| canonical(schema, branch, written));
            return Literal::Array(branches.collect());
        }
        Type::Record(record) => {
            if !written.insert(id) {
                return Literal::text(record.name.to_string());
            }
            let fields = record.fields.iter().map(|field| {
                let ty = canonical(schema, field.node, written);
                Literal::Object(vec![
                    member("name", Literal::text(&field.name)),
                    member("type", ty),
                ])
            });
            let fields = Literal::Array(fields.collect());
            [named(&record.name, "record"), vec![member("fields", fields)]].concat()
        }
        Type::Enum(symbols) => {
            if !written.insert(id) {
                return Literal::text(symbols.name.to_string());
            }
            let list = symbols.symbols.iter().map(|symbol| Literal::text(&symbol.name)).collect();
            [named(&symbols.name, "enum"), vec![member("symbols", Literal::Array(list))]].concat()
        }
        Type::Fixed(fixed) => {
            if !written.insert(id) {
                return Literal::text(fixed.name.to_string());
            }
            let size = Literal::Number(fixed.size.to_string());
            [named(&fixed.name, "fixed"), vec![member("size", size)]].concat()
        }
        Type::Array(items) => vec![
            member("type", Literal::text("array")),
            member("items", canonical(schema, *items, written)),
        ],
        Type::Map(values) => vec![
            member("type", Literal::text("map")),
            member("values", canonical(schema, *values, written)),
        ],
        primitive => return Literal::text(primitive.keyword()),
    })
}

/// Returns the 64-bit Rabin fingerprint that the specification defines.
fn crc_64_avro(bytes: &[u8]) -> u64 {
    const EMPTY: u64 = 0xc15d_213a_a4d7_a795;
    bytes.iter().fold(EMPTY, |fingerprint, &byte| {
        let mut low = (fingerprint ^ u64::from(byte)) & 0xff;
        for _ in 0..8 {
            low = (low >> 1) ^ (EMPTY & (low & 1).wrapping_neg());
        }
        (fingerprint >> 8) ^ low
    })
}
