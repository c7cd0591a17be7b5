//! What a field is to Protocol Buffers, and whether old bytes hold a new type.

use std::fmt;

use manywire_shape::proto::{Field, Form, Kind, Label, Message, Schema};

/// A field's type, in words of its own schema.
pub(crate) struct Place<'s> {
    pub(crate) schema: &'s Schema,
    pub(crate) kind: Kind,
    pub(crate) repeated: bool,
}

impl<'s> Place<'s> {
    pub(crate) fn of(schema: &'s Schema, field: &Field) -> Self {
        let repeated = matches!(field.label, Label::Repeated | Label::Packed);
        Place { schema, kind: field.kind, repeated }
    }

    /// The message that stands for the entries of a `map`.
    pub(crate) fn entry(&self) -> Option<&'s Message> {
        match self.kind {
            Kind::Message(index) => Some(&self.schema.messages[index])
                .filter(|message| message.form == Form::Entry { native: true }),
            _ => None,
        }
    }
}

/// Whether whoever reads the new type reads what the old one wrote: the same type by name, or a
/// wider integer of the same encoding.
pub(super) fn holds(old: &Place<'_>, new: &Place<'_>) -> bool {
    match (old.entry(), new.entry()) {
        (Some(left), Some(right)) => left.fields.iter().zip(&right.fields).all(|(left, right)| {
            holds(&Place::of(old.schema, left), &Place::of(new.schema, right))
        }),
        (None, None) => old.repeated == new.repeated && holds_kind(old, new),
        _ => false,
    }
}

/// The same for formats whose integers are of one encoding, signed or not: Avro, MessagePack.
pub(super) fn holds_in_place(old: &Place<'_>, new: &Place<'_>) -> bool {
    holds(&one_encoding(old), &one_encoding(new))
}

fn one_encoding<'s>(place: &Place<'s>) -> Place<'s> {
    let kind = match place.kind {
        Kind::Sint32 | Kind::Uint32 => Kind::Int32,
        Kind::Sint64 | Kind::Uint64 => Kind::Int64,
        kind => kind,
    };
    Place { kind, ..*place }
}

fn holds_kind(old: &Place<'_>, new: &Place<'_>) -> bool {
    match (plain(old.kind), plain(new.kind)) {
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

/// Numbers as decimal text are text to Protocol Buffers.
pub(crate) fn plain(kind: Kind) -> Kind {
    match kind {
        Kind::BigInt | Kind::Number => Kind::String,
        kind => kind,
    }
}

/// The type as a `.proto` writes it.
impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some([key, value]) = self.entry().and_then(|it| it.fields.first_chunk()) {
            let [key, value] = [key, value].map(|field| Place::of(self.schema, field));
            return write!(f, "map<{key}, {value}>");
        }
        if self.repeated {
            f.write_str("repeated ")?;
        }
        match plain(self.kind) {
            Kind::Message(index) => f.write_str(&self.schema.messages[index].name),
            Kind::Enum(index) => f.write_str(&self.schema.enums[index].name),
            scalar => f.write_str(&format!("{scalar:?}").to_lowercase()),
        }
    }
}
