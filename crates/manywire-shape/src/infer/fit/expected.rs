//! The two halves of a misfit's message.

use super::check::Fit;
use super::faults::Faults;
use crate::{Int, Node, NodeId, Value};

/// Longer numbers and texts are cut, in characters.
const FOUND_CHARS_MAX: usize = 40;

impl Fit<'_> {
    #[cold]
    pub(super) fn mismatch(self, id: NodeId, value: &Value<'_>) -> Box<Faults> {
        Faults::new(self.expected(id), found(value))
    }

    /// What a node calls for, in words.
    #[cold]
    pub(super) fn expected(self, id: NodeId) -> String {
        match self.shape.node(id) {
            Node::Option(inner) => format!("{} or null", self.word(*inner)),
            Node::Union(branches) => {
                let words: Vec<String> = branches.iter().map(|id| self.word(*id)).collect();
                words.join(" or ")
            }
            _ => self.word(id),
        }
    }

    /// What a node calls for, without looking into it: types may contain themselves.
    fn word(self, id: NodeId) -> String {
        let word = match self.shape.node(id) {
            Node::Null => "null",
            Node::Bool => "a boolean",
            Node::Int(Int { signed, bits, .. }) => {
                let sign = if *signed { "a signed" } else { "an unsigned" };
                return format!("{sign} integer of {bits} bits");
            }
            Node::F32 => "a 32-bit float",
            Node::F64 => "a float",
            Node::Char => "a single character",
            Node::Str => "a string",
            Node::Bytes => "bytes",
            Node::Timestamp => "a timestamp",
            Node::Any => "any value",
            Node::Option(_) => "null",
            Node::Array(_) | Node::Tuple(_) => "an array",
            Node::Map { .. } => "a map",
            Node::Union(_) => "one of several",
            Node::Record(record) => return format!("the record {}", record.name),
            Node::Enum(sum) => return format!("a variant of {}", sum.name),
        };
        word.to_owned()
    }
}

/// What a value is, in words: its kind, and the value where it is short.
#[cold]
pub(super) fn found(value: &Value<'_>) -> String {
    let cut = |text: &str| -> String { text.chars().take(FOUND_CHARS_MAX).collect() };
    match value {
        Value::Bool(value) => value.to_string(),
        Value::I64(value) => format!("the integer {value}"),
        Value::U64(value) => format!("the integer {value}"),
        Value::Number(text) => format!("the number {}", cut(text)),
        Value::F32(value) => format!("the float {value:?}"),
        Value::F64(value) => format!("the float {value:?}"),
        Value::Str(text) if text.len() <= FOUND_CHARS_MAX => format!("the string {text:?}"),
        other => other.kind().to_owned(),
    }
}
