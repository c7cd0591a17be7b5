use std::collections::HashSet;

use manywire_shape::{
    Enum, Field, Int, Literal, Name, Node, NodeId, Presence, Record, Tagging, Variant, VariantKind,
};

use super::{Reader, Result};
use crate::json::{Step, member, text_member};

impl<'l> Reader<'l> {
    /// A record or a map.
    pub(super) fn object(&mut self, schema: &'l Literal, hint: &str) -> Result<NodeId> {
        let composed = ["properties", "allOf", "required"];
        if composed.iter().any(|key| member(schema, key).is_some())
            || member(schema, "additionalProperties") == Some(&Literal::Boolean(false))
                && member(schema, "patternProperties").is_none()
        {
            return self.record(schema, hint);
        }
        let key = self.key(schema)?;
        let mut values = Vec::new();
        for (pattern, value) in self.named(schema, "patternProperties")? {
            let step = Step::Key(pattern.clone());
            values.push(
                self.within_both("patternProperties", step, |reader| reader.place(value, hint))?,
            );
        }
        match member(schema, "additionalProperties") {
            None if values.is_empty() => values.push(self.builder.add(Node::Any)),
            None | Some(Literal::Boolean(false)) => {}
            Some(value) => values.push(self.additional(value, hint)?),
        }
        let value = self.builder.union(&values);
        Ok(self.builder.add(Node::Map { key, value }))
    }

    /// The schema of entries that are no named property.
    pub(super) fn additional(&mut self, schema: &'l Literal, hint: &str) -> Result<NodeId> {
        self.within(Step::Key("additionalProperties".into()), |reader| reader.place(schema, hint))
    }

    /// The keys of a map, which are text in JSON whatever they are elsewhere.
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
        let key = self.within(step, |reader| reader.place(names, "Key"))?;
        // What limits text without giving it another shape (`pattern`) leaves it text.
        let limited = !matches!(self.builder.node(key), Node::Char | Node::Enum(_));
        Ok(if limited { self.builder.add(Node::Str) } else { key })
    }
}

pub(super) fn text(literal: &Literal) -> Option<&str> {
    match literal {
        Literal::String(text) => Some(text),
        _ => None,
    }
}

/// A sum type of these names and no content.
pub(super) fn units(name: &str, doc: &str, names: &[&str]) -> Enum {
    let variants = names.iter().map(|name| variant(name, "", VariantKind::Unit)).collect();
    Enum {
        name: type_name(name),
        doc: Name::Owned(doc.to_owned()),
        tagging: Tagging::External,
        variants,
    }
}

pub(super) fn variant(name: &str, doc: &str, kind: VariantKind) -> Variant {
    Variant {
        name: Name::Owned(name.to_owned()),
        aliases: Vec::new(),
        doc: Name::Owned(doc.to_owned()),
        kind,
        number: None,
    }
}

/// The name of a type after the title or the key it stands under, each word with a capital.
pub(super) fn type_name(hint: &str) -> Name {
    let mut name = String::new();
    for word in hint.split(|c: char| !c.is_alphanumeric()) {
        let mut letters = word.chars();
        name.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        name.extend(letters);
    }
    Name::Owned(if name.is_empty() { "Record".to_owned() } else { name })
}

/// Fields gathered so far.
#[derive(Default)]
pub(super) struct Gathered {
    fields: Vec<Field>,
    required: HashSet<String>,
    rest: Option<NodeId>,
}

impl<'l> Reader<'l> {
    pub(super) fn record(&mut self, schema: &'l Literal, hint: &str) -> Result<NodeId> {
        let record = self.record_without(schema, hint, None)?;
        Ok(self.builder.add(Node::Record(record)))
    }

    /// A record without one of its properties: the tag of a variant.
    pub(super) fn record_without(
        &mut self,
        schema: &'l Literal,
        hint: &str,
        tag: Option<&str>,
    ) -> Result<Record> {
        let mut gathered = Gathered::default();
        self.gather(schema, hint, false, &mut gathered)?;
        let Gathered { mut fields, required, rest } = gathered;
        fields.retain(|field| tag != Some(&*field.name));
        for field in &mut fields {
            if required.contains(&*field.name) {
                field.presence = Presence::Required;
            }
        }
        let doc = text_member(schema, "description").unwrap_or_default();
        Ok(Record { name: type_name(hint), doc: Name::Owned(doc.to_owned()), fields, rest })
    }

