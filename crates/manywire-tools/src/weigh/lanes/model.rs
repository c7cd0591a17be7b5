use manywire_shape::proto::{Absent, Field, Form, Kind, Label, Message, Schema};
use serde_json::{Map, Value, json};

/// The name of the `.proto` that a lane is given.
pub(super) const FILE: &str = "manywire.proto";

/// The package of its messages, so that no name of theirs meets one of the library's own.
pub(super) const PACKAGE: &str = "manywire.payload";

/// Which value each message stands for, as `lanes/CONTRACT.md` describes it.
pub(super) fn model(schema: &Schema) -> Value {
    let messages: Map<String, Value> = schema
        .messages
        .iter()
        .map(|message| (message.name.clone(), describe(message, schema)))
        .collect();
    let enums: Map<String, Value> = schema
        .enums
        .iter()
        .map(|each| {
            let names = each
                .values
                .iter()
                .map(|value| (value.number.to_string(), Value::from(value.name.clone())));
            (each.name.clone(), Value::Object(names.collect()))
        })
        .collect();
    json!({
        "file": FILE,
        "package": PACKAGE,
        "root": schema.messages[schema.root].name,
        "messages": messages,
        "enums": enums,
    })
}

fn describe(message: &Message, schema: &Schema) -> Value {
    let form = match &message.form {
        Form::Record { .. } => "record",
        Form::Tuple => "tuple",
        Form::Wrapper => "wrapper",
        Form::Entry { native: true } => "map",
        Form::Entry { native: false } => "entry",
        Form::Variants(_) => "variants",
        Form::Union => "union",
        Form::Null => "null",
        Form::Timestamp => "timestamp",
    };
    let fields: Vec<Value> =
        message.fields.iter().map(|field| describe_field(field, schema)).collect();
    let mut members = json!({ "form": form, "fields": fields });
    if let Form::Record { rest: Some(rest) } = message.form {
        members["rest"] = json!(message.fields[rest].proto_name);
    }
    members
}

fn describe_field(field: &Field, schema: &Schema) -> Value {
    let (kind, of) = match field.kind {
        Kind::Enum(index) => ("enum", Some(&schema.enums[index].name)),
        Kind::Message(index) => ("message", Some(&schema.messages[index].name)),
        Kind::BigInt => ("bigint", None),
        Kind::Number => ("number", None),
        Kind::Bool => ("bool", None),
        Kind::Int32 => ("int32", None),
        Kind::Int64 => ("int64", None),
        Kind::Uint32 => ("uint32", None),
        Kind::Uint64 => ("uint64", None),
        Kind::Sint32 => ("sint32", None),
        Kind::Sint64 => ("sint64", None),
        Kind::Fixed32 => ("fixed32", None),
        Kind::Fixed64 => ("fixed64", None),
        Kind::Sfixed32 => ("sfixed32", None),
        Kind::Sfixed64 => ("sfixed64", None),
        Kind::Float => ("float", None),
        Kind::Double => ("double", None),
        Kind::String => ("string", None),
        Kind::Bytes => ("bytes", None),
    };
    let label = match field.label {
        Label::Singular => "singular",
        Label::Optional => "optional",
        Label::Repeated => "repeated",
        Label::Packed => "packed",
    };
    let absent = match field.absent {
        Absent::Zero => "zero",
        Absent::Null => "null",
        Absent::Missing => "missing",
    };
    let mut members = json!({
        "proto": field.proto_name,
        "name": field.name,
        "number": field.number,
        "kind": kind,
        "label": label,
        "absent": absent,
    });
    if let Some(of) = of {
        members["of"] = json!(of);
    }
    members
}
