//! Marks: reserved names that tell a reader of the `.proto` alone which values its messages
//! represent.
//!
//! A `.proto` has messages and absent fields where a value has lists in lists, unions, nulls, and
//! maps with keys of any type. A reader that has the [`Schema`] of a [`Shape`](crate::Shape)
//! recognises these values by the [`Form`] of a message. A reader that has only the text recognises
//! them by the marks. Every compiler of Protocol Buffers accepts reserved names, and descriptor sets
//! keep them. A custom option would be an extension with a number, which only one file of a Go
//! program may declare.

use super::schema::{Absent, Field, Form, Kind, Message, Schema};

/// The mark of the message of the whole value, which a reader could not tell from the others: another
/// message refers to it, too.
pub const ROOT_MARK: &str = "manywire_root";

/// A mark of a message that does not represent a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageMark {
    /// The value of the only field ([`Form::Wrapper`]).
    Transparent,
    /// The value of the only field, or null if it is absent ([`Form::Wrapper`]).
    Nullable,
    /// The value of the field that is set ([`Form::Union`]).
    Union,
    /// An entry of a map whose keys `map<K, V>` cannot have ([`Form::Entry`]).
    Entry,
}

impl MessageMark {
    /// All marks of messages.
    pub const ALL: [MessageMark; 4] =
        [MessageMark::Transparent, MessageMark::Nullable, MessageMark::Union, MessageMark::Entry];

    /// Returns the reserved name.
    pub fn name(self) -> &'static str {
        match self {
            MessageMark::Transparent => "manywire_transparent",
            MessageMark::Nullable => "manywire_nullable",
            MessageMark::Union => "manywire_union",
            MessageMark::Entry => "manywire_entry",
        }
    }

    fn of(message: &Message) -> Option<MessageMark> {
        match (&message.form, &message.fields[..]) {
            (Form::Wrapper, [only]) if only.nullable => Some(MessageMark::Nullable),
            (Form::Wrapper, _) => Some(MessageMark::Transparent),
            (Form::Union, _) => Some(MessageMark::Union),
            (Form::Entry { native: false }, _) => Some(MessageMark::Entry),
            _ => None,
        }
    }
}

/// A mark of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldMark {
    /// Absence means null.
    Null,
    /// A list or map without items is absent, not empty.
    Optional,
    /// The text is an integer in decimal ([`Kind::BigInt`]).
    Integer,
    /// The text is a number in decimal ([`Kind::Number`]).
    Number,
}

impl FieldMark {
    /// All marks of fields.
    pub const ALL: [FieldMark; 4] =
        [FieldMark::Null, FieldMark::Optional, FieldMark::Integer, FieldMark::Number];

    /// Returns the name that is reserved in the message of a field.
    pub fn name(self, field: &Field) -> String {
        let word = match self {
            FieldMark::Null => "null",
            FieldMark::Optional => "optional",
            FieldMark::Integer => "integer",
            FieldMark::Number => "number",
        };
        format!("manywire_{word}_{}", field.proto_name)
    }

    /// Returns whether a field has the mark. `kind` is the type of the field's values, or of the
    /// values of its entries if it is a map. `is_record` is true if the message represents a
    /// record.
    fn is_on(self, field: &Field, kind: Kind, is_record: bool) -> bool {
        let is_repeated = field.label.is_repeated();
        match self {
            FieldMark::Null => is_record && field.nullable && field.absent == Absent::Null,
            FieldMark::Optional => is_record && is_repeated && field.absent == Absent::Missing,
            FieldMark::Integer => kind == Kind::BigInt,
            FieldMark::Number => kind == Kind::Number,
        }
    }
}

impl Schema {
    /// Adds the marks of every message and field, for a `.proto` whose readers must restore the
    /// original values.
    pub fn with_marks(mut self) -> Schema {
        let marks: Vec<Vec<String>> =
            self.messages.iter().map(|message| self.marks_of(message)).collect();
        for (message, marks) in self.messages.iter_mut().zip(marks) {
            message.reserved.names.extend(marks);
        }
        if self.refers_to_root() {
            self.messages[self.root].reserved.names.push(ROOT_MARK.to_owned());
        }
        self
    }

    /// Returns whether a message other than the root refers to the root.
    fn refers_to_root(&self) -> bool {
        let others = self.messages.iter().enumerate().filter(|(index, _)| *index != self.root);
        let declared = others.filter(|(_, message)| message.is_declared());
        let mut fields = declared.flat_map(|(_, message)| &message.fields);
        fields.any(|field| self.kind_of_values(field) == Kind::Message(self.root))
    }

    fn marks_of(&self, message: &Message) -> Vec<String> {
        // The entries of a map have no message in the text that could be marked.
        if !message.is_declared() {
            return Vec::new();
        }
        let is_record = matches!(message.form, Form::Record { .. });
        let of_fields = message.fields.iter().flat_map(|field| {
            let kind = self.kind_of_values(field);
            let is_on = move |mark: &FieldMark| mark.is_on(field, kind, is_record);
            FieldMark::ALL.into_iter().filter(is_on).map(|mark| mark.name(field))
        });
        let own = MessageMark::of(message).map(|mark| mark.name().to_owned());
        own.into_iter().chain(of_fields).collect()
    }

    /// Returns the type of the values of a field: of those of its entries, if it is a map.
    fn kind_of_values(&self, field: &Field) -> Kind {
        match self.map_entry(field.kind).map(|entry| &entry.fields[..]) {
            Some([_, value]) => value.kind,
            _ => field.kind,
        }
    }
}
