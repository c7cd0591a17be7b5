//! Protocol Buffers by name: codec and walker read the same schema, which has every kind of field.
//!
//! Fields come in any order, repeatedly and in pieces. The spans of the walker are merged by the
//! rules of the encoding: the last value of a scalar or of a oneof wins, messages are merged, and
//! items are appended. The result must equal the value that the codec read.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use manywire_codec::{Category, Limits, protobuf};
use manywire_format::Format;
use manywire_inspect::{Event, Options, Role, Schema as KnownSchema, Span, walk};
use manywire_schema::Language;
use manywire_shape::proto::{self, Absent, Field, Form, Kind, Label, Schema};
use manywire_shape::{Arena, Value, ValueSeed};

use crate::target::{CheckResult, Violation, ensure};

const SCHEMA: &str = r#"syntax = "proto3";
message All {
  int32 int32 = 1; int64 int64 = 2; uint32 uint32 = 3; uint64 uint64 = 4;
  sint32 sint32 = 5; sint64 sint64 = 6; fixed32 fixed32 = 7; fixed64 fixed64 = 8;
  sfixed32 sfixed32 = 9; sfixed64 sfixed64 = 10; float float = 11; double double = 12;
  bool truth = 13; string text = 14; bytes bytes = 15; Kind kind = 16;
  optional sint32 maybe = 17; optional string perhaps = 18; optional Kind which = 19;
  repeated int32 packed = 20; repeated sint64 unpacked = 21 [packed = false];
  repeated string texts = 22; repeated double doubles = 23; repeated Kind kinds = 24;
  All child = 25; repeated Leaf leaves = 26;
  map<string, int64> counts = 27; map<int32, Leaf> by_number = 28; map<fixed64, Kind> by_fixed = 29;
  oneof choice { uint32 number = 30; string name = 31; Leaf leaf = 32; }
  repeated bool truths = 33; repeated fixed32 fixed = 34; repeated bytes pieces = 35;
  int64 far = 20000000;
}
message Leaf { sint32 id = 1; string name = 2; optional float weight = 3; Leaf next = 4; }
enum Kind { ZERO = 0; ONE = 1; BELOW = -1; }
"#;

struct Subject {
    document: manywire_tools::payload::Schema,
    schema: proto::Schema,
    plan: protobuf::Plan,
}

static SUBJECT: LazyLock<Subject> = LazyLock::new(|| {
    let read = manywire_schema::read_proto("all.proto", SCHEMA, Some("All"));
    let (schema, shape) = read.expect("a sound schema");
    let plan = protobuf::Plan::new(&schema).expect("a plan of a sound schema");
    let language = Some(Language::Proto(schema.clone()));
    Subject { document: manywire_tools::payload::Schema { shape, language }, schema, plan }
});

/// Returns the schema for readers of messages.
pub(crate) fn protobuf_document() -> &'static manywire_tools::payload::Schema {
    &SUBJECT.document
}

/// Returns the schema for writers of messages.
pub(crate) fn protobuf_schema() -> &'static proto::Schema {
    &SUBJECT.schema
}

/// The walker's limit on depth, beyond the limit of the codec.
const DEPTH_MAX: usize = 2 * Limits::DEFAULT.depth;

pub(crate) fn protobuf_named(bytes: &[u8]) -> CheckResult {
    let Subject { schema, plan, .. } = &*SUBJECT;
    let arena = Arena::new();
    let mut merger = Merger::new(schema, &arena);
    let led = Options { schema: Some(KnownSchema::Protobuf(schema)), ..Options::DEFAULT };
    let options = Options { depth_max: DEPTH_MAX, ..led };
    walk(Format::Protobuf, bytes, options, &mut |event| merger.add(&event));
    let merged = merger.finish();
    let read = plan.decode_seed(&mut ValueSeed::new(&arena), bytes, Limits::DEFAULT);
    let error = match read {
        Ok(value) => {
            if let Some((at, expected)) = &merged.fault {
                return Err(Violation(format!(
                    "the codec reads {value:?}, the walker expects {expected} at {at}"
                )));
            }
            return match merged.message.difference(&value, schema) {
                Some(found) => Err(Violation(format!("the codec and the walker read ${found}"))),
                None => Ok(()),
            };
        }
        Err(error) => error,
    };
    // The limits on depth differ between codec and walker.
    if error.category() == Category::Limit {
        return Ok(());
    }
    let Some(at) = error.offset() else {
        return Err(Violation(format!("the codec error has no offset: {error}")));
    };
    let Some((fault, expected)) = &merged.fault else {
        return Err(Violation(format!("the codec fails, the walker does not: {error}")));
    };
    // The codec scans each message before it reads the fields, so it reports a later fault of an
    // outer message first. The walker may not have reached that fault.
    ensure!(
        at == *fault || (at > *fault && merged.fault_depth > 1) || merged.faults.contains(&at),
        "the codec fails at {at}: {error}; the walker at {fault}: expected {expected}"
    );
    Ok(())
}

