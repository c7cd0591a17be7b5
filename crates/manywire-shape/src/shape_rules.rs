//! Checks the constraints of a shape for dynamic values.

use crate::fit::{fits_node, without_tag};
use crate::{
    Check, Constraints, Enum, Measured, Node, NodeId, Number, Record, Rule, Shape, Tagging, Value,
    VariantKind,
};

/// The compiled constraints of a shape, which check dynamic values.
#[derive(Clone, Debug)]
pub struct ShapeRules {
    /// The rules of each node that has any.
    rules: Vec<(NodeId, Rule)>,
}

impl ShapeRules {
    /// Compiles the constraints of a shape. Invalid constraints are left out:
    /// [`Shape::invalid_constraint`] finds them.
    pub fn new(shape: &Shape) -> ShapeRules {
        let rule = |(id, constraints): &(NodeId, Constraints)| {
            Rule::new(constraints.clone()).ok().map(|rule| (*id, rule))
        };
        let mut rules: Vec<_> = shape.constraints().iter().filter_map(rule).collect();
        rules.sort_by_key(|(id, _)| *id);
        ShapeRules { rules }
    }

    /// Checks a value that fits the shape ([`fits`](crate::fit::fits)).
    pub fn check(&self, shape: &Shape, value: &Value<'_>, check: &mut Check<'_>) {
        if !self.rules.is_empty() {
            Walk { shape, rules: &self.rules }.node(shape.root(), value, check);
        }
    }
}

#[derive(Clone, Copy)]
struct Walk<'s> {
    shape: &'s Shape,
    rules: &'s [(NodeId, Rule)],
}

impl Walk<'_> {
    fn node(self, id: NodeId, value: &Value<'_>, check: &mut Check<'_>) {
        if let Ok(at) = self.rules.binary_search_by_key(&id, |(known, _)| *known)
            && let (_, rule) = &self.rules[at]
            && let Some(measured) = measured(value)
        {
            check.measured(rule, &measured);
        }
        match (self.shape.node(id), value) {
            (Node::Option(_), Value::Null) => {}
            (Node::Option(inner), _) => self.node(*inner, value, check),
            (Node::Union(branches), _) => {
                let fits = |branch: &&NodeId| fits_node(self.shape, **branch, value);
                if let Some(branch) = branches.iter().find(fits) {
                    self.node(*branch, value, check);
                }
            }
            (Node::Array(array), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.node(array.item, item, &mut check.item(index));
                }
            }
            (Node::Tuple(parts), Value::Array(items)) => self.tuple(parts, items, check),
            (Node::Map { key, value }, Value::Map(entries)) => {
                for (name, content) in *entries {
                    let mut check = check.entry(name.key_text());
                    self.node(*key, name, &mut check);
                    self.node(*value, content, &mut check);
                }
            }
            (Node::Record(record), Value::Map(entries)) => {
                self.record(record, entries, None, check);
            }
            (Node::Enum(sum), _) => self.sum(sum, value, check),
            _ => {}
        }
    }

    fn tuple(self, parts: &[NodeId], items: &[Value<'_>], check: &mut Check<'_>) {
        for (index, (part, item)) in parts.iter().zip(items).enumerate() {
            self.node(*part, item, &mut check.item(index));
        }
    }

    /// Checks the entries of a record. `tag` is the key of the entry that names the variant, which
    /// is not among the other entries of the record.
    fn record(
        self,
        record: &Record,
        entries: &[(Value<'_>, Value<'_>)],
        tag: Option<&str>,
        check: &mut Check<'_>,
    ) {
        for (key, value) in entries {
            let Value::Str(name) = key else { continue };
            let field = record.fields.iter().find(|field| field.is_named(name));
            let rest = record.rest.filter(|_| tag != Some(*name));
            if let Some(node) = field.map(|field| field.node).or(rest) {
                self.node(node, value, &mut check.field(name));
            }
        }
    }

    /// Checks the content of an enum, tagged as serde tags it.
    fn sum(self, sum: &Enum, value: &Value<'_>, check: &mut Check<'_>) {
        let find = |name: &str| sum.variants.iter().find(|variant| variant.is_named(name));
        let tagged = |tag: &str| match value.get(tag) {
            Some(Value::Str(name)) => find(name),
            _ => None,
        };
        match (&sum.tagging, value) {
            (Tagging::External, Value::Map([(Value::Str(name), content)])) => {
                if let Some(variant) = find(name) {
                    self.content(&variant.kind, content, &mut check.field(name));
                }
            }
            (Tagging::Internal { tag }, Value::Map(entries)) => {
                let Some(variant) = tagged(tag) else { return };
                let (VariantKind::Newtype(inner) | VariantKind::Struct(inner)) = variant.kind
                else {
                    return;
                };
                match self.shape.node(inner) {
                    Node::Record(record) => self.record(record, entries, Some(tag), check),
                    _ => self.node(inner, &Value::Map(&without_tag(tag, entries)), check),
                }
            }
            (Tagging::Adjacent { tag, content }, _) => {
                if let (Some(variant), Some(inner)) = (tagged(tag), value.get(content)) {
                    self.content(&variant.kind, &inner, &mut check.field(content));
                }
            }
            _ => {}
        }
    }

    fn content(self, kind: &VariantKind, content: &Value<'_>, check: &mut Check<'_>) {
        match (kind, content) {
            (VariantKind::Newtype(inner) | VariantKind::Struct(inner), _) => {
                self.node(*inner, content, check);
            }
            (VariantKind::Tuple(parts), Value::Array(items)) => self.tuple(parts, items, check),
            (VariantKind::Unit | VariantKind::Tuple(_), _) => {}
        }
    }
}

/// Returns the property of a value that constraints are about.
fn measured<'v>(value: &Value<'v>) -> Option<Measured<'v>> {
    Some(match value {
        Value::Null => Measured::Absent,
        Value::I64(number) => Measured::Number(Number::from(*number)),
        Value::U64(number) => Measured::Number(Number::from(*number)),
        Value::Long(number) => Measured::Number(Number::from(*number)),
        Value::Number(text) => {
            let integer = text.parse().map(|number: i128| Number::from(number));
            let large = || text.parse().map(|number: u128| Number::from(number));
            let float = || text.parse().map(|number: f64| Number::from(number));
            Measured::Number(integer.or_else(|_| large()).ok().or_else(|| float().ok())?)
        }
        Value::F32(number) => Measured::Number(Number::from(*number)),
        Value::F64(number) => Measured::Number(Number::from(*number)),
        Value::Str(text) => Measured::Text(text),
        Value::Bytes(bytes) => Measured::Count { count: bytes.len(), unit: "byte" },
        Value::Array(items) => Measured::Count { count: items.len(), unit: "item" },
        Value::Map(entries) => Measured::Count { count: entries.len(), unit: "entry" },
        _ => return None,
    })
}
