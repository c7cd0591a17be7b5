//! Reads `enum`, `const`, `oneOf` and `anyOf`: enums that are tagged as serde tags variants, and
//! unions.

use manywire_shape::{Enum, Int, Literal, Node, NodeId, Tagging, VariantKind};

use super::object::{describes, owned, text, type_name, units, variant};
use super::{Reader, Result};
use crate::json::{Step, member, text_member};

impl<'l> Reader<'l> {
    /// Returns the node of a schema with a list of values or alternatives, or `None` if it has no
    /// list.
    pub(super) fn choice(&mut self, schema: &'l Literal, hint: &str) -> Result<Option<NodeId>> {
        if let Some(value) = member(schema, "const") {
            return self.values(std::slice::from_ref(value), schema, hint).map(Some);
        }
        if let Some(values) = self.listed(schema, "enum")? {
            return self.values(values, schema, hint).map(Some);
        }
        // Beside `properties`, alternatives only restrict which properties occur together.
        if member(schema, "properties").is_some() {
            return Ok(None);
        }
        for keyword in ["oneOf", "anyOf"] {
            if let Some(branches) = self.listed(schema, keyword)? {
                return self.alternatives(keyword, branches, schema, hint).map(Some);
            }
        }
        // Drafts before 2019-09 use an `allOf` of one schema to put keywords beside a reference.
        let parts = self.listed(schema, "allOf")?.unwrap_or_default();
        let Some((at, only)) = deciding(parts) else { return Ok(None) };
        let adds = adds_to_object(schema);
        if adds && member(only, "$ref").is_none() && is_object(only) {
            return Ok(None);
        }
        let node =
            self.within_keyword("allOf", Step::Index(at), |reader| reader.schema_node(only, hint))?;
        // A record that is still being read is the one that this schema is part of.
        let is_record = matches!(self.builder.node(node), Node::Record(_));
        let composes = adds && is_record && !self.builder.is_open(node);
        // A part that any value fits leaves the type to this schema.
        let is_any = *self.builder.node(node) == Node::Any && is_other(schema);
        Ok((!composes && !is_any).then_some(node))
    }

    /// Returns the node of several constants: an enum of names if they are text, else the union of
    /// their types.
    fn values(&mut self, values: &[Literal], schema: &Literal, hint: &str) -> Result<NodeId> {
        let names: Vec<&str> = values.iter().filter_map(text).collect();
        let mut branches = Vec::new();
        if !names.is_empty() {
            let doc = text_member(schema, "description").unwrap_or_default();
            branches.push(self.builder.add(Node::Enum(units(hint, doc, &names))));
        }
        for value in values {
            branches.push(match value {
                Literal::String(_) => continue,
                Literal::Null => self.builder.add(Node::Null),
                Literal::Boolean(_) => self.builder.add(Node::Bool),
                Literal::Number(text) if text.parse::<i64>().is_ok() => {
                    self.builder.add(Node::Int(Int::signed(64)))
                }
                Literal::Number(text) if text.parse::<u64>().is_ok() => {
                    self.builder.add(Node::Int(Int::unsigned(64)))
                }
                Literal::Number(_) => self.builder.add(Node::F64),
                Literal::Array(_) | Literal::Object(_) => self.builder.add(Node::Any),
            });
        }
        if branches.is_empty() {
            return Err(self.fault("`enum` is empty: expected at least one value"));
        }
        Ok(self.builder.union(&branches))
    }