/// A message: the content of its fields by their index in the schema.
struct Message<'a> {
    index: usize,
    fields: BTreeMap<usize, FieldContent<'a>>,
}

/// The content of a field.
enum FieldContent<'a> {
    Scalar(Value<'a>),
    /// A value in which the walker found a fault.
    Faulty,
    Message(Message<'a>),
    Items(Vec<FieldContent<'a>>),
    /// The entries of a map with distinct keys.
    Entries(Vec<(Value<'a>, FieldContent<'a>)>),
}

/// The result of a walk.
struct Merged<'a> {
    message: Message<'a>,
    /// The offset of the first fault, and what was expected there.
    fault: Option<(usize, String)>,
    /// The number of messages around the last fault, the root included.
    fault_depth: usize,
    /// The offsets of all faults.
    faults: Vec<usize>,
}

struct Merger<'a> {
    schema: &'a Schema,
    arena: &'a Arena,
    open: Vec<OpenMessage<'a>>,
    merged: Merged<'a>,
}

/// An open message, or the items of a packed field.
struct OpenMessage<'a> {
    /// The depth of the fields or items.
    depth: usize,
    content: Content<'a>,
}

enum Content<'a> {
    Message { message: Message<'a>, pending: PendingField },
    Packed(Vec<FieldContent<'a>>),
}

/// The field of the next value.
#[derive(Clone, Copy, PartialEq)]
enum PendingField {
    Nothing,
    Known(usize),
    /// A field that the schema does not have, or whose value is faulty.
    Unknown,
}

impl<'a> Message<'a> {
    fn empty(index: usize) -> Self {
        Message { index, fields: BTreeMap::new() }
    }
}

impl<'a> Merger<'a> {
    fn new(schema: &'a Schema, arena: &'a Arena) -> Self {
        let merged = Merged {
            message: Message::empty(schema.root),
            fault: None,
            fault_depth: 0,
            faults: Vec::new(),
        };
        let mut merger = Merger { schema, arena, open: Vec::new(), merged };
        merger.push(1, Message::empty(schema.root));
        merger
    }

    fn push(&mut self, depth: usize, message: Message<'a>) {
        let content = Content::Message { message, pending: PendingField::Nothing };
        self.open.push(OpenMessage { depth, content });
    }

    fn add(&mut self, event: &Event<'_>) {
        match event {
            Event::Span(span) => self.span(span),
            Event::Fault(fault) => {
                self.merged.faults.push(fault.offset);
                if self.merged.fault.is_none() {
                    self.merged.fault = Some((fault.offset, fault.expected.to_string()));
                }
                self.merged.fault_depth = self.open.len();
                self.mark_faulty();
            }
            Event::Remark(_) => {}
        }
    }

    /// Marks the next value of the field as faulty.
    fn mark_faulty(&mut self) {
        match self.open.last_mut().map(|open| &mut open.content) {
            Some(Content::Message { pending, .. }) => {
                if let PendingField::Known(field) =
                    std::mem::replace(pending, PendingField::Unknown)
                {
                    self.put(field, FieldContent::Faulty);
                }
            }
            Some(Content::Packed(items)) => items.push(FieldContent::Faulty),
            None => {}
        }
    }

    fn span(&mut self, span: &Span<'_>) {
        while self.open.last().is_some_and(|open| open.depth > span.depth) && self.open.len() > 1 {
            self.close();
        }
        let Some(open) = self.open.last_mut() else { return };
        // A deeper span is inside an unknown field.
        if span.depth > open.depth {
            return;
        }
        let (message, pending) = match &mut open.content {
            Content::Message { message, pending } => (message, pending),
            Content::Packed(items) => {
                let value = span.value.unwrap_or(Value::Null);
                return items.push(FieldContent::Scalar(value.copied(self.arena)));
            }
        };
        let index = message.index;
        match std::mem::replace(pending, PendingField::Nothing) {
            PendingField::Nothing if span.role == Role::Key => {
                let fields = &self.schema.messages[index].fields;
                let known = match span.value {
                    Some(Value::Str(name)) => fields.iter().position(|field| field.name == name),
                    _ => None,
                };
                *pending = known.map_or(PendingField::Unknown, PendingField::Known);
            }
            // The end of an unknown group, or the value of an unknown field.
            PendingField::Nothing | PendingField::Unknown => {}
            PendingField::Known(field) => self.value(index, field, span),
        }
    }

    fn value(&mut self, message: usize, field: usize, span: &Span<'_>) {
        let declared = &self.schema.messages[message].fields[field];
        let depth = span.depth + 1;
        match (declared.kind, span.value) {
            (_, Some(value)) => self.put(field, FieldContent::Scalar(value.copied(self.arena))),
            (Kind::Message(kind), None) => {
                // A message that occurs again continues the earlier one.
                let before = match is_list(declared) {
                    true => None,
                    false => self.take_field(field),
                };
                let message = match before {
                    Some(FieldContent::Message(message)) => message,
                    _ => Message::empty(kind),
                };
                self.mark_open(field);
                self.push(depth, message);
            }
            (_, None) => {
                self.mark_open(field);
                self.open.push(OpenMessage { depth, content: Content::Packed(Vec::new()) });
            }
        }
    }

    /// Marks the field into which [`close`](Merger::close) puts the value that opens now.
    fn mark_open(&mut self, field: usize) {
        if let Some(Content::Message { pending, .. }) =
            self.open.last_mut().map(|open| &mut open.content)
        {
            *pending = PendingField::Known(field);
        }
    }

    fn take_field(&mut self, field: usize) -> Option<FieldContent<'a>> {
        match &mut self.open.last_mut()?.content {
            Content::Message { message, .. } => message.fields.remove(&field),
            Content::Packed(_) => None,
        }
    }

    /// Ends the innermost message or packed field, and puts it into its field.
    fn close(&mut self) {
        let Some(inner) = self.open.pop() else { return };
        let field = match self.open.last_mut().map(|open| &mut open.content) {
            Some(Content::Message { pending, .. }) => {
                std::mem::replace(pending, PendingField::Nothing)
            }
            _ => return,
        };
        let PendingField::Known(field) = field else { return };
        match inner.content {
            Content::Message { message, .. } => self.put(field, FieldContent::Message(message)),
            Content::Packed(items) => items.into_iter().for_each(|item| self.put(field, item)),
        }
    }

    /// Puts a value into a field of the innermost message, by the rules of its label.
    fn put(&mut self, field: usize, place: FieldContent<'a>) {
        let schema = self.schema;
        let Some(OpenMessage { content: Content::Message { message, .. }, .. }) =
            self.open.last_mut()
        else {
            return;
        };
        let fields = &schema.messages[message.index].fields;
        let declared = &fields[field];
        if let Some(entry) = entry_of(declared, schema) {
            let entries =
                match message.fields.entry(field).or_insert(FieldContent::Entries(Vec::new())) {
                    FieldContent::Entries(entries) => entries,
                    _ => return,
                };
            let (key, value) = entry_parts(entry, place, schema);
            entries.retain(|(known, _)| *known != key);
            return entries.push((key, value));
        }
        if is_list(declared) {
            if let FieldContent::Items(items) =
                message.fields.entry(field).or_insert(FieldContent::Items(Vec::new()))
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

    fn finish(mut self) -> Merged<'a> {
        while self.open.len() > 1 {
            self.close();
        }
        if let Some(OpenMessage { content: Content::Message { message, .. }, .. }) = self.open.pop()
        {
            self.merged.message = message;
        }
        self.merged
    }
}

fn is_list(field: &Field) -> bool {
    matches!(field.label, Label::Repeated | Label::Packed)
}

/// Returns the index of the entry message of a map field.
fn entry_of(field: &Field, schema: &Schema) -> Option<usize> {
    let Kind::Message(index) = field.kind else { return None };
    matches!(schema.messages[index].form, Form::Entry { native: true }).then_some(index)
}

/// Returns the key and the value of an entry, with defaults for those that are missing.
fn entry_parts<'a>(
    entry: usize,
    place: FieldContent<'a>,
    schema: &'a Schema,
) -> (Value<'a>, FieldContent<'a>) {
    let [key, value] = &schema.messages[entry].fields[..] else { return (Value::Null, place) };
    let mut fields = match place {
        FieldContent::Message(message) => message.fields,
        // A faulty entry has no known key or value.
        _ => return (Value::Null, FieldContent::Faulty),
    };
    let key = match fields.remove(&0) {
        Some(FieldContent::Scalar(key)) => key,
        Some(_) => return (Value::Null, FieldContent::Faulty),
        None => default_value(key.kind, schema).unwrap_or(Value::Null),
    };
    let value = fields.remove(&1).unwrap_or_else(|| {
        match (value.kind, default_value(value.kind, schema)) {
            (_, Some(default_value)) => FieldContent::Scalar(default_value),
            (Kind::Message(index), None) => FieldContent::Message(Message::empty(index)),
            (_, None) => FieldContent::Faulty,
        }
    });
    (key, value)
}

