//! Reads objects: records from `properties` and composed schemas, and maps.

use std::collections::HashSet;

use manywire_shape::{
    Enum, Field, Int, Literal, Name, Node, NodeId, Presence, Record, Tagging, Variant, VariantKind,
};

use super::{Reader, Result};
use crate::json::{Step, member, text_member};

impl<'l> Reader<'l> {
    /// Returns a record or a map.
    pub(super) fn object(&mut self, schema: &'l Literal, hint: &str) -> Result<NodeId> {
        if ["properties", "required"].iter().any(|key| member(schema, key).is_some())
            || is_composed(schema)
            || member(schema, "additionalProperties") == Some(&Literal::Boolean(false))
                && member(schema, "patternProperties").is_none()
        {
            return self.record(schema, hint);
        }
        let key = self.key(schema)?;
        let mut values = self.unnamed(schema, hint)?;
        if values.is_empty() {
            values.push(self.builder.add(Node::Any));
        }
        let value = self.builder.union(&values);
        Ok(self.builder.add(Node::Map { key, value }))
    }

    /// Returns the nodes of the entries that are not named properties. A pattern whose schema is `false`
    /// forbids its entries.
    fn unnamed(&mut self, schema: &'l Literal, hint: &str) -> Result<Vec<NodeId>> {
        let mut nodes = Vec::new();
        for (pattern, value) in self.named(schema, "patternProperties")? {
            if *value == Literal::Boolean(false) {
                continue;
            }
            let step = Step::Key(pattern.clone());
            nodes.push(self.within_keyword("patternProperties", step, |reader| {
                reader.schema_node(value, hint)
            })?);
        }
        match member(schema, "additionalProperties") {
            None | Some(Literal::Boolean(false)) => {}
            Some(value) => {
                let step = Step::Key("additionalProperties".into());
                nodes.push(self.within(step, |reader| reader.schema_node(value, hint))?);
            }
        }
        Ok(nodes)
    }

    /// Returns the node of the keys of a map. Keys are text in JSON, but may be integers or
    /// booleans in other formats.
    fn key(&mut self, schema: &'l Literal) -> Result<NodeId> {
        let Some(names) = member(schema, "propertyNames") else {
            return Ok(self.builder.add(Node::Str));
        };
        let number = match text_member(names, "pattern") {
            Some("^-?[0-9]+$") => Some(Int::signed(64)),
            Some("^[0-9]+$") => Some(Int::unsigned(64)),
            _ => None,
        };
        if let Some(int) = number {
            return Ok(self.builder.add(Node::Int(int)));
        }
        let of_booleans = match member(names, "enum") {
            Some(Literal::Array(values)) => {
                values.iter().map(text).eq([Some("false"), Some("true")])
            }
            _ => false,
        };
        if of_booleans {
            return Ok(self.builder.add(Node::Bool));
        }
        let step = Step::Key("propertyNames".into());
        let key = self.within(step, |reader| reader.schema_node(names, "Key"))?;
        // Keywords that only restrict text (`pattern`) do not change the type.
        let limited = !matches!(self.builder.node(key), Node::Char | Node::Enum(_));
        Ok(if limited { self.builder.add(Node::Str) } else { key })
    }
}

/// Returns whether a schema has an `allOf` with a part that describes a value.
pub(super) fn is_composed(schema: &Literal) -> bool {
    matches!(member(schema, "allOf"), Some(Literal::Array(parts)) if parts.iter().any(describes))
}

/// The keywords that say what a value is. Other keywords only restrict a value, as `maxLength` does.
const DESCRIBING: [&str; 15] = [
    "$ref",
    "type",
    "enum",
    "const",
    "properties",
    "patternProperties",
    "additionalProperties",
    "required",
    "items",
    "prefixItems",
    "allOf",
    "anyOf",
    "oneOf",
    "then",
    "else",
];

/// Returns whether a schema says what a value is.
pub(super) fn describes(schema: &Literal) -> bool {
    match schema {
        Literal::Object(members) => {
            members.iter().any(|(key, _)| DESCRIBING.contains(&key.as_str()))
        }
        other => *other != Literal::Boolean(true),
    }
}