    fn alternatives(
        &mut self,
        keyword: &str,
        branches: &'l [Literal],
        schema: &'l Literal,
        hint: &str,
    ) -> Result<NodeId> {
        if branches.is_empty() {
            return Err(self.bad_argument(keyword, "alternatives", &Literal::Array(Vec::new())));
        }
        let is_null = |branch: &Literal| text_member(branch, "type") == Some("null");
        let typed: Vec<(usize, &'l Literal)> =
            branches.iter().enumerate().filter(|(_, branch)| !is_null(branch)).collect();
        let mut nodes = Vec::new();
        if let Some(sum) = self.tagged(keyword, &typed, schema, hint)? {
            nodes.push(sum);
        } else {
            for (at, branch) in &typed {
                nodes.push(self.within_keyword(keyword, Step::Index(*at), |reader| {
                    reader.schema_node(branch, hint)
                })?);
            }
        }
        if typed.len() < branches.len() {
            nodes.push(self.builder.add(Node::Null));
        }
        Ok(self.builder.union(&nodes))
    }
}

/// One alternative: its index in the list, its name, and the property that has its content.
struct Branch<'l> {
    at: usize,
    name: &'l str,
    schema: &'l Literal,
    content: Option<&'l (String, Literal)>,
}

impl<'l> Reader<'l> {
    /// Returns the enum of alternatives that are all tagged in the same way, or `None`.
    fn tagged(
        &mut self,
        keyword: &str,
        branches: &[(usize, &'l Literal)],
        schema: &'l Literal,
        hint: &str,
    ) -> Result<Option<NodeId>> {
        let (tagging, branches) = if let Some(branches) = external(branches) {
            (Tagging::External, branches)
        } else if let Some((tag, branches)) = internal(branches) {
            match adjacent(tag, &branches) {
                Some((content, branches)) => {
                    let (tag, content) = (owned(tag), owned(content));
                    (Tagging::Adjacent { tag, content }, branches)
                }
                None => (Tagging::Internal { tag: owned(tag) }, branches),
            }
        } else {
            return Ok(None);
        };
        let mut variants = Vec::new();
        for branch in branches {
            let step = Step::Index(branch.at);
            let kind = self.within_keyword(keyword, step, |reader| match &tagging {
                Tagging::Internal { tag } => reader.tagged_record(&branch, tag),
                _ => reader.content(&branch),
            })?;
            let doc = text_member(branch.schema, "description").unwrap_or_default();
            variants.push(variant(branch.name, doc, kind));
        }
        let doc = owned(text_member(schema, "description").unwrap_or_default());
        let sum = Enum { name: type_name(hint), doc, tagging, variants };
        Ok(Some(self.builder.add(Node::Enum(sum))))
    }

    /// Returns the fields beside the tag.
    fn tagged_record(&mut self, branch: &Branch<'l>, tag: &str) -> Result<VariantKind> {
        let record = self.record_without(branch.schema, branch.name, Some(tag))?;
        if record.fields.is_empty() && record.rest.is_none() {
            return Ok(VariantKind::Unit);
        }
        Ok(VariantKind::Struct(self.builder.add(Node::Record(record))))
    }

    /// Returns the content of a variant with a separate key.
    fn content(&mut self, branch: &Branch<'l>) -> Result<VariantKind> {
        let Some((key, content)) = branch.content else { return Ok(VariantKind::Unit) };
        let node = self.within_keyword("properties", Step::Key(key.clone()), |reader| {
            reader.schema_node(content, branch.name)
        })?;
        let inline = member(content, "$ref").is_none();
        Ok(match self.builder.node(node).clone() {
            Node::Record(_) if inline => VariantKind::Struct(node),
            Node::Tuple(parts) if inline => VariantKind::Tuple(parts),
            _ => VariantKind::Newtype(node),
        })
    }
}

/// Returns the branches if each is a name alone or an object with one key.
fn external<'l>(branches: &[(usize, &'l Literal)]) -> Option<Vec<Branch<'l>>> {
    let branch = |(at, schema): &(usize, &'l Literal)| {
        let (at, schema) = (*at, *schema);
        if let Some(Literal::String(name)) = member(schema, "const") {
            return Some(Branch { at, name, schema, content: None });
        }
        let [property] = properties(schema)? else { return None };
        let (name, content) = property;
        let closed = member(schema, "additionalProperties") == Some(&Literal::Boolean(false));
        // A property with a constant text is a tag and not a name with content.
        let is_named = closed && required(schema, name) && member(content, "const").is_none();
        is_named.then_some(Branch { at, name, schema, content: Some(property) })
    };
    let branches: Option<Vec<Branch<'l>>> = branches.iter().map(branch).collect();
    distinct(branches?)
}

