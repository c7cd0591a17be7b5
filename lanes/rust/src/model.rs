//! The value that each message represents, as the contract describes.

use std::collections::BTreeMap;

use manywire_shape::Tagging;
use manywire_shape::proto::{
    self, Absent, Enum, EnumValue, Field, Form, Label, Message, Reserved, Schema,
};
use serde::Deserialize;

use crate::error::Result;

/// The model of a `schema` request.
#[derive(Clone, Deserialize)]
pub(crate) struct Model {
    pub(crate) root: String,
    pub(crate) messages: BTreeMap<String, MessageModel>,
    /// The enums by name. Each maps its numbers, in decimal digits, to their names.
    pub(crate) enums: BTreeMap<String, BTreeMap<String, String>>,
}

/// A message type.
#[derive(Clone, Deserialize)]
pub(crate) struct MessageModel {
    pub(crate) form: String,
    pub(crate) fields: Vec<FieldModel>,
    pub(crate) rest: Option<String>,
}

/// A field of a message.
#[derive(Clone, Deserialize)]
pub(crate) struct FieldModel {
    pub(crate) proto: String,
    pub(crate) name: String,
    pub(crate) number: u32,
    pub(crate) kind: String,
    pub(crate) of: Option<String>,
    pub(crate) label: String,
    pub(crate) absent: String,
}

impl Model {
    /// Returns the messages as a schema of `manywire`.
    pub(crate) fn schema(&self) -> Result<Schema> {
        let messages = self.messages.iter();
        let messages = messages.map(|(name, message)| self.lower(name, message));
        let enums = self.enums.iter().map(|(name, values)| lower_enum(name, values));
        let root = self.messages.keys().position(|name| *name == self.root);
        Ok(Schema {
            messages: messages.collect::<Result<_>>()?,
            enums: enums.collect::<Result<_>>()?,
            root: root.ok_or_else(|| format!("the model has no message {}", self.root))?,
        })
    }

    fn lower(&self, name: &str, message: &MessageModel) -> Result<Message> {
        let rest = message.rest.as_ref();
        let rest = rest.and_then(|rest| message.fields.iter().position(|it| it.proto == *rest));
        let (form, chosen) = match message.form.as_str() {
            "record" => (Form::Record { rest }, false),
            "tuple" => (Form::Tuple, false),
            "wrapper" => (Form::Wrapper, false),
            "map" => (Form::Entry { native: true }, false),
            "entry" => (Form::Entry { native: false }, false),
            "variants" => (Form::Variants(Tagging::External), true),
            "union" => (Form::Union, true),
            "null" => (Form::Null, false),
            "timestamp" => (Form::Timestamp, false),
            other => return Err(format!("{name}: no form is called {other}").into()),
        };
        let fields = message.fields.iter().map(|field| self.lower_field(field, chosen));
        Ok(Message {
            name: name.to_owned(),
            doc: String::new(),
            import: None,
            form,
            fields: fields.collect::<Result<_>>()?,
            oneofs: if chosen { vec!["value".to_owned()] } else { Vec::new() },
            reserved: Reserved::default(),
        })
    }

    fn lower_field(&self, field: &FieldModel, chosen: bool) -> Result<Field> {
        use proto::Kind;
        let of = field.of.as_deref().unwrap_or_default();
        let place = |found: Option<usize>| {
            found.ok_or_else(|| format!("{}: the model has no {of}", field.proto))
        };
        let kind = match field.kind.as_str() {
            "bigint" => Kind::BigInt,
            "number" => Kind::Number,
            "enum" => Kind::Enum(place(self.enums.keys().position(|name| name == of))?),
            "message" => Kind::Message(place(self.messages.keys().position(|name| name == of))?),
            other => Kind::scalar(other)
                .ok_or_else(|| format!("{}: no kind is called {other}", field.proto))?,
        };
        let mut lowered = Field::new(field.name.clone(), field.number, kind);
        lowered.proto_name.clone_from(&field.proto);
        lowered.label = match field.label.as_str() {
            "singular" => Label::Singular,
            "optional" => Label::Optional,
            "repeated" => Label::Repeated,
            "packed" => Label::Packed,
            other => return Err(format!("{}: no label is called {other}", field.proto).into()),
        };
        lowered.absent = match field.absent.as_str() {
            "zero" => Absent::Zero,
            "null" => Absent::Null,
            "missing" => Absent::Missing,
            other => return Err(format!("{}: absent as {other}", field.proto).into()),
        };
        lowered.oneof = chosen.then_some(0);
        lowered.required = lowered.absent == Absent::Zero;
        lowered.nullable = !lowered.required;
        Ok(lowered)
    }
}

fn lower_enum(name: &str, values: &BTreeMap<String, String>) -> Result<Enum> {
    let value = |(number, value): (&String, &String)| {
        Ok(EnumValue {
            name: value.clone(),
            proto_name: value.clone(),
            proto_aliases: Vec::new(),
            aliases: Vec::new(),
            doc: String::new(),
            number: number.parse().map_err(|_| format!("{name}: {number:?} is not a number"))?,
            given: true,
        })
    };
    Ok(Enum {
        name: name.to_owned(),
        scope: None,
        doc: String::new(),
        import: None,
        values: values.iter().map(value).collect::<Result<_>>()?,
        open: false,
        closed: false,
        reserved: Reserved::default(),
    })
}
