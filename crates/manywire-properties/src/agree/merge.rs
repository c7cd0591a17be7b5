//! The fields that a walker of Protocol Buffers reports, put together as a reader must.

use std::collections::BTreeMap;

use manywire_inspect::{Event, Role, Span};
use manywire_shape::proto::{Field, Form, Kind, Label, Schema};
use manywire_shape::{Arena, Value};

/// A message: what stands in its fields, by their index in the schema.
pub(super) struct Message<'a> {
    pub(super) index: usize,
    pub(super) fields: BTreeMap<usize, Place<'a>>,
}

/// What stands in a field.
pub(super) enum Place<'a> {
    Scalar(Value<'a>),
    /// A value that the walker found a fault in.
    Spoilt,
    Message(Message<'a>),
    Items(Vec<Place<'a>>),
    /// The entries of a map, each key once.
    Entries(Vec<(Value<'a>, Place<'a>)>),
}

/// What a walk came to.
pub(super) struct Merged<'a> {
    pub(super) message: Message<'a>,
    /// The first fault, and what was expected there.
    pub(super) fault: Option<(usize, String)>,
    /// How many messages the last fault stands in, the whole among them.
    pub(super) fault_depth: usize,
    /// Where there are faults.
    pub(super) faults: Vec<usize>,
}

pub(super) struct Merge<'a> {
    schema: &'a Schema,
    arena: &'a Arena,
    open: Vec<Open<'a>>,
    merged: Merged<'a>,
}

/// A message that is open, or the items of a packed field.
struct Open<'a> {
    /// How deep its fields or items stand.
    depth: usize,
    content: Content<'a>,
}

enum Content<'a> {
    Message { message: Message<'a>, pending: Pending },
    Packed(Vec<Place<'a>>),
}

/// Whose value comes next.
#[derive(Clone, Copy, PartialEq)]
enum Pending {
    Nothing,
    Known(usize),
    /// Of a field that the schema does not have, or that is spoilt.
    Unknown,
}

impl<'a> Message<'a> {
    pub(super) fn empty(index: usize) -> Self {
        Message { index, fields: BTreeMap::new() }
    }
}

impl<'a> Merge<'a> {
    pub(super) fn new(schema: &'a Schema, arena: &'a Arena) -> Self {
        let merged = Merged {
            message: Message::empty(schema.root),
            fault: None,
            fault_depth: 0,
            faults: Vec::new(),
        };
        let mut merge = Merge { schema, arena, open: Vec::new(), merged };
        merge.push(1, Message::empty(schema.root));
        merge
    }

    fn push(&mut self, depth: usize, message: Message<'a>) {
        let content = Content::Message { message, pending: Pending::Nothing };
        self.open.push(Open { depth, content });
    }

    pub(super) fn add(&mut self, event: &Event<'_>) {
        match event {
            Event::Span(span) => self.span(span),
            Event::Fault(fault) => {
                self.merged.faults.push(fault.offset);
                if self.merged.fault.is_none() {
                    self.merged.fault = Some((fault.offset, fault.expected.to_string()));
                }
                self.merged.fault_depth = self.open.len();
                self.spoil();
            }
            Event::Remark(_) => {}
        }
    }

    /// What comes next is no value of its field.
    fn spoil(&mut self) {
        match self.open.last_mut().map(|open| &mut open.content) {
            Some(Content::Message { pending, .. }) => {
                if let Pending::Known(field) = std::mem::replace(pending, Pending::Unknown) {
                    self.put(field, Place::Spoilt);
                }
            }
            Some(Content::Packed(items)) => items.push(Place::Spoilt),
            None => {}
        }
    }

    fn span(&mut self, span: &Span<'_>) {
        while self.open.last().is_some_and(|open| open.depth > span.depth) && self.open.len() > 1 {
            self.close();
        }
        let Some(open) = self.open.last_mut() else { return };
        // Deeper is only what is inside of an unknown field.
        if span.depth > open.depth {
            return;
        }
        let (message, pending) = match &mut open.content {
            Content::Message { message, pending } => (message, pending),
            Content::Packed(items) => {
                let value = span.value.unwrap_or(Value::Null);
                return items.push(Place::Scalar(value.copied(self.arena)));
            }
        };
        let index = message.index;
        match std::mem::replace(pending, Pending::Nothing) {
            Pending::Nothing if span.role == Role::Key => {
                let fields = &self.schema.messages[index].fields;
                let known = match span.value {
                    Some(Value::Str(name)) => fields.iter().position(|field| field.name == name),
                    _ => None,
                };
                *pending = known.map_or(Pending::Unknown, Pending::Known);
            }
            // The end of an unknown group, or the value of an unknown field.
            Pending::Nothing | Pending::Unknown => {}
            Pending::Known(field) => self.value(index, field, span),
        }
    }

    fn value(&mut self, message: usize, field: usize, span: &Span<'_>) {
        let declared = &self.schema.messages[message].fields[field];
        let depth = span.depth + 1;
        match (declared.kind, span.value) {
            (_, Some(value)) => self.put(field, Place::Scalar(value.copied(self.arena))),
            (Kind::Message(kind), None) => {
                // What stands there already goes on.
                let before = match is_list(declared) {
                    true => None,
                    false => self.taken(field),
                };
                let message = match before {
                    Some(Place::Message(message)) => message,
                    _ => Message::empty(kind),
                };
                self.mark(field);
                self.push(depth, message);
            }
            (_, None) => {
                self.mark(field);
                self.open.push(Open { depth, content: Content::Packed(Vec::new()) });
            }
        }
    }

    /// Remembers whose value is open.
    fn mark(&mut self, field: usize) {
        if let Some(Content::Message { pending, .. }) =
            self.open.last_mut().map(|open| &mut open.content)
        {
            *pending = Pending::Known(field);
        }
    }

    fn taken(&mut self, field: usize) -> Option<Place<'a>> {
        match &mut self.open.last_mut()?.content {
            Content::Message { message, .. } => message.fields.remove(&field),
            Content::Packed(_) => None,
        }
    }

    /// Ends the innermost message or packed field, and puts it into its field.
    fn close(&mut self) {
        let Some(inner) = self.open.pop() else { return };
        let field = match self.open.last_mut().map(|open| &mut open.content) {
            Some(Content::Message { pending, .. }) => std::mem::replace(pending, Pending::Nothing),
            _ => return,
        };
        let Pending::Known(field) = field else { return };
        match inner.content {
            Content::Message { message, .. } => self.put(field, Place::Message(message)),
            Content::Packed(items) => items.into_iter().for_each(|item| self.put(field, item)),
        }
    }

    /// Puts a value into a field of the innermost message, by the rules of its label.
    fn put(&mut self, field: usize, place: Place<'a>) {
        let schema = self.schema;
        let Some(Open { content: Content::Message { message, .. }, .. }) = self.open.last_mut()
        else {
            return;
        };
        let fields = &schema.messages[message.index].fields;
        let declared = &fields[field];
        if let Some(entry) = entry_of(declared, schema) {
            let entries = match message.fields.entry(field).or_insert(Place::Entries(Vec::new())) {
                Place::Entries(entries) => entries,
                _ => return,
            };
            let (key, value) = parts(entry, place, schema);
            entries.retain(|(known, _)| *known != key);
            return entries.push((key, value));
        }
        if is_list(declared) {
            if let Place::Items(items) =
                message.fields.entry(field).or_insert(Place::Items(Vec::new()))
            {
                items.push(place);
            }
            return;
        }
        if declared.oneof.is_some() {
            message.fields.retain(|known, _| fields[*known].oneof != declared.oneof);
        }
        message.fields.insert(field, place);
    }

    pub(super) fn finish(mut self) -> Merged<'a> {
        while self.open.len() > 1 {
            self.close();
        }
        if let Some(Open { content: Content::Message { message, .. }, .. }) = self.open.pop() {
            self.merged.message = message;
        }
        self.merged
    }
}

