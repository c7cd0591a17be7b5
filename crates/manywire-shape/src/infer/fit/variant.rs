use super::check::Fit;
use super::faults::Faults;
use super::record::absent;
use super::{Result, expected};
use crate::{Enum, Node, NodeId, Tagging, Value, Variant, VariantKind};

impl Fit<'_> {
    /// Tries a value against a sum type, tagged as serde tags it.
    pub(super) fn sum(self, id: NodeId, sum: &Enum, value: &Value<'_>, depth: usize) -> Result<()> {
        match (&sum.tagging, value) {
            (Tagging::External, Value::Str(name)) => {
                let variant = find(sum, name)?;
                match variant.kind {
                    VariantKind::Unit => Ok(()),
                    _ => Err(Faults::new(format!("the content of {name:?}"), "its name alone")),
                }
            }
            (Tagging::External, Value::Map([(key @ Value::Str(name), content)])) => {
                let variant = find(sum, name)?;
                self.content(variant, content, depth).map_err(|fault| fault.under(key))
            }
            (Tagging::Internal { tag }, Value::Map(entries)) => {
                let variant = find(sum, tag_of(tag, value)?)?;
                match variant.kind {
                    VariantKind::Unit | VariantKind::Tuple(_) => Ok(()),
                    VariantKind::Newtype(inner) | VariantKind::Struct(inner) => {
                        match self.shape.node(inner) {
                            Node::Record(record) => {
                                self.tagged_record(record, entries, Some(tag), depth)
                            }
                            _ => self.node(inner, value, depth + 1),
                        }
                    }
                }
            }
            (Tagging::Adjacent { tag, content }, Value::Map(_)) => {
                let variant = find(sum, tag_of(tag, value)?)?;
                match (value.get(content), &variant.kind) {
                    (None, VariantKind::Unit) => Ok(()),
                    (None, _) => Err(absent(content)),
                    (Some(held), _) => self
                        .content(variant, &held, depth)
                        .map_err(|fault| fault.under_key(content)),
                }
            }
            _ => Err(self.mismatch(id, value)),
        }
    }

    fn content(self, variant: &Variant, content: &Value<'_>, depth: usize) -> Result<()> {
        match (&variant.kind, content) {
            (VariantKind::Unit, Value::Null) => Ok(()),
            (VariantKind::Unit, _) => Err(Faults::new("null", expected::found(content))),
            (VariantKind::Newtype(inner) | VariantKind::Struct(inner), _) => {
                self.node(*inner, content, depth + 1)
            }
            (VariantKind::Tuple(parts), Value::Array(items)) => self.tuple(parts, items, depth + 1),
            (VariantKind::Tuple(_), _) => Err(Faults::new("an array", expected::found(content))),
        }
    }
}

fn find<'e>(sum: &'e Enum, name: &str) -> Result<&'e Variant> {
    let named = |variant: &&Variant| {
        variant.name == name || variant.aliases.iter().any(|alias| alias == name)
    };
    let unknown = || Faults::new(format!("a variant of {}", sum.name), format!("{name:?}"));
    sum.variants.iter().find(named).ok_or_else(unknown)
}

/// The tag of a value that is a map.
fn tag_of<'v>(tag: &str, value: &Value<'v>) -> Result<&'v str> {
    match value.get(tag) {
        Some(Value::Str(name)) => Ok(name),
        Some(other) => {
            Err(Faults::new("the name of a variant", expected::found(&other)).under_key(tag))
        }
        None => Err(absent(tag)),
    }
}