/// Moves each `$ref` that has keywords beside it into the last part of an `allOf`, which means the
/// same. Other parts of the schema stay as they are.
pub(super) fn compose_references(schema: &mut Literal) {
    match schema {
        Literal::Array(items) => items.iter_mut().for_each(compose_references),
        Literal::Object(members) => {
            members.iter_mut().for_each(|(_, value)| compose_references(value));
            let is_reference = |(key, value): &(String, Literal)| {
                key == "$ref" && matches!(value, Literal::String(_))
            };
            let is_beside = |member: &(String, Literal)| {
                !is_reference(member) && DESCRIBING.contains(&member.0.as_str())
            };
            let Some(at) = members.iter().position(is_reference) else { return };
            if !members.iter().any(is_beside) {
                return;
            }
            let reference = Literal::Object(vec![members.remove(at)]);
            match members.iter_mut().find(|(key, _)| key == "allOf") {
                Some((_, Literal::Array(parts))) => parts.push(reference),
                // The argument of this `allOf` is invalid, which is reported when it is read.
                Some(_) => {}
                None => members.push(("allOf".to_owned(), Literal::Array(vec![reference]))),
            }
        }
        _ => {}
    }
}

pub(super) fn owned(text: &str) -> Name {
    Name::Owned(text.to_owned())
}

pub(super) fn text(literal: &Literal) -> Option<&str> {
    match literal {
        Literal::String(text) => Some(text),
        _ => None,
    }
}

/// Returns an enum of these names without content.
pub(super) fn units(name: &str, doc: &str, names: &[&str]) -> Enum {
    let variants = names.iter().map(|name| variant(name, "", VariantKind::Unit)).collect();
    Enum { name: type_name(name), doc: owned(doc), tagging: Tagging::External, variants }
}

pub(super) fn variant(name: &str, doc: &str, kind: VariantKind) -> Variant {
    Variant { doc: owned(doc), ..Variant::new(owned(name), kind) }
}

/// Returns the name of a type from its title or key, in PascalCase.
pub(super) fn type_name(hint: &str) -> Name {
    let mut name = String::new();
    for word in hint.split(|c: char| !c.is_alphanumeric()) {
        let mut letters = word.chars();
        name.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        name.extend(letters);
    }
    Name::Owned(if name.is_empty() { "Record".to_owned() } else { name })
}

/// Returns the required names that are not the name of a field, in the order of the alphabet.
fn without_property(required: &HashSet<String>, fields: &[Field]) -> Vec<String> {
    let known: HashSet<&str> = fields.iter().map(|field| &*field.name).collect();
    let unknown = required.iter().filter(|name| !known.contains(name.as_str()));
    let mut unknown: Vec<String> = unknown.cloned().collect();
    unknown.sort_unstable();
    unknown
}

/// The fields collected so far.
#[derive(Default)]
struct CollectedFields {
    fields: Vec<Field>,
    required: HashSet<String>,
    rest: Option<NodeId>,
}

impl<'l> Reader<'l> {
    pub(super) fn record(&mut self, schema: &'l Literal, hint: &str) -> Result<NodeId> {
        let record = self.record_without(schema, hint, None)?;
        Ok(self.builder.add(Node::Record(record)))
    }

    /// Returns a record without one of its properties: the tag of a variant.
    pub(super) fn record_without(
        &mut self,
        schema: &'l Literal,
        hint: &str,
        tag: Option<&str>,
    ) -> Result<Record> {
        let mut collected = CollectedFields::default();
        self.collect(schema, hint, false, &mut collected)?;
        let CollectedFields { mut fields, required, rest } = collected;
        if rest.is_none() {
            for name in without_property(&required, &fields) {
                fields.push(Field::new(name, self.builder.add(Node::Any)));
            }
        }
        fields.retain(|field| tag != Some(&*field.name));
        for field in &mut fields {
            if required.contains(&*field.name) {
                field.presence = Presence::Required;
            }
        }
        let doc = text_member(schema, "description").unwrap_or_default();
        Ok(Record { name: type_name(hint), doc: owned(doc), fields, rest })
    }

