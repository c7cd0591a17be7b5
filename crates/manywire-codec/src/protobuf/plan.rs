//! Compiles a schema to the flat tables that the codec works with.
//!
//! Each message is a table of fields with their encoded tags. The tables also find a field by
//! number or by name, usually at the first guess, and remember the addresses of static names.

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use manywire_format::Format;
use manywire_shape::proto::{Absent, FIELD_NUMBER_MAX, Label, Schema};
use manywire_shape::{Shape, Tagging, proto};

use super::wire;
use crate::core::buffer::CapacityHint;
use crate::{Error, Result};

/// A schema compiled for reading and writing. Create a plan once and share it between threads.
#[derive(Debug)]
pub struct Plan {
    pub(super) messages: Box<[Message]>,
    pub(super) enums: Box<[Enum]>,
    pub(super) root: usize,
    /// The field of the whole value: a message without tag and length.
    pub(super) whole: Field,
    /// The capacity of new output, for [`Plan::to_vec`].
    pub(super) capacity: CapacityHint,
    /// True if any message is [strict](Message::is_strict).
    pub(super) is_strict: bool,
    /// True if any field is written between two tags.
    pub(super) has_groups: bool,
}

#[derive(Debug)]
pub(super) struct Message {
    pub(super) name: Box<str>,
    pub(super) form: Form,
    pub(super) fields: Box<[Field]>,
    /// The indices of fields by number, for the small numbers that nearly all fields have.
    by_number: Box<[u16]>,
    /// The indices of fields whose numbers are beyond `by_number`, sorted by number.
    by_great_number: Box<[(u32, u16)]>,
    by_name: HashMap<Box<str>, u16>,
    /// The number of fields with names in the value: all fields except the map of other entries,
    /// which is the last field.
    named: usize,
    /// The fields that a dynamic value must have, a bit each, for the first 64.
    pub(super) required: u64,
    /// True if any field belongs to a oneof.
    pub(super) has_oneof: bool,
    /// True if the message can only be read by an index of its fields: a message with proto2's
    /// required fields, closed enums or groups.
    pub(super) is_strict: bool,
    /// True for a record whose fields always have values, present or not.
    is_total: bool,
    /// The address of a static list of names known to be the names of these fields, or 0.
    static_names: AtomicUsize,
}

/// The value that a message represents; see [`Form`](manywire_shape::proto::Form).
#[derive(Debug, PartialEq)]
pub(super) enum Form {
    Record { rest: Option<usize> },
    Tuple,
    Wrapper,
    Entry,
    External,
    Internal { tag: Box<str> },
    Adjacent { tag: Box<str>, content: Box<str> },
    Union(UnionBranches),
    Null,
    Timestamp,
}

/// The index of the union branch for each type of value.
#[derive(Debug, Default, PartialEq)]
pub(super) struct UnionBranches {
    pub(super) null: Option<u16>,
    pub(super) bool: Option<u16>,
    pub(super) signed: Option<u16>,
    pub(super) unsigned: Option<u16>,
    pub(super) big: Option<u16>,
    pub(super) float: Option<u16>,
    pub(super) double: Option<u16>,
    pub(super) text: Option<u16>,
    pub(super) bytes: Option<u16>,
    pub(super) timestamp: Option<u16>,
    pub(super) number: Option<u16>,
    pub(super) array: Option<u16>,
    pub(super) map: Option<u16>,
    pub(super) variants: Option<u16>,
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) kind: FieldKind,
    /// The wire type of one value.
    pub(super) wire: u8,
    /// The encoded field number and wire type. Empty for an item of a packed field.
    pub(super) tag: [u8; 5],
    pub(super) tag_len: u8,
    /// The bytes of `tag` as a little-endian word.
    pub(super) tag_word: u64,
    /// True if zero is left out when written.
    pub(super) omit_zero: bool,
    pub(super) nullable: bool,
    pub(super) required: bool,
    pub(super) absent: Absent,
    pub(super) number: u32,
    /// The index of the message or enum.
    pub(super) target: u32,
    pub(super) oneof: Option<u16>,
    pub(super) name: Box<str>,
    /// The address of a static name known to be this field's, or 0. A derived type always passes
    /// the same static names, which are then recognised by address.
    static_name: AtomicUsize,
    /// The field for an item of a repeated field, or for an entry of a map.
    pub(super) item: Option<Box<Field>>,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
    Bool,
    Int32,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Sint64,
    Fixed32,
    Fixed64,
    Sfixed32,
    Sfixed64,
    Float,
    Double,
    String,
    Bytes,
    BigInt,
    Number,
    Enum,
    Message,
    /// Items one by one, each with the tag.
    Repeated,
    /// Items within one length.
    Packed,
    /// Entries one by one.
    Map,
}

