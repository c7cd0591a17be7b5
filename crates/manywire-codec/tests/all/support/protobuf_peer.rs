//! The independent reader of Protocol Buffers: prost-reflect, over descriptors that protox
//! compiles.

#![allow(dead_code, reason = "each test uses its part")]

use std::collections::HashMap;

use manywire_shape::proto::{Absent, Enum, EnumValue, Field, Form, Kind, Label, Message, Schema};
use prost_reflect::{
    Cardinality, DescriptorPool, DynamicMessage, EnumDescriptor, FieldDescriptor, Kind as PeerKind,
    MessageDescriptor, Value as PeerValue,
};

use super::proto_compiler::compiled;

/// Compiles the descriptors of a `.proto` text.
pub(crate) fn compile(text: &str) -> DescriptorPool {
    let compiler = compiled(text);
    DescriptorPool::from_file_descriptor_set(compiler.file_descriptor_set()).expect("descriptors")
}

/// Returns the model of a message as a `.proto` declares it: records all the way, enums open.
pub(crate) fn schema_of(root: &MessageDescriptor) -> Schema {
    let mut reading = Reading::default();
    let root = reading.message(root);
    Schema { messages: reading.messages, enums: reading.enums, root }
}

#[derive(Default)]
struct Reading {
    messages: Vec<Message>,
    enums: Vec<Enum>,
    known: HashMap<String, usize>,
}

impl Reading {
    fn message(&mut self, descriptor: &MessageDescriptor) -> usize {
        if let Some(index) = self.known.get(descriptor.full_name()) {
            return *index;
        }
        let index = self.messages.len();
        self.known.insert(descriptor.full_name().to_owned(), index);
        self.messages.push(Message {
            name: descriptor.full_name().to_owned(),
            doc: String::new(),
            import: None,
            form: match descriptor.is_map_entry() {
                true => Form::Entry { native: true },
                false => Form::Record { rest: None },
            },
            fields: Vec::new(),
            oneofs: descriptor.oneofs().map(|oneof| oneof.name().to_owned()).collect(),
            reserved: Default::default(),
        });
        let oneofs: Vec<_> = descriptor.oneofs().collect();
        let fields = descriptor
            .fields()
            .map(|field| {
                let oneof = field
                    .containing_oneof()
                    .filter(|oneof| !oneof.is_synthetic())
                    .and_then(|oneof| oneofs.iter().position(|each| *each == oneof));
                self.field(&field, oneof)
            })
            .collect();
        self.messages[index].fields = fields;
        index
    }

    fn field(&mut self, field: &FieldDescriptor, oneof: Option<usize>) -> Field {
        let kind = self.kind(field);
        let mut made = Field::new(field.name(), field.number(), kind);
        made.required = false;
        made.oneof = oneof;
        if field.cardinality() == Cardinality::Repeated {
            made.label = if field.is_packed() { Label::Packed } else { Label::Repeated };
        } else if field.supports_presence() && !field.parent_message().is_map_entry() {
            made.label = Label::Optional;
            made.absent = Absent::Missing;
        }
        made
    }

    fn kind(&mut self, field: &FieldDescriptor) -> Kind {
        match field.kind() {
            PeerKind::Double => Kind::Double,
            PeerKind::Float => Kind::Float,
            PeerKind::Int32 => Kind::Int32,
            PeerKind::Int64 => Kind::Int64,
            PeerKind::Uint32 => Kind::Uint32,
            PeerKind::Uint64 => Kind::Uint64,
            PeerKind::Sint32 => Kind::Sint32,
            PeerKind::Sint64 => Kind::Sint64,
            PeerKind::Fixed32 => Kind::Fixed32,
            PeerKind::Fixed64 => Kind::Fixed64,
            PeerKind::Sfixed32 => Kind::Sfixed32,
            PeerKind::Sfixed64 => Kind::Sfixed64,
            PeerKind::Bool => Kind::Bool,
            PeerKind::String => Kind::String,
            PeerKind::Bytes => Kind::Bytes,
            PeerKind::Message(message) => Kind::Message(self.message(&message)),
            PeerKind::Enum(each) => Kind::Enum(self.enumeration(&each)),
        }
    }

    fn enumeration(&mut self, descriptor: &EnumDescriptor) -> usize {
        if let Some(index) = self.known.get(descriptor.full_name()) {
            return *index;
        }
        self.known.insert(descriptor.full_name().to_owned(), self.enums.len());
        self.enums.push(Enum {
            name: descriptor.full_name().to_owned(),
            scope: None,
            doc: String::new(),
            import: None,
            values: descriptor
                .values()
                .map(|value| EnumValue {
                    name: value.name().to_owned(),
                    proto_name: value.name().to_owned(),
                    proto_aliases: Vec::new(),
                    aliases: Vec::new(),
                    doc: String::new(),
                    number: value.number(),
                    given: true,
                })
                .collect(),
            open: true,
            closed: false,
            reserved: Default::default(),
        });
        self.enums.len() - 1
    }
}

/// Compares two messages, where NaN equals itself.
pub(crate) fn same_message(left: &DynamicMessage, right: &DynamicMessage) -> bool {
    let fields = |message: &DynamicMessage| {
        let mut fields: Vec<_> =
            message.fields().map(|(field, value)| (field.number(), value.clone())).collect();
        fields.sort_by_key(|field| field.0);
        fields
    };
    let (left, right) = (fields(left), fields(right));
    left.len() == right.len()
        && left.iter().zip(&right).all(|(l, r)| l.0 == r.0 && same(&l.1, &r.1))
}

fn same(left: &PeerValue, right: &PeerValue) -> bool {
    match (left, right) {
        (PeerValue::F32(left), PeerValue::F32(right)) => {
            left.to_bits() == right.to_bits() || left.is_nan() && right.is_nan()
        }
        (PeerValue::F64(left), PeerValue::F64(right)) => {
            left.to_bits() == right.to_bits() || left.is_nan() && right.is_nan()
        }
        (PeerValue::List(left), PeerValue::List(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| same(l, r))
        }
        (PeerValue::Map(left), PeerValue::Map(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, l)| right.get(key).is_some_and(|r| same(l, r)))
        }
        (PeerValue::Message(left), PeerValue::Message(right)) => same_message(left, right),
        _ => left == right,
    }
}

/// Checks whether a message, or one inside it, has fields that its descriptor does not know.
pub(crate) fn has_unknown_fields(message: &DynamicMessage) -> bool {
    fn within(value: &PeerValue) -> bool {
        match value {
            PeerValue::Message(message) => has_unknown_fields(message),
            PeerValue::List(items) => items.iter().any(within),
            PeerValue::Map(entries) => entries.values().any(within),
            _ => false,
        }
    }
    message.unknown_fields().next().is_some() || message.fields().any(|(_, value)| within(value))
}
