/// The kinds of value that inference tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Null.
    Null,
    /// A boolean.
    Bool,
    /// An integer of at most 64 bits.
    Int,
    /// A number beyond 64 bits.
    Number,
    /// A 32-bit float.
    F32,
    /// A 64-bit float.
    F64,
    /// Text.
    Str,
    /// Bytes.
    Bytes,
    /// A point in time.
    Timestamp,
    /// A value of one format's own.
    Ext,
    /// An array.
    Array,
    /// An object: a record or a map.
    Map,
}

impl Kind {
    /// How many kinds there are.
    pub(super) const COUNT: usize = 12;

    /// Every kind, in order.
    pub const ALL: [Kind; Kind::COUNT] = [
        Kind::Null,
        Kind::Bool,
        Kind::Int,
        Kind::Number,
        Kind::F32,
        Kind::F64,
        Kind::Str,
        Kind::Bytes,
        Kind::Timestamp,
        Kind::Ext,
        Kind::Array,
        Kind::Map,
    ];

    /// The kind in a word, for messages.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bool => "boolean",
            Kind::Int => "integer",
            Kind::Number => "number beyond 64 bits",
            Kind::F32 => "32-bit float",
            Kind::F64 => "float",
            Kind::Str => "string",
            Kind::Bytes => "bytes",
            Kind::Timestamp => "timestamp",
            Kind::Ext => "extension",
            Kind::Array => "array",
            Kind::Map => "object",
        }
    }
}