    /// Adds the properties of a schema; those of an alternative are not required.
    fn collect(
        &mut self,
        schema: &'l Literal,
        hint: &str,
        alternative: bool,
        collected: &mut CollectedFields,
    ) -> Result<()> {
        for (name, property) in self.named(schema, "properties")? {
            self.within_keyword("properties", Step::Key(name.clone()), |reader| {
                reader.property(name, property, collected)
            })?;
        }
        for name in self.listed(schema, "required")?.unwrap_or_default() {
            match name {
                Literal::String(name) if !alternative => {
                    _ = collected.required.insert(name.clone())
                }
                Literal::String(_) => {}
                other => return Err(self.bad_argument("required", "names", other)),
            }
        }
        let unnamed = self.unnamed(schema, hint)?;
        if !unnamed.is_empty() {
            collected.rest = Some(self.builder.union(&unnamed));
        }
        for (keyword, alternative) in [("allOf", alternative), ("anyOf", true), ("oneOf", true)] {
            for (at, part) in self.listed(schema, keyword)?.unwrap_or_default().iter().enumerate() {
                self.within_keyword(keyword, Step::Index(at), |reader| {
                    reader.collect_part(part, hint, alternative, collected)
                })?;
            }
        }
        for keyword in ["then", "else"] {
            if let Some(part) = member(schema, keyword) {
                self.within(Step::Key(keyword.to_owned()), |reader| {
                    reader.collect_part(part, hint, true, collected)
                })?;
            }
        }
        Ok(())
    }

    /// Adds the properties of a schema that is part of another, directly or by reference.
    fn collect_part(
        &mut self,
        part: &'l Literal,
        hint: &str,
        alternative: bool,
        collected: &mut CollectedFields,
    ) -> Result<()> {
        if member(part, "$ref").is_none() {
            return self.nested(|reader| reader.collect(part, hint, alternative, collected));
        }
        let id = self.schema_node(part, hint)?;
        let (fields, rest) = match self.builder.node(id).clone() {
            Node::Record(record) => (record.fields, record.rest),
            // Objects of any properties add nothing to the properties beside them.
            Node::Map { value, .. } if *self.builder.node(value) == Node::Any => (Vec::new(), None),
            Node::Map { value, .. } => (Vec::new(), Some(value)),
            Node::Any => (Vec::new(), None),
            _ => return Err(self.fault("expected an object with properties to compose")),
        };
        if self.builder.is_open(id) {
            return Err(
                self.fault("expected an object, found a reference to the one it is part of")
            );
        }
        for field in fields {
            if field.presence == Presence::Required && !alternative {
                collected.required.insert(field.name.to_string());
            }
            self.add_field(Field { presence: Presence::Optional, ..field }, collected);
        }
        collected.rest = collected.rest.or(rest);
        Ok(())
    }

    fn property(
        &mut self,
        name: &str,
        schema: &'l Literal,
        collected: &mut CollectedFields,
    ) -> Result<()> {
        // A property with the schema `false` must be absent, so it is not a field.
        if *schema == Literal::Boolean(false) {
            return Ok(());
        }
        let node = self.schema_node(schema, name)?;
        let mut field = Field::new(name.to_owned(), node);
        field.presence = Presence::Optional;
        field.doc = owned(text_member(schema, "description").unwrap_or_default());
        self.add_field(field, collected);
        Ok(())
    }

    /// Adds a field, or merges it with an existing one. If one of the two has no type, the type of
    /// the other is used.
    fn add_field(&mut self, field: Field, collected: &mut CollectedFields) {
        let Some(known) = collected.fields.iter_mut().find(|known| known.name == field.name) else {
            return collected.fields.push(field);
        };
        let is_any = |id| matches!(self.builder.node(id), Node::Any);
        known.node = match (is_any(known.node), is_any(field.node)) {
            (true, _) => field.node,
            (_, true) => known.node,
            _ => self.builder.union(&[known.node, field.node]),
        };
    }
}
