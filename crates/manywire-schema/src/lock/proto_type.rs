//! The type of a field in Protocol Buffers, and whether old bytes are valid for a new type.

use std::fmt;

use manywire_shape::proto::{Field, Kind, Message, Schema};

/// The type of a field, with the schema that its indexes refer to.
pub(crate) struct FieldType<'s> {
    pub(crate) schema: &'s Schema,
    pub(crate) kind: Kind,
    pub(crate) repeated: bool,
}

impl<'s> FieldType<'s> {
    pub(crate) fn of(schema: &'s Schema, field: &Field) -> Self {
        FieldType { schema, kind: field.kind, repeated: field.label.is_repeated() }
    }

    /// Returns the message of the entries of a `map`.
    pub(crate) fn entry(&self) -> Option<&'s Message> {
        self.schema.map_entry(self.kind)
    }
}

/// Returns whether readers of the new type read the bytes of the old type: the two types have the
/// same name, or the new type is a wider integer with the same encoding.
pub(super) fn reads(old: &FieldType<'_>, new: &FieldType<'_>) -> bool {
    match (old.entry(), new.entry()) {
        (Some(left), Some(right)) => left.fields.iter().zip(&right.fields).all(|(left, right)| {
            reads(&FieldType::of(old.schema, left), &FieldType::of(new.schema, right))
        }),
        (None, None) => old.repeated == new.repeated && reads_kind(old, new),
        _ => false,
    }
}

/// Returns whether readers of the new type read the bytes of the old type in formats that encode
/// signed and unsigned integers alike: Avro and MessagePack.
pub(super) fn reads_without_tags(old: &FieldType<'_>, new: &FieldType<'_>) -> bool {
    reads(&one_encoding(old), &one_encoding(new))
}

fn one_encoding<'s>(place: &FieldType<'s>) -> FieldType<'s> {
    let kind = match place.kind {
        Kind::Sint32 | Kind::Uint32 => Kind::Int32,
        Kind::Sint64 | Kind::Uint64 => Kind::Int64,
        kind => kind,
    };
    FieldType { kind, ..*place }
}

fn reads_kind(old: &FieldType<'_>, new: &FieldType<'_>) -> bool {
    match (old.kind.declared(), new.kind.declared()) {
        (Kind::Int32, Kind::Int64)
        | (Kind::Uint32, Kind::Uint64)
        | (Kind::Sint32, Kind::Sint64) => true,
        (Kind::Message(left), Kind::Message(right)) => {
            old.schema.messages[left].name == new.schema.messages[right].name
        }
        (Kind::Enum(left), Kind::Enum(right)) => {
            old.schema.enums[left].name == new.schema.enums[right].name
        }
        (left, right) => left == right,
    }
}

/// Writes the type in the syntax of `.proto`.
impl fmt::Display for FieldType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some([key, value]) = self.entry().and_then(|it| it.fields.first_chunk()) {
            let [key, value] = [key, value].map(|field| FieldType::of(self.schema, field));
            return write!(f, "map<{key}, {value}>");
        }
        if self.repeated {
            f.write_str("repeated ")?;
        }
        f.write_str(self.schema.type_name(self.kind))
    }
}