/// Returns the default value of a scalar.
fn default_value(kind: Kind, schema: &Schema) -> Option<Value<'_>> {
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

impl Message<'_> {
    /// Returns the first path at which the codec's value differs, with both values.
    fn difference(&self, value: &Value<'_>, schema: &Schema) -> Option<String> {
        let Value::Map(entries) = value else { return Some(format!(": {value:?} and a message")) };
        let fields = &schema.messages[self.index].fields;
        let mut known = 0;
        for (index, field) in fields.iter().enumerate() {
            let name = Value::Str(&field.name);
            let mut named = entries.iter().filter(|(key, _)| *key == name);
            let (found, twice) = (named.next().map(|entry| &entry.1), named.next());
            if twice.is_some() {
                return Some(format!(".{}: there twice", field.name));
            }
            known += usize::from(found.is_some());
            let differs = match (self.fields.get(&index), found) {
                (Some(place), Some(found)) => place.difference(found, schema),
                (Some(_), None) => Some(String::from(": missing, and there")),
                (None, found) => absent(field, found, schema),
            };
            if let Some(differs) = differs {
                return Some(format!(".{}{differs}", field.name));
            }
        }
        (known != entries.len()).then(|| format!(": {value:?} has fields of no schema"))
    }
}

impl FieldContent<'_> {
    fn difference(&self, value: &Value<'_>, schema: &Schema) -> Option<String> {
        match (self, value) {
            (FieldContent::Scalar(expected), value) => {
                (expected != value).then(|| format!(": {value:?} and {expected:?}"))
            }
            (FieldContent::Message(message), value) => message.difference(value, schema),
            (FieldContent::Items(expected), Value::Array(found))
                if expected.len() == found.len() =>
            {
                let mut pairs = expected.iter().zip(*found).enumerate();
                pairs.find_map(|(index, (expected, found))| {
                    let differs = expected.difference(found, schema)?;
                    Some(format!("[{index}]{differs}"))
                })
            }
            // The codec keeps repeated keys, and a lookup returns the last.
            (FieldContent::Entries(expected), Value::Map(found))
                if expected.len() == distinct(found) =>
            {
                expected.iter().find_map(|(key, expected)| {
                    let found = found.iter().rev().find(|(known, _)| known == key);
                    let differs = match found {
                        Some((_, found)) => expected.difference(found, schema),
                        None => Some(String::from(": missing, and there")),
                    };
                    differs.map(|differs| format!("[{key:?}]{differs}"))
                })
            }
            (FieldContent::Items(expected), value) => {
                Some(format!(": {value:?} and {} items", expected.len()))
            }
            (FieldContent::Entries(expected), value) => {
                Some(format!(": {value:?} and {} entries", expected.len()))
            }
            (FieldContent::Faulty, value) => Some(format!(": {value:?} and a fault")),
        }
    }
}