    /// Adds the properties of a schema; those of an alternative are not required.
    fn gather(
        &mut self,
        schema: &'l Literal,
        hint: &str,
        alternative: bool,
        gathered: &mut Gathered,
    ) -> Result<()> {
        for (name, property) in self.named(schema, "properties")? {
            self.within_both("properties", Step::Key(name.clone()), |reader| {
                reader.property(name, property, gathered)
            })?;
        }
        for name in self.listed(schema, "required")?.unwrap_or_default() {
            match name {
                Literal::String(name) if !alternative => _ = gathered.required.insert(name.clone()),
                Literal::String(_) => {}
                other => return Err(self.bad_argument("required", "names", other)),
            }
        }
        match member(schema, "additionalProperties") {
            None | Some(Literal::Boolean(false)) => {}
            Some(rest) => gathered.rest = Some(self.additional(rest, hint)?),
        }
        for (keyword, alternative) in [("allOf", alternative), ("anyOf", true), ("oneOf", true)] {
            for (at, part) in self.listed(schema, keyword)?.unwrap_or_default().iter().enumerate() {
                self.within_both(keyword, Step::Index(at), |reader| {
                    reader.gather_part(part, hint, alternative, gathered)
                })?;
            }
        }
        for keyword in ["then", "else"] {
            if let Some(part) = member(schema, keyword) {
                self.within(Step::Key(keyword.to_owned()), |reader| {
                    reader.gather_part(part, hint, true, gathered)
                })?;
            }
        }
        Ok(())
    }

    /// Adds the properties of a schema that another is composed of, which may be referred to.
    fn gather_part(
        &mut self,
        part: &'l Literal,
        hint: &str,
        alternative: bool,
        gathered: &mut Gathered,
    ) -> Result<()> {
        if member(part, "$ref").is_none() {
            self.depth += 1;
            if self.depth > super::DEPTH_MAX {
                return Err(self.fault("expected fewer levels of schemas"));
            }
            let result = self.gather(part, hint, alternative, gathered);
            self.depth -= 1;
            return result;
        }
        let id = self.place(part, hint)?;
        let Node::Record(record) = self.builder.node(id).clone() else {
            return Err(self.fault("expected an object with properties to compose"));
        };
        if self.builder.is_open(id) {
            return Err(
                self.fault("expected an object, found a reference to the one it is part of")
            );
        }
        for field in record.fields {
            if field.presence == Presence::Required && !alternative {
                gathered.required.insert(field.name.to_string());
            }
            self.add_field(Field { presence: Presence::Optional, ..field }, gathered);
        }
        gathered.rest = gathered.rest.or(record.rest);
        Ok(())
    }

    fn property(&mut self, name: &str, schema: &'l Literal, gathered: &mut Gathered) -> Result<()> {
        // A property that may never be there narrows what others say of it; it is no field.
        if *schema == Literal::Boolean(false) {
            return Ok(());
        }
        let node = self.place(schema, name)?;
        let mut field = Field::new(name.to_owned(), node);
        field.presence = Presence::Optional;
        field.doc = Name::Owned(text_member(schema, "description").unwrap_or_default().to_owned());
        self.add_field(field, gathered);
        Ok(())
    }

    /// Adds a field, or what another schema says of one that is there: where one of them says
    /// nothing of its type, the other counts.
    fn add_field(&mut self, field: Field, gathered: &mut Gathered) {
        let Some(known) = gathered.fields.iter_mut().find(|known| known.name == field.name) else {
            return gathered.fields.push(field);
        };
        let is_any = |id| matches!(self.builder.node(id), Node::Any);
        known.node = match (is_any(known.node), is_any(field.node)) {
            (true, _) => field.node,
            (_, true) => known.node,
            _ => self.builder.union(&[known.node, field.node]),
        };
    }
}