impl FieldKind {
    /// Returns whether the field has integers.
    pub(super) fn is_integer(self) -> bool {
        matches!(
            self,
            FieldKind::Int32
                | FieldKind::Int64
                | FieldKind::Uint32
                | FieldKind::Uint64
                | FieldKind::Sint32
                | FieldKind::Sint64
                | FieldKind::Fixed32
                | FieldKind::Fixed64
                | FieldKind::Sfixed32
                | FieldKind::Sfixed64
                | FieldKind::BigInt
        )
    }
}

#[derive(Debug)]
pub(super) struct Enum {
    pub(super) name: Box<str>,
    pub(super) values: Box<[(Box<str>, i32)]>,
    by_name: HashMap<Box<str>, u16>,
    pub(super) open: bool,
    /// True if a field with an unknown number is an unknown field.
    pub(super) closed: bool,
}

impl Plan {
    #[inline]
    pub(super) fn message(&self, field: &Field) -> &Message {
        &self.messages[field.target as usize]
    }
}

// Compilation: messages and enums.

impl Plan {
    /// Compiles a schema. Fails if the schema is invalid: an index out of range, a duplicate name
    /// or number, a message that only wraps itself.
    pub fn new(schema: &Schema) -> Result<Plan> {
        let messages = schema
            .messages
            .iter()
            .map(|message| compile(schema, message).map_err(|error| error.under_key(&message.name)))
            .collect::<Result<_>>()?;
        let enums = schema.enums.iter().map(compile_enum).collect::<Result<_>>()?;
        let messages: Box<[Message]> = messages;
        let plan = Plan {
            is_strict: messages.iter().any(|message| message.is_strict),
            has_groups: schema.messages.iter().flat_map(|it| &it.fields).any(|it| it.delimited),
            messages,
            enums,
            root: schema.root,
            whole: root_field(schema.root),
            capacity: CapacityHint::default(),
        };
        if plan.root >= plan.messages.len() {
            return Err(invalid("there is no root message"));
        }
        plan.check_wrappers()?;
        Ok(plan)
    }

    /// Compiles the messages for the values of a shape.
    pub fn from_shape(shape: &Shape) -> Result<Plan> {
        let schema = Schema::from_shape(shape).map_err(invalid)?;
        Plan::new(&schema)
    }
}

#[cold]
#[inline(never)]
fn invalid(message: impl std::fmt::Display) -> Error {
    Error::unsupported(message).with_format(Format::Protobuf)
}

fn compile(schema: &Schema, message: &proto::Message) -> Result<Message> {
    let fields = message
        .fields
        .iter()
        .map(|field| compile_field(schema, field).map_err(|error| error.under_key(&field.name)))
        .collect::<Result<Box<[Field]>>>()?;
    if fields.len() >= usize::from(u16::MAX) {
        return Err(invalid(format_args!("{} fields are more than 65,534", fields.len())));
    }
    let rest = match message.form {
        proto::Form::Record { rest } => rest,
        _ => None,
    };
    let mut by_name = HashMap::new();
    for ((index, field), source) in (0_u16..).zip(&fields).zip(&message.fields) {
        if rest == Some(usize::from(index)) {
            continue;
        }
        for name in std::iter::once(&source.name).chain(&source.aliases) {
            if by_name.insert(name.as_str().into(), index).is_some() {
                return Err(invalid("two fields have this name").under_key(&field.name));
            }
        }
    }
    let mut great: Vec<(u32, u16)> =
        (0_u16..).zip(&fields).map(|(index, field)| (field.number, index)).collect();
    great.sort_unstable();
    if let Some(pair) = great.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(invalid(format_args!("two fields have number {}", pair[0].0)));
    }
    // Twice as long as the number of fields, so that a few distant numbers take no space.
    let small_max = fields.len() as u32 * 2 + 16;
    let mut small = vec![u16::MAX; small_max as usize];
    great.retain(|&(number, index)| match small.get_mut(number as usize) {
        Some(slot) => {
            *slot = index;
            false
        }
        None => true,
    });
    let form = compile_form(schema, message, &fields)?;
    let is_total = form == (Form::Record { rest: None })
        && fields.iter().all(|field| field.absent != Absent::Missing && field.oneof.is_none());
    Ok(Message {
        name: message.name.as_str().into(),
        form,
        required: fields
            .iter()
            .take(64)
            .enumerate()
            .filter(|(_, field)| field.required)
            .fold(0, |bits, (index, _)| bits | 1 << index),
        named: rest.unwrap_or(fields.len()),
        is_strict: message.fields.iter().any(|field| is_strict(schema, field)),
        has_oneof: fields.iter().any(|field| field.oneof.is_some()),
        is_total,
        static_names: AtomicUsize::new(0),
        fields,
        by_number: small.into(),
        by_great_number: great.into(),
        by_name,
    })
}