fn distinct(entries: &[(Value<'_>, Value<'_>)]) -> usize {
    let first = |at: &usize| entries[..*at].iter().all(|(key, _)| *key != entries[*at].0);
    (0..entries.len()).filter(first).count()
}

/// Compares the value that the codec read for a missing field with the schema. Returns `None` if
/// the value is right, otherwise both values.
fn absent(field: &Field, found: Option<&Value<'_>>, schema: &Schema) -> Option<String> {
    let differs = |expected: &str| Some(format!(": {found:?} and {expected}"));
    match (field.absent, found) {
        (Absent::Missing, None) | (Absent::Null, Some(Value::Null)) => None,
        (Absent::Missing, Some(_)) => differs("nothing"),
        (Absent::Null, _) => differs("null"),
        (Absent::Zero, Some(Value::Array([]))) if entry_of(field, schema).is_none() => None,
        (Absent::Zero, Some(Value::Map([]))) if entry_of(field, schema).is_some() => None,
        (Absent::Zero, Some(found)) => match (field.kind, default_value(field.kind, schema)) {
            (_, Some(default_value)) if default_value == *found => None,
            (Kind::Message(index), None) => Message::empty(index).difference(found, schema),
            _ => differs("default_value"),
        },
        (Absent::Zero, None) => differs("default_value"),
        (Absent::Invalid, _) => differs("an error"),
    }
}
