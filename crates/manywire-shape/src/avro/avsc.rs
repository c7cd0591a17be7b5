//! Writes the text of a schema, its Parsing Canonical Form and its fingerprint (specification,
//! "Parsing Canonical Form for Schemas" and "Schema Fingerprints").

use std::collections::HashSet;
use std::fmt;

use super::schema::is_name;
use super::{
    Enum, Field, FullName, Literal, Logical, NodeId, Order, Record, Role, Schema, Symbol, Type,
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

type Members = Vec<(&'static str, Literal)>;

impl AvscWriter<'_> {
    /// Returns a type as it is written within a namespace.
    fn type_literal(&mut self, id: NodeId, namespace: &str) -> Literal {
        let node = self.schema.node(id);
        if let Some(name) = node.ty.name()
            && !self.written.insert(id)
        {
            return Literal::text(reference(name, namespace));
        }
        let mut members = vec![("type", Literal::text(node.ty.keyword()))];
        match &node.ty {
            Type::Union(branches) => {
                let branches = branches.iter().map(|&branch| self.type_literal(branch, namespace));
                return Literal::Array(branches.collect());
            }
            Type::Array(items) => members.push(("items", self.type_literal(*items, namespace))),
            Type::Map(values) => members.push(("values", self.type_literal(*values, namespace))),
            Type::Record(record) => members.extend(self.record(record, namespace)),
            Type::Enum(symbols) => members.extend(enumeration(symbols, namespace)),
            Type::Fixed(fixed) => {
                members.extend(names(&fixed.name, "", &fixed.aliases, namespace));
                members.push(("size", Literal::number(fixed.size)));
            }
            primitive if node.logical.is_none() => return Literal::text(primitive.keyword()),
            _ => {}
        }
        if let Some(logical) = &node.logical {
            members.extend(annotation(logical));
        }
        Literal::object(members)
    }

    fn record(&mut self, record: &Record, namespace: &str) -> Members {
        let mut members = names(&record.name, &record.doc, &record.aliases, namespace);
        members.extend(name_in_data(record.original.as_deref()));
        match &record.role {
            Role::Variant(variant) => members.push(("manywire.variant", variant_of(variant))),
            role => members.extend(role.name().map(|name| ("manywire.role", Literal::text(name)))),
        }
        let fields = record.fields.iter().map(|field| self.field(field, &record.name.namespace));
        members.push(("fields", Literal::Array(fields.collect())));
        members
    }

    fn field(&mut self, field: &Field, namespace: &str) -> Literal {
        let mut members = vec![("name", Literal::text(&field.name))];
        if !field.doc.is_empty() {
            members.push(("doc", Literal::text(&field.doc)));
        }
        members.push(("type", self.type_literal(field.node, namespace)));
        members.extend(field.default.clone().map(|default| ("default", default)));
        if field.order != Order::default() {
            members.push(("order", Literal::text(field.order.name())));
        }
        members.extend(aliases(&field.aliases));
        members.extend(name_in_data(field.original.as_deref()));
        if field.optional {
            members.push(("manywire.presence", Literal::text("optional")));
        }
        if field.rest {
            members.push(("manywire.rest", Literal::Boolean(true)));
        }
        Literal::object(members)
    }
}

/// Returns a reference to a type from within a namespace. A name without dots refers to the same
/// namespace.
fn reference(name: &FullName, namespace: &str) -> String {
    if name.namespace == namespace { name.name.clone() } else { name.to_string() }
}

fn names(name: &FullName, doc: &str, former: &[String], namespace: &str) -> Members {
    let mut members = vec![("name", Literal::text(&name.name))];
    if name.namespace != namespace {
        members.push(("namespace", Literal::text(&name.namespace)));
    }
    if !doc.is_empty() {
        members.push(("doc", Literal::text(doc)));
    }
    members.extend(aliases(former));
    members
}

/// Returns the name in the data, if the schema has another.
fn name_in_data(original: Option<&str>) -> Option<(&'static str, Literal)> {
    original.map(|name| ("manywire.name", Literal::text(name)))
}

/// Returns the aliases: valid Avro names as `aliases`, others as `manywire.aliases`.
fn aliases(aliases: &[String]) -> impl Iterator<Item = (&'static str, Literal)> {
    let is_alias = |alias: &&String| alias.split('.').all(is_name);
    let (valid, others): (Vec<&String>, Vec<&String>) = aliases.iter().partition(is_alias);
    [("aliases", valid), ("manywire.aliases", others)]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(key, names)| (key, Literal::Array(names.into_iter().map(Literal::text).collect())))
}

fn enumeration(symbols: &Enum, namespace: &str) -> Members {
    let mut members = names(&symbols.name, &symbols.doc, &symbols.aliases, namespace);
    members.extend(name_in_data(symbols.original.as_deref()));
    let all = |text: fn(&Symbol) -> &str| {
        Literal::Array(symbols.symbols.iter().map(|symbol| Literal::text(text(symbol))).collect())
    };
    members.push(("symbols", all(|symbol| &symbol.name)));
    if symbols.symbols.iter().any(|symbol| symbol.original.is_some()) {
        members.push(("manywire.symbols", all(Symbol::key)));
    }
    members.extend(symbols.default.as_ref().map(|default| ("default", Literal::text(default))));
    members
}

fn annotation(logical: &Logical) -> Members {
    let mut members = vec![("logicalType", Literal::text(&logical.name))];
    members.extend(logical.precision.map(|precision| ("precision", Literal::number(precision))));
    members.extend(logical.scale.map(|scale| ("scale", Literal::number(scale))));
    members
}

fn variant_of(variant: &VariantOf) -> Literal {
    let form = Literal::text(variant.form.name());
    let mut members = vec![("enum", Literal::text(&variant.sum)), ("form", form)];
    match &variant.tagging {
        Tagging::External => {}
        Tagging::Internal { tag } => members.push(("tag", Literal::text(&**tag))),
        Tagging::Adjacent { tag, content } => {
            members.push(("tag", Literal::text(&**tag)));
            members.push(("content", Literal::text(&**content)));
        }
    }
    Literal::object(members)
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
    let ty = schema.ty(id);
    let name = ty.name().map(|name| Literal::text(name.to_string()));
    if let Some(name) = &name
        && !written.insert(id)
    {
        return name.clone();
    }
    let content = match ty {
        Type::Union(branches) => {
            let branches = branches.iter().map(|&branch| canonical(schema, branch, written));
            return Literal::Array(branches.collect());
        }
        Type::Record(record) => {
            let fields = record.fields.iter().map(|field| {
                let ty = canonical(schema, field.node, written);
                Literal::object([("name", Literal::text(&field.name)), ("type", ty)])
            });
            ("fields", Literal::Array(fields.collect()))
        }
        Type::Enum(symbols) => {
            let names = symbols.symbols.iter().map(|symbol| Literal::text(&symbol.name));
            ("symbols", Literal::Array(names.collect()))
        }
        Type::Fixed(fixed) => ("size", Literal::number(fixed.size)),
        Type::Array(items) => ("items", canonical(schema, *items, written)),
        Type::Map(values) => ("values", canonical(schema, *values, written)),
        primitive => return Literal::text(primitive.keyword()),
    };
    let name = name.map(|name| ("name", name));
    Literal::object(name.into_iter().chain([("type", Literal::text(ty.keyword())), content]))
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