/// Returns whether a field makes its message strict; see [`Message::is_strict`].
fn is_strict(schema: &Schema, field: &proto::Field) -> bool {
    let is_closed = |kind: proto::Kind| match kind {
        proto::Kind::Enum(index) => schema.enums.get(index).is_some_and(|each| each.closed),
        _ => false,
    };
    let entry = match field.kind {
        proto::Kind::Message(index) => schema
            .messages
            .get(index)
            .filter(|message| matches!(message.form, proto::Form::Entry { native: true })),
        _ => None,
    };
    field.absent == Absent::Invalid
        || field.delimited
        || is_closed(field.kind)
        || entry.is_some_and(|entry| entry.fields.iter().any(|field| is_closed(field.kind)))
}

fn compile_form(schema: &Schema, message: &proto::Message, fields: &[Field]) -> Result<Form> {
    let expect = |fits: bool, what: &str| if fits { Ok(()) } else { Err(invalid(what)) };
    Ok(match &message.form {
        proto::Form::Record { rest } => {
            let last =
                |rest: usize| rest + 1 == fields.len() && fields[rest].kind == FieldKind::Map;
            expect(rest.is_none_or(last), "the rest of a record is a map, and its last field")?;
            Form::Record { rest: *rest }
        }
        proto::Form::Tuple => Form::Tuple,
        proto::Form::Wrapper => {
            expect(fields.len() == 1, "a wrapper has one field")?;
            Form::Wrapper
        }
        proto::Form::Entry { .. } => {
            expect(fields.len() == 2, "an entry has a key and a value")?;
            Form::Entry
        }
        proto::Form::Variants(tagging) => match tagging {
            Tagging::External => Form::External,
            Tagging::Internal { tag } => Form::Internal { tag: tag.as_ref().into() },
            Tagging::Adjacent { tag, content } => {
                Form::Adjacent { tag: tag.as_ref().into(), content: content.as_ref().into() }
            }
        },
        proto::Form::Union => Form::Union(branches(schema, fields)),
        proto::Form::Null => Form::Null,
        proto::Form::Timestamp => {
            let kinds = [FieldKind::Int64, FieldKind::Int32];
            let fits = fields.iter().map(|field| field.kind).eq(kinds);
            expect(fits, "a timestamp has seconds and nanoseconds")?;
            Form::Timestamp
        }
    })
}

fn compile_enum(source: &proto::Enum) -> Result<Enum> {
    let mut by_name = HashMap::new();
    for (index, value) in (0_u16..u16::MAX).zip(&source.values) {
        for name in std::iter::once(&value.name).chain(&value.aliases) {
            if by_name.insert(name.as_str().into(), index).is_some() {
                return Err(
                    invalid(format_args!("two values are named {name:?}")).under_key(&source.name)
                );
            }
        }
    }
    Ok(Enum {
        name: source.name.as_str().into(),
        values: source.values.iter().map(|v| (v.name.as_str().into(), v.number)).collect(),
        by_name,
        open: source.open,
        closed: source.closed,
    })
}

// Compilation: fields, with their type and their encoded tag.

/// Returns the field of the whole value.
fn root_field(root: usize) -> Field {
    Field {
        kind: FieldKind::Message,
        wire: wire::LEN,
        tag: [0; 5],
        tag_len: 0,
        tag_word: 0,
        omit_zero: false,
        nullable: false,
        required: true,
        absent: Absent::Zero,
        number: 0,
        target: root as u32,
        oneof: None,
        name: "".into(),
        static_name: AtomicUsize::new(0),
        item: None,
    }
}