/// Returns the tag and the branches if all are objects with the same required property and
/// different constants in it.
fn internal<'l>(branches: &[(usize, &'l Literal)]) -> Option<(&'l str, Vec<Branch<'l>>)> {
    let (_, first) = branches.first()?;
    properties(first)?.iter().find_map(|(tag, _)| {
        let branch = |(at, schema): &(usize, &'l Literal)| {
            let schema = *schema;
            let (_, held) = properties(schema)?.iter().find(|(name, _)| name == tag)?;
            let name = text(member(held, "const")?).filter(|_| required(schema, tag))?;
            Some(Branch { at: *at, name, schema, content: None })
        };
        let branches: Option<Vec<Branch<'l>>> = branches.iter().map(branch).collect();
        Some((tag.as_str(), distinct(branches?)?))
    })
}

/// Returns the content key and the branches if all have at most one property beside the tag, with
/// the same key.
fn adjacent<'l>(tag: &str, branches: &[Branch<'l>]) -> Option<(&'l str, Vec<Branch<'l>>)> {
    let mut key = None;
    let mut found = Vec::new();
    for branch in branches {
        let mut others = properties(branch.schema)?.iter().filter(|(name, _)| name != tag);
        let content = match (others.next(), others.next()) {
            (None, _) => None,
            (Some(property), None) if required(branch.schema, &property.0) => {
                if *key.get_or_insert(property.0.as_str()) != property.0 {
                    return None;
                }
                Some(property)
            }
            _ => return None,
        };
        let Branch { at, name, schema, .. } = *branch;
        found.push(Branch { at, name, schema, content });
    }
    Some((key?, found))
}

fn distinct(branches: Vec<Branch<'_>>) -> Option<Vec<Branch<'_>>> {
    let mut names: Vec<&str> = branches.iter().map(|branch| branch.name).collect();
    names.sort_unstable();
    names.dedup();
    (!names.is_empty() && names.len() == branches.len()).then_some(branches)
}

fn properties(schema: &Literal) -> Option<&[(String, Literal)]> {
    match member(schema, "properties") {
        Some(Literal::Object(properties)) => Some(properties),
        _ => None,
    }
}

fn required(schema: &Literal, name: &str) -> bool {
    match member(schema, "required") {
        Some(Literal::Array(names)) => names.iter().any(|it| text(it) == Some(name)),
        _ => false,
    }
}

/// Returns whether the keywords of a schema change the object that a schema beside them describes.
fn adds_to_object(schema: &Literal) -> bool {
    let requires = |it: &Literal| matches!(it, Literal::Array(names) if !names.is_empty());
    member(schema, "required").is_some_and(requires)
        || member(schema, "additionalProperties").is_some_and(|it| *it != Literal::Boolean(false))
}

/// Returns the part of an `allOf` that alone decides the type of a value, with its index: the first
/// whose type is not an object, or the only one that describes a value.
fn deciding(parts: &[Literal]) -> Option<(usize, &Literal)> {
    let describing = || parts.iter().enumerate().filter(|(_, part)| describes(part));
    describing().find(|(_, part)| is_other(part)).or_else(|| {
        let mut describing = describing();
        describing.next().filter(|_| describing.next().is_none())
    })
}

/// Returns whether the type of a schema is not an object.
fn is_other(schema: &Literal) -> bool {
    text_member(schema, "type").is_some_and(|ty| ty != "object")
}

/// Returns whether a schema without a reference describes an object with properties.
fn is_object(schema: &Literal) -> bool {
    ["properties", "required"].iter().any(|key| member(schema, key).is_some())
}
