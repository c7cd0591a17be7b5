use manywire_shape::{Enum, Int, Literal, Name, Node, NodeId, Tagging, Variant, VariantKind};

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
