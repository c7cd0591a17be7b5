//! Applies the marks of messages and fields ([`MessageMark`], [`FieldMark`]), which restore what a
//! `.proto` cannot express.

use std::collections::HashSet;

use manywire_shape::proto::{
    Absent, Field, FieldMark, Form, Kind, Label, Message, MessageMark, Schema,
};

/// Restores the forms and types that marked messages and fields had when the schema was made from a
/// shape.
///
/// A message or field that no longer fits its mark, because somebody changed it, is read like any
/// other.
pub(super) fn apply(schema: &mut Schema) {
    let mut entries = Vec::new();
    let alone = alone(schema);
    let messages = schema.messages.iter_mut().enumerate();
    for (index, message) in messages.filter(|(_, it)| !it.reserved.names.is_empty()) {
        for at in 0..message.fields.len() {
            apply_to_field(message, at, &mut entries);
        }
        let has = |mark: &MessageMark| message.reserved.has_name(mark.name());
        match MessageMark::ALL.into_iter().find(has) {
            Some(MessageMark::Transparent) => wrap(message, false),
            Some(MessageMark::Nullable) => wrap(message, true),
            Some(MessageMark::Union) => unite(message),
            Some(MessageMark::Entry) if !alone.contains(&index) => pair(message),
            Some(MessageMark::Entry) | None => {}
        }
    }
    for (index, kind) in entries {
        let Message { form, fields, .. } = &mut schema.messages[index];
        if let (Form::Entry { native: true }, [_, value]) = (form, &mut fields[..])
            && value.kind == Kind::String
        {
            value.kind = kind;
        }
    }
    let is_record = |index: &usize| matches!(schema.messages[*index].form, Form::Record { .. });
    let others = (0..schema.messages.len()).filter(|index| !is_record(index));
    let endless: Vec<usize> = others.filter(|&index| represents_itself(schema, index)).collect();
    for index in endless {
        schema.messages[index].form = Form::Record { rest: None };
    }
}

/// Applies the marks of a field. A mark for the values of a map is added to `entries`, with the
/// index of the message of the map's entries.
fn apply_to_field(message: &mut Message, at: usize, entries: &mut Vec<(usize, Kind)>) {
    let field = &mut message.fields[at];
    let has = |mark: FieldMark, field: &Field| message.reserved.has_name(&mark.name(field));
    let numbers = [(FieldMark::Integer, Kind::BigInt), (FieldMark::Number, Kind::Number)];
    for (mark, kind) in numbers {
        match field.kind {
            Kind::String if has(mark, field) => field.kind = kind,
            Kind::Message(index) if has(mark, field) => entries.push((index, kind)),
            _ => {}
        }
    }
    if has(FieldMark::Optional, field) && field.label.is_repeated() {
        field.absent = Absent::Missing;
    }
    if has(FieldMark::Null, field) && (field.nullable || field.label.is_repeated()) {
        field.nullable = true;
        field.absent = Absent::Null;
    }
}

fn wrap(message: &mut Message, is_nullable: bool) {
    let [field] = &mut message.fields[..] else { return };
    // A field without presence, as it becomes here, cannot have a default.
    let has_default = field.default.is_some();
    if is_nullable && field.label.is_repeated() || field.oneof.is_some() || has_default {
        return;
    }
    if !field.label.is_repeated() {
        field.label = if is_nullable { Label::Optional } else { Label::Singular };
    }
    field.nullable = is_nullable;
    field.absent = if is_nullable { Absent::Null } else { Absent::Zero };
    message.form = Form::Wrapper;
}

fn unite(message: &mut Message) {
    if message.fields.is_empty() || message.fields.iter().any(|field| field.oneof != Some(0)) {
        return;
    }
    message.fields.iter_mut().for_each(|field| field.nullable = false);
    message.form = Form::Union;
}

/// Returns the messages that are not only items of lists: the root, and the types of groups and of
/// fields that are not repeated. A map has its entries in a repeated field, with their lengths.
fn alone(schema: &Schema) -> HashSet<usize> {
    let fields = schema.messages.iter().flat_map(|message| &message.fields);
    let single = fields.filter(|field| !field.label.is_repeated() || field.delimited);
    let types = single.filter_map(|field| match field.kind {
        Kind::Message(index) => Some(index),
        _ => None,
    });
    types.chain([schema.root]).collect()
}

fn pair(message: &mut Message) {
    let fits = |field: &Field| {
        !field.label.is_repeated() && field.oneof.is_none() && field.default.is_none()
    };
    let numbers = message.fields.iter().map(|field| field.number);
    if !numbers.eq([1, 2]) || !message.fields.iter().all(fits) {
        return;
    }
    for field in &mut message.fields {
        field.label = Label::Singular;
        field.nullable = false;
        field.required = true;
        field.absent = Absent::Zero;
    }
    message.form = Form::Entry { native: false };
}

/// Returns whether a message represents the value of its field and that value is, directly or
/// indirectly, the message again. Such messages could nest without adding a level to the value, so
/// no limit on depth would apply.
fn represents_itself(schema: &Schema, start: usize) -> bool {
    let mut seen = vec![false; schema.messages.len()];
    let mut waiting = vec![start];
    while let Some(index) = waiting.pop() {
        let message = &schema.messages[index];
        let fields = match message.form {
            Form::Wrapper | Form::Union => &message.fields[..],
            _ => &[],
        };
        for field in fields.iter().filter(|field| !field.label.is_repeated()) {
            let Kind::Message(inner) = field.kind else { continue };
            if inner == start {
                return true;
            }
            if !std::mem::replace(&mut seen[inner], true) {
                waiting.push(inner);
            }
        }
    }
    false
}
