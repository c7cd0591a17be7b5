//! Values whose type is known only at run time.

mod copy;
mod de;
mod eq;
mod ser;
mod timestamp;

pub use de::ValueSeed;
pub use timestamp::Timestamp;

/// A dynamic value: everything that any of our formats can say.
///
/// A handle of 24 bytes. Text, bytes, items and entries are borrowed from the input or from an
/// [`Arena`](crate::Arena), so a value is `Copy`, a whole document costs a handful of allocations,
/// and dropping one costs nothing.
///
/// Integers that fit an `i64` are always `I64`, whatever width they had on the wire; build them
/// with [`Value::from`] to keep it so. Entries of a map stand in the order of the input, keys may
/// be any value, and duplicates are kept.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer within `i64`.
    I64(i64),
    /// An integer above `i64::MAX`.
    U64(u64),
    /// A decimal integer or fraction that no 64-bit type holds exactly, as text in JSON's grammar.
    Number(&'a str),
    /// A 32-bit float.
    F32(f32),
    /// A 64-bit float.
    F64(f64),
    /// Text.
    Str(&'a str),
    /// Bytes.
    Bytes(&'a [u8]),
    /// Items in order.
    Array(&'a [Value<'a>]),
    /// Entries in order, keys of any kind.
    Map(&'a [(Value<'a>, Value<'a>)]),
    /// A point in time.
    Timestamp(Timestamp),
    /// What only one format can say.
    Ext(&'a Ext<'a>),
}

/// A value that belongs to one format: an extension type, a tag, a special type.
#[derive(Clone, Copy, Debug)]
pub struct Ext<'a> {
    /// Whose it is.
    pub space: Space,
    /// Which one: a MessagePack type (an `i8` in two's complement, so `-5` is `-5i8 as u64`), a
    /// CBOR tag or simple value, a BSON element type.
    pub code: u64,
    /// What it carries: bytes for MessagePack, any value for a CBOR tag, null for a CBOR simple
    /// value, and for BSON what the type calls for.
    pub content: Value<'a>,
}

/// The formats that have values of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Extension types of MessagePack.
    MessagePack,
    /// Tags of CBOR (RFC 8949, section 3.4).
    CborTag,
    /// Simple values of CBOR other than false, true, null and floats (section 3.3).
    CborSimple,
    /// Element types of BSON that no other variant of [`Value`] covers.
    Bson,
}

impl From<u64> for Value<'_> {
    fn from(number: u64) -> Self {
        i64::try_from(number).map_or(Value::U64(number), Value::I64)
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Value::I64(number)
    }
}

impl<'a> Value<'a> {
    /// The entry of a map whose key is this text; of duplicates the last, as JSON readers do.
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        let Value::Map(entries) = self else { return None };
        entries
            .iter()
            .rev()
            .find(|(name, _)| matches!(name, Value::Str(text) if *text == key))
            .map(|entry| entry.1)
    }

    /// What kind of value this is, in a word for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::I64(_) | Value::U64(_) => "an integer",
            Value::Number(_) => "a number beyond 64 bits",
            Value::F32(_) | Value::F64(_) => "a float",
            Value::Str(_) => "a string",
            Value::Bytes(_) => "bytes",
            Value::Array(_) => "an array",
            Value::Map(_) => "a map",
            Value::Timestamp(_) => "a timestamp",
            Value::Ext(_) => "an extension",
        }
    }
}