fn is_list(field: &Field) -> bool {
    matches!(field.label, Label::Repeated | Label::Packed)
}

/// The message that is the entry of a map, where the field is one.
pub(super) fn entry_of(field: &Field, schema: &Schema) -> Option<usize> {
    let Kind::Message(index) = field.kind else { return None };
    matches!(schema.messages[index].form, Form::Entry { native: true }).then_some(index)
}

/// The key and the value of an entry, which stand for zero where they are not there.
fn parts<'a>(entry: usize, place: Place<'a>, schema: &'a Schema) -> (Value<'a>, Place<'a>) {
    let [key, value] = &schema.messages[entry].fields[..] else { return (Value::Null, place) };
    let mut fields = match place {
        Place::Message(message) => message.fields,
        // An entry of which nothing can be told.
        _ => return (Value::Null, Place::Spoilt),
    };
    let key = match fields.remove(&0) {
        Some(Place::Scalar(key)) => key,
        Some(_) => return (Value::Null, Place::Spoilt),
        None => zero(key.kind, schema).unwrap_or(Value::Null),
    };
    let value = fields.remove(&1).unwrap_or_else(|| match (value.kind, zero(value.kind, schema)) {
        (_, Some(zero)) => Place::Scalar(zero),
        (Kind::Message(index), None) => Place::Message(Message::empty(index)),
        (_, None) => Place::Spoilt,
    });
    (key, value)
}

/// What a scalar is that is not there.
pub(super) fn zero(kind: Kind, schema: &Schema) -> Option<Value<'_>> {
    Some(match kind {
        Kind::Bool => Value::Bool(false),
        Kind::Float => Value::F32(0.0),
        Kind::Double => Value::F64(0.0),
        Kind::String | Kind::BigInt | Kind::Number => Value::Str(""),
        Kind::Bytes => Value::Bytes(b""),
        Kind::Enum(index) => {
            let named = schema.enums[index].values.iter().find(|value| value.number == 0);
            named.map_or(Value::I64(0), |value| Value::Str(&value.name))
        }
        Kind::Message(_) => return None,
        _ => Value::I64(0),
    })
}
