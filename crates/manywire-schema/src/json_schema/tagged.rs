//! Alternatives that say which one they are, as serde writes the variants of a sum type.

use manywire_shape::{Enum, Literal, Name, Node, NodeId, Tagging, VariantKind};

use super::object::{text, type_name, variant};
use super::{Reader, Result};
use crate::json::{Step, member, text_member};

/// One alternative: its place in the list, its name, where its content stands.
struct Branch<'l> {
    at: usize,
    name: &'l str,
    schema: &'l Literal,
    content: Option<(Vec<Step>, &'l Literal)>,
}

impl<'l> Reader<'l> {
    /// The sum type of alternatives that are all tagged in one way; none if they are not.
    pub(super) fn tagged(
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
            let kind = self.within_both(keyword, step, |reader| match &tagging {
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

    /// The fields beside the tag.
    fn tagged_record(&mut self, branch: &Branch<'l>, tag: &str) -> Result<VariantKind> {
        let record = self.record_without(branch.schema, branch.name, Some(tag))?;
        if record.fields.is_empty() && record.rest.is_none() {
            return Ok(VariantKind::Unit);
        }
        Ok(VariantKind::Struct(self.builder.add(Node::Record(record))))
    }

    /// The content under a key of its own.
    fn content(&mut self, branch: &Branch<'l>) -> Result<VariantKind> {
        let Some((steps, content)) = &branch.content else { return Ok(VariantKind::Unit) };
        let outer = self.path.len();
        self.path.extend(steps.iter().cloned());
        let node = self.place(content, branch.name)?;
        self.path.truncate(outer);
        let inline = member(content, "$ref").is_none();
        Ok(match self.builder.node(node).clone() {
            Node::Record(_) if inline => VariantKind::Struct(node),
            Node::Tuple(parts) if inline => VariantKind::Tuple(parts),
            _ => VariantKind::Newtype(node),
        })
    }
}

fn owned(text: &str) -> Name {
    Name::Owned(text.to_owned())
}

/// Alternatives that are a bare name each, or an object of one key.
fn external<'l>(branches: &[(usize, &'l Literal)]) -> Option<Vec<Branch<'l>>> {
    let branch = |(at, schema): &(usize, &'l Literal)| {
        let (at, schema) = (*at, *schema);
        if let Some(Literal::String(name)) = member(schema, "const") {
            return Some(Branch { at, name, schema, content: None });
        }
        let [(name, content)] = properties(schema)? else { return None };
        let closed = member(schema, "additionalProperties") == Some(&Literal::Boolean(false));
        // A property that can only be one text is a tag, not a name with content.
        (closed && required(schema, name) && member(content, "const").is_none()).then(|| {
            let steps = vec![Step::Key("properties".into()), Step::Key(name.clone())];
            Branch { at, name, schema, content: Some((steps, content)) }
        })
    };
    let branches: Option<Vec<Branch<'l>>> = branches.iter().map(branch).collect();
    distinct(branches?)
}

/// Objects that all have one required property which is a constant, each another.
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

/// Tagged objects with at most one property beside the tag, always under the same key.
fn adjacent<'l>(tag: &str, branches: &[Branch<'l>]) -> Option<(&'l str, Vec<Branch<'l>>)> {
    let mut key = None;
    let mut found = Vec::new();
    for branch in branches {
        let mut others = properties(branch.schema)?.iter().filter(|(name, _)| name != tag);
        let content = match (others.next(), others.next()) {
            (None, _) => None,
            (Some((name, schema)), None) if required(branch.schema, name) => {
                if *key.get_or_insert(name.as_str()) != name {
                    return None;
                }
                Some((vec![Step::Key("properties".into()), Step::Key(name.clone())], schema))
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