fn compile_field(schema: &Schema, field: &proto::Field) -> Result<Field> {
    if field.number == 0 || field.number > FIELD_NUMBER_MAX {
        return Err(invalid(format_args!("{} cannot be a field number", field.number)));
    }
    let (kind, target) = match field.kind {
        proto::Kind::Bool => (FieldKind::Bool, 0),
        proto::Kind::Int32 => (FieldKind::Int32, 0),
        proto::Kind::Int64 => (FieldKind::Int64, 0),
        proto::Kind::Uint32 => (FieldKind::Uint32, 0),
        proto::Kind::Uint64 => (FieldKind::Uint64, 0),
        proto::Kind::Sint32 => (FieldKind::Sint32, 0),
        proto::Kind::Sint64 => (FieldKind::Sint64, 0),
        proto::Kind::Fixed32 => (FieldKind::Fixed32, 0),
        proto::Kind::Fixed64 => (FieldKind::Fixed64, 0),
        proto::Kind::Sfixed32 => (FieldKind::Sfixed32, 0),
        proto::Kind::Sfixed64 => (FieldKind::Sfixed64, 0),
        proto::Kind::Float => (FieldKind::Float, 0),
        proto::Kind::Double => (FieldKind::Double, 0),
        proto::Kind::String => (FieldKind::String, 0),
        proto::Kind::Bytes => (FieldKind::Bytes, 0),
        proto::Kind::BigInt => (FieldKind::BigInt, 0),
        proto::Kind::Number => (FieldKind::Number, 0),
        proto::Kind::Enum(index) if index < schema.enums.len() => (FieldKind::Enum, index),
        proto::Kind::Message(index) if index < schema.messages.len() => (FieldKind::Message, index),
        proto::Kind::Enum(_) | proto::Kind::Message(_) => {
            return Err(invalid("there is no such message or enum"));
        }
    };
    let is_entry = kind == FieldKind::Message
        && matches!(schema.messages[target].form, proto::Form::Entry { .. });
    let one = |label: Label| {
        let mut made = Field {
            kind,
            wire: if field.delimited { wire::START_GROUP } else { wire_type(kind) },
            tag: [0; 5],
            tag_len: 0,
            tag_word: 0,
            omit_zero: label == Label::Singular,
            nullable: field.nullable,
            required: field.required,
            absent: field.absent,
            number: field.number,
            target: target as u32,
            oneof: field.oneof.map(|oneof| oneof as u16),
            name: field.name.as_str().into(),
            static_name: AtomicUsize::new(0),
            item: None,
        };
        if label != Label::Packed {
            let wire = made.wire;
            set_tag(&mut made, wire);
        }
        made
    };
    let mut made = one(field.label);
    if matches!(field.label, Label::Repeated | Label::Packed) {
        let mut item = one(field.label);
        item.nullable = false;
        item.absent = Absent::Zero;
        made.item = Some(Box::new(item));
        made.kind = match field.label {
            _ if is_entry => FieldKind::Map,
            Label::Packed => FieldKind::Packed,
            _ => FieldKind::Repeated,
        };
        if made.kind == FieldKind::Packed {
            if !field.kind.is_packable() {
                return Err(invalid("only numbers can be packed"));
            }
            made.wire = wire::LEN;
            set_tag(&mut made, wire::LEN);
        }
    } else if is_entry {
        return Err(invalid("an entry outside of a map"));
    }
    Ok(made)
}

fn set_tag(field: &mut Field, wire: u8) {
    field.tag = [0; 5];
    let key = u64::from(field.number) << 3 | u64::from(wire);
    field.tag_len = wire::put_varint(&mut field.tag, key) as u8;
    let mut word = [0; 8];
    word[..5].copy_from_slice(&field.tag);
    field.tag_word = u64::from_le_bytes(word);
}

fn wire_type(kind: FieldKind) -> u8 {
    match kind {
        FieldKind::Fixed32 | FieldKind::Sfixed32 | FieldKind::Float => wire::I32,
        FieldKind::Fixed64 | FieldKind::Sfixed64 | FieldKind::Double => wire::I64,
        FieldKind::String
        | FieldKind::Bytes
        | FieldKind::BigInt
        | FieldKind::Number
        | FieldKind::Message => wire::LEN,
        _ => wire::VARINT,
    }
}

// Compilation: wrappers and unions, messages that represent one value and add no level to it.

