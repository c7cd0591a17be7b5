//! The type of a field in Protocol Buffers, and whether old bytes are valid for a new type.

use std::fmt;

use manywire_shape::proto::{Field, Kind, Label, Message, Schema};

/// The type of a field, with the schema that its indexes refer to.
pub(crate) struct FieldType<'s> {
    pub(crate) schema: &'s Schema,
    pub(crate) kind: Kind,
    pub(crate) repeated: bool,
    /// True if the message is written between two tags, as a group is.
    delimited: bool,
}

/// The fields of the entries of a map.
pub(crate) struct EntryFields<'s> {
    /// The key and the value.
    pub(crate) both: [&'s Field; 2],
    /// The other fields of a repeated message.
    pub(crate) others: Vec<&'s Field>,
}

impl<'s> FieldType<'s> {
    pub(crate) fn of(schema: &'s Schema, field: &Field) -> Self {
        let Field { kind, label, delimited, .. } = *field;
        FieldType { schema, kind, repeated: label.is_repeated(), delimited }
    }

    /// Returns the message of the entries of a `map`.
    pub(crate) fn entry(&self) -> Option<&'s Message> {
        self.schema.map_entry(self.kind)
    }

    /// Returns the fields of the entries, if the field has the bytes of a `map`: a `map`, or a
    /// repeated message whose fields 1 and 2 are like those of a map's entry. Readers of a `map`
    /// skip other fields.
    pub(crate) fn entry_fields(&self) -> Option<EntryFields<'s>> {
        let Kind::Message(index) = self.kind else { return None };
        let message = &self.schema.messages[index];
        let find = |number: u32| message.fields.iter().find(|field| field.number == number);
        let both = [find(1)?, find(2)?];
        let others = message.fields.iter().filter(|field| field.number > 2).collect();
        // The entries of a `map` need not have their key and value, and never have them as groups.
        let is_plain = |part: &Field| {
            matches!(part.label, Label::Singular | Label::Optional)
                && part.oneof.is_none()
                && !part.required
                && !part.delimited
        };
        let is_list_of_entries = self.repeated && !self.delimited && both.into_iter().all(is_plain);
        (self.entry().is_some() || is_list_of_entries).then_some(EntryFields { both, others })
    }
}

/// Returns whether readers of the new type read the bytes of the old type: the two types have the
/// same name, the new type is a wider integer with the same encoding, or a map became a list of its
/// entries.
pub(super) fn reads(old: &FieldType<'_>, new: &FieldType<'_>) -> bool {
    is_alike(old, new) || is_list_of_entries(old, new)
}

fn is_alike(old: &FieldType<'_>, new: &FieldType<'_>) -> bool {
    match (old.entry(), new.entry()) {
        (Some(left), Some(right)) => left.fields.iter().zip(&right.fields).all(|(left, right)| {
            is_alike(&FieldType::of(old.schema, left), &FieldType::of(new.schema, right))
        }),
        (None, None) => old.repeated == new.repeated && reads_kind(old, new),
        _ => false,
    }
}

/// Returns whether a map became a list of its entries, which have the same bytes (Protocol Buffers,
/// "Maps: Backward compatibility"). A list may have a key twice, so a map does not read a list.
fn is_list_of_entries(old: &FieldType<'_>, new: &FieldType<'_>) -> bool {
    let (Some(left), None) = (old.entry(), new.entry()) else { return false };
    let Some(EntryFields { both, others }) = new.entry_fields() else { return false };
    // The lock renumbers the fields of a message that it has.
    let name = new.schema.type_name(new.kind);
    let known = old.schema.messages.iter().find(|it| it.is_declared() && it.name == name);
    let keeps_number = |field: &Field| {
        known.is_none_or(|message| {
            let mut same = message.fields.iter().filter(|it| it.proto_name == field.proto_name);
            same.any(|it| it.number == field.number)
        })
    };
    others.iter().all(|field| !field.required)
        && left.fields.iter().zip(both).all(|(left, right)| {
            let (old, new) = (FieldType::of(old.schema, left), FieldType::of(new.schema, right));
            is_alike(&old, &new) && keeps_number(right)
        })
}

/// Returns whether readers of the new type read the bytes of the old type in formats that encode
/// signed and unsigned integers alike: Avro and MessagePack.
pub(super) fn reads_without_tags(old: &FieldType<'_>, new: &FieldType<'_>) -> bool {
    is_alike(&one_encoding(old), &one_encoding(new))
}

fn one_encoding<'s>(place: &FieldType<'s>) -> FieldType<'s> {
    let kind = match place.kind {
        Kind::Sint32 | Kind::Uint32 => Kind::Int32,
        Kind::Sint64 | Kind::Uint64 => Kind::Int64,
        kind => kind,
    };
    FieldType { kind, delimited: false, ..*place }
}

fn reads_kind(old: &FieldType<'_>, new: &FieldType<'_>) -> bool {
    match (old.kind.declared(), new.kind.declared()) {
        (Kind::Int32, Kind::Int64)
        | (Kind::Uint32, Kind::Uint64)
        | (Kind::Sint32, Kind::Sint64) => true,
        (Kind::Message(left), Kind::Message(right)) => {
            old.delimited == new.delimited
                && old.schema.messages[left].name == new.schema.messages[right].name
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
        if self.delimited {
            f.write_str("group ")?;
        }
        f.write_str(&self.schema.type_name(self.kind))
    }
}
