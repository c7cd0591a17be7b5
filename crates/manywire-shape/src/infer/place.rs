use super::counts::Counts;
use super::entries::Entries;
use super::evidence::Example;
use super::kind::Kind;
use crate::Value;

/// One place of the samples: what was seen there, and the places below.
#[derive(Debug, Default)]
pub(super) struct Place {
    pub(super) counts: Counts,
    /// The first of each kind.
    pub(super) examples: Vec<Example>,
    pub(super) item: Option<Box<Place>>,
    pub(super) entries: Option<Box<Entries>>,
}

impl Place {
    /// Counts a value that holds no others; the containers are counted by their walk.
    #[inline]
    pub(super) fn add_scalar(&mut self, value: &Value<'_>, sample: u64) {
        let counts = &mut self.counts;
        let kind = match *value {
            Value::Str(text) => {
                counts.text.count(text.len());
                Kind::Str
            }
            Value::I64(number) => {
                counts.ints.count(number);
                Kind::Int
            }
            Value::F64(_) => Kind::F64,
            Value::Bool(_) => Kind::Bool,
            Value::Null => Kind::Null,
            Value::U64(number) => {
                counts.ints.count_unsigned(number);
                Kind::Int
            }
            Value::F32(_) => Kind::F32,
            Value::Bytes(bytes) => {
                counts.bytes.count(bytes.len());
                Kind::Bytes
            }
            Value::Number(_) => Kind::Number,
            Value::Timestamp(_) => Kind::Timestamp,
            Value::Ext(_) => Kind::Ext,
            Value::Array(_) => Kind::Array,
            Value::Map(_) => Kind::Map,
        };
        if counts.bump(kind) {
            self.keep_example(kind, sample, value);
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn keep_example(&mut self, kind: Kind, sample: u64, value: &Value<'_>) {
        self.examples.push(Example::new(kind, sample, value));
    }
}
