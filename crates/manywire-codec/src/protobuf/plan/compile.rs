//! From a schema to the tables: its messages and enums.

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;

use manywire_format::Format;
use manywire_shape::proto::{self, Absent, Schema};
use manywire_shape::{Shape, Tagging};

use super::field::{compile_field, whole};
use super::union::branches;
use super::{Enum, Field, Form, Kind, Message, Plan};
use crate::core::room::Room;
use crate::{Category, Error, Result};

impl Plan {
    /// Compiles a schema. Fails where the schema is not one: an index that leads nowhere, a name
    /// or number given twice, a message that wraps nothing but itself.
    pub fn new(schema: &Schema) -> Result<Plan> {
        let messages = schema
            .messages
            .iter()
            .map(|message| compile(schema, message).map_err(|error| error.under_key(&message.name)))
            .collect::<Result<_>>()?;
        let enums = schema.enums.iter().map(compile_enum).collect::<Result<_>>()?;
        let plan = Plan {
            messages,
            enums,
            root: schema.root,
            whole: whole(schema.root),
            room: Room::default(),
        };
        if plan.root >= plan.messages.len() {
            return Err(invalid("there is no root message"));
        }
        plan.check_wrappers()?;
        Ok(plan)
    }

    /// Compiles the messages that hold the values of a shape.
    pub fn from_shape(shape: &Shape) -> Result<Plan> {
        let schema = Schema::from_shape(shape).map_err(invalid)?;
        Plan::new(&schema)
    }
}

#[cold]
#[inline(never)]
pub(super) fn invalid(message: impl std::fmt::Display) -> Error {
    Error::new(Category::Unsupported, message).with_format(Format::Protobuf)
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
    // Twice as long as the fields it names, so that a few numbers far apart cost no space.
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
        has_oneof: fields.iter().any(|field| field.oneof.is_some()),
        is_total,
        static_names: AtomicUsize::new(0),
        fields,
        by_number: small.into(),
        by_great_number: great.into(),
        by_name,
    })
}

fn compile_form(schema: &Schema, message: &proto::Message, fields: &[Field]) -> Result<Form> {
    let expect = |fits: bool, what: &str| if fits { Ok(()) } else { Err(invalid(what)) };
    Ok(match &message.form {
        proto::Form::Record { rest } => {
            let last = |rest: usize| rest + 1 == fields.len() && fields[rest].kind == Kind::Map;
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
            let kinds = [Kind::Int64, Kind::Int32];
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
    })
}