impl Plan {
    /// Checks that no wrapper or union contains itself without a level in between. Wrappers and
    /// unions add no level to the value, so they do not count as depth, which is only safe under
    /// this condition.
    fn check_wrappers(&self) -> Result<()> {
        let count = self.messages.len();
        let mut settled = vec![false; count];
        for start in 0..count {
            let mut open = vec![(start, 0)];
            let mut within = vec![false; count];
            while let Some((index, at)) = open.pop() {
                let message = &self.messages[index];
                let transparent = matches!(message.form, Form::Wrapper | Form::Union(_));
                if settled[index] || !transparent || at == message.fields.len() {
                    settled[index] = true;
                    within[index] = false;
                    continue;
                }
                within[index] = true;
                open.push((index, at + 1));
                let field = &message.fields[at];
                if field.kind == FieldKind::Message {
                    let next = field.target as usize;
                    if within[next] {
                        return Err(invalid("a wrapper message contains only itself")
                            .under_key(&self.messages[next].name));
                    }
                    open.push((next, 0));
                }
            }
        }
        Ok(())
    }
}

/// Returns the branch of a union for each type of value: the first of the type.
fn branches(schema: &Schema, fields: &[Field]) -> UnionBranches {
    let mut found = UnionBranches::default();
    for (index, field) in (0_u16..).zip(fields) {
        let mut kind = field.kind;
        let mut target = field.target as usize;
        // A wrapper counts as its content. A wrapper of itself is rejected later.
        let mut steps = 0..schema.messages.len();
        while kind == FieldKind::Message
            && steps.next().is_some()
            && let Some(message) = schema.messages.get(target)
            && message.form == proto::Form::Wrapper
            && let Some(inner) = message.fields.first()
            && let Ok(inner) = compile_field(schema, inner)
        {
            kind = inner.kind;
            target = inner.target as usize;
        }
        let slot = match kind {
            FieldKind::Bool => &mut found.bool,
            FieldKind::Int32 | FieldKind::Int64 | FieldKind::Sint32 | FieldKind::Sint64 => {
                &mut found.signed
            }
            FieldKind::Sfixed32 | FieldKind::Sfixed64 => &mut found.signed,
            FieldKind::Uint32 | FieldKind::Uint64 | FieldKind::Fixed32 | FieldKind::Fixed64 => {
                &mut found.unsigned
            }
            FieldKind::Float => &mut found.float,
            FieldKind::Double => &mut found.double,
            FieldKind::String | FieldKind::Enum => &mut found.text,
            FieldKind::Bytes => &mut found.bytes,
            FieldKind::BigInt => &mut found.big,
            FieldKind::Number => &mut found.number,
            FieldKind::Repeated | FieldKind::Packed => &mut found.array,
            FieldKind::Map => &mut found.map,
            FieldKind::Message => match schema.messages.get(target).map(|message| &message.form) {
                Some(proto::Form::Record { .. }) => &mut found.map,
                Some(proto::Form::Tuple) => &mut found.array,
                Some(proto::Form::Variants(_)) => &mut found.variants,
                Some(proto::Form::Null) => &mut found.null,
                Some(proto::Form::Timestamp) => &mut found.timestamp,
                _ => continue,
            },
        };
        slot.get_or_insert(index);
    }
    found
}

// Lookup of fields by number or name, and of enum values. Usually they come in the order of the
// tables.

impl Message {
    /// Returns the index of the field with this number, which is usually `next`.
    #[inline]
    pub(super) fn numbered(&self, number: u32, next: usize) -> Option<usize> {
        if self.fields.get(next).is_some_and(|field| field.number == number) {
            return Some(next);
        }
        match self.by_number.get(number as usize) {
            Some(&u16::MAX) => None,
            Some(&index) => Some(usize::from(index)),
            None => self.numbered_beyond_table(number),
        }
    }

    fn numbered_beyond_table(&self, number: u32) -> Option<usize> {
        let found = self.by_great_number.binary_search_by_key(&number, |entry| entry.0).ok()?;
        Some(usize::from(self.by_great_number[found].1))
    }

    /// Returns the index of the field with this name, which is usually `next`.
    #[inline]
    pub(super) fn named(&self, name: &str, next: usize) -> Option<usize> {
        match self.fields.get(next) {
            Some(field) if is_same(&field.name, name) && next < self.named => Some(next),
            _ => self.named_elsewhere(name),
        }
    }

    #[inline(never)]
    pub(super) fn named_elsewhere(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).map(|&index| usize::from(index))
    }

    /// Checks whether a type has exactly these fields in this order, so that its values can be read
    /// without their names.
    #[inline]
    pub(super) fn is_positional(&self, names: &'static [&'static str]) -> bool {
        self.is_total
            && names.len() == self.fields.len()
            && (self.static_names.load(Relaxed) == names.as_ptr() as usize
                || self.learn_names(names))
    }

    /// Same as [`Field::learn`], for all names of a type.
    #[inline(never)]
    fn learn_names(&self, names: &'static [&'static str]) -> bool {
        let same = self.fields.iter().map(|field| &*field.name).eq(names.iter().copied());
        // An empty list may have the same address as another list.
        if same && !names.is_empty() {
            let address = names.as_ptr() as usize;
            let _ = self.static_names.compare_exchange(0, address, Relaxed, Relaxed);
        }
        same
    }

    /// Returns the fields with names in the value.
    #[inline]
    pub(super) fn named_fields(&self) -> &[Field] {
        &self.fields[..self.named]
    }

    /// Returns the index of the map field for entries that are not named fields.
    #[inline]
    pub(super) fn rest(&self) -> Option<usize> {
        match self.form {
            Form::Record { rest } => rest,
            _ => None,
        }
    }
}

impl Enum {
    /// Returns the number of an enum value, which is usually at `index`.
    #[inline]
    pub(super) fn number_of(&self, name: &str, index: usize) -> Option<i32> {
        match self.values.get(index) {
            Some((known, number)) if **known == *name => Some(*number),
            _ => self.by_name.get(name).map(|&index| self.values[usize::from(index)].1),
        }
    }

    /// Returns the number of an absent value. The default of a closed enum is its first value.
    pub(super) fn default_number(&self) -> i32 {
        match self.values.first() {
            Some((_, number)) if self.closed => *number,
            _ => 0,
        }
    }

    /// Returns the name of a number.
    #[inline]
    pub(super) fn name_of(&self, number: i32) -> Option<&str> {
        // Numbers usually count up from 1 or from 0.
        let guess = usize::try_from(number).unwrap_or(0);
        [guess.wrapping_sub(1), guess]
            .into_iter()
            .filter_map(|index| self.values.get(index))
            .chain(&self.values)
            .find(|value| value.1 == number)
            .map(|value| &*value.0)
    }
}

impl Field {
    /// Checks whether a static name is already known to be this field's.
    #[inline]
    pub(super) fn is_known_as(&self, name: &'static str) -> bool {
        // The bytes at a static address never change. The length is compared too, because a name
        // may be a prefix of another name at the same address.
        self.static_name.load(Relaxed) == name.as_ptr() as usize && name.len() == self.name.len()
    }

    /// Checks whether a static name is this field's, and remembers its address if so. The first
    /// address is kept: copies of a name at several addresses must not replace each other from
    /// several threads.
    pub(super) fn learn(&self, name: &'static str) -> bool {
        let same = *self.name == *name;
        if same {
            let address = name.as_ptr() as usize;
            let _ = self.static_name.compare_exchange(0, address, Relaxed, Relaxed);
        }
        same
    }

    /// Returns the bytes after the field's tag, if they begin with its minimal encoding.
    #[inline]
    pub(super) fn strip_tag<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        match (self.tag_len, bytes) {
            (1, [first, rest @ ..]) if *first == self.tag[0] => Some(rest),
            (2, [first, second, rest @ ..]) if [*first, *second] == self.tag[..2] => Some(rest),
            _ => None,
        }
    }

    /// Returns whether a message without the field is invalid.
    pub(super) fn is_needed(&self) -> bool {
        self.absent == Absent::Invalid
    }

    /// Returns the field for an item or entry.
    #[inline]
    pub(super) fn item(&self) -> &Field {
        // Every repeated field has a field for its items; any other field is its own item.
        self.item.as_deref().unwrap_or(self)
    }
}

/// Compares two names. Names are short: comparing their ends as numbers takes fewer instructions
/// than calling memcmp.
#[inline]
fn is_same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    match left.len() {
        8..=16 => {
            left.first_chunk::<8>() == right.first_chunk::<8>()
                && left.last_chunk::<8>() == right.last_chunk::<8>()
        }
        4..=7 => {
            left.first_chunk::<4>() == right.first_chunk::<4>()
                && left.last_chunk::<4>() == right.last_chunk::<4>()
        }
        2..=3 => {
            left.first_chunk::<2>() == right.first_chunk::<2>()
                && left.last_chunk::<2>() == right.last_chunk::<2>()
        }
        _ => left == right,
    }
}
