use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto};

use super::names::Names;
use super::{Result, invalid};

/// Where a field stands.
pub(super) struct Place<'p> {
    pub(super) names: &'p Names,
    /// The full name of its message.
    pub(super) scope: &'p str,
    pub(super) package: &'p str,
    pub(super) is_proto3: bool,
    /// The messages within, among them the entries of maps.
    pub(super) nested: &'p [DescriptorProto],
    pub(super) in_oneof: bool,
}

/// A field, without indentation: `repeated Room rooms = 3 [deprecated = true];`.
pub(super) fn text(field: &FieldDescriptorProto, place: &Place<'_>) -> Result<String> {
    let Place { scope, nested, .. } = place;
    let (name, number) = (field.name(), field.number());
    if !is_identifier(name) {
        return invalid(scope, format_args!("{name:?} is no name of a field"));
    }
    if !(1..1 << 29).contains(&number) {
        return invalid(scope, format_args!("the field {name} has the number {number}"));
    }
    let entry = match entry_of(field, nested) {
        Some(entry) => Some(map_type(entry, place)?),
        None => None,
    };
    let is_repeated = field.label() == Label::Repeated && entry.is_none();
    let label = match field.label() {
        _ if entry.is_some() || place.in_oneof => "",
        Label::Repeated => "repeated ",
        Label::Required => "required ",
        Label::Optional if !place.is_proto3 || field.proto3_optional() => "optional ",
        Label::Optional => "",
    };
    let kind = match entry {
        Some(map) => map,
        None => type_name(field, place)?,
    };
    let options = options(field, is_repeated, place)?;
    Ok(format!("{label}{kind} {name} = {number}{options};"))
}

/// The entry of a map that a field is, which stands beside it as a message of its own.
fn entry_of<'n>(
    field: &FieldDescriptorProto,
    nested: &'n [DescriptorProto],
) -> Option<&'n DescriptorProto> {
    if field.r#type() != Type::Message || field.label() != Label::Repeated {
        return None;
    }
    let name = field.type_name().rsplit('.').next()?;
    nested.iter().find(|message| message.name() == name && is_entry(message))
}

/// Whether a message is the entry of a map, which is not written as one.
pub(super) fn is_entry(message: &DescriptorProto) -> bool {
    message.options.as_ref().is_some_and(|options| options.map_entry())
}

fn map_type(entry: &DescriptorProto, place: &Place<'_>) -> Result<String> {
    let part = |number| entry.field.iter().find(|field| field.number() == number);
    match (part(1), part(2)) {
        (Some(key), Some(value)) => {
            Ok(format!("map<{}, {}>", type_name(key, place)?, type_name(value, place)?))
        }
        _ => invalid(place.scope, format_args!("{} is no entry of a map", entry.name())),
    }
}

fn type_name(field: &FieldDescriptorProto, place: &Place<'_>) -> Result<String> {
    // A type that is not given is a message or an enum, whichever has the name.
    let scalar = match field.r#type.map(Type::try_from) {
        Some(Err(unknown)) => {
            return invalid(place.scope, format_args!("{}: {unknown}", field.name()));
        }
        Some(Ok(Type::Group)) => {
            let reason = format_args!("{} is a group: make it a message", field.name());
            return invalid(place.scope, reason);
        }
        Some(Ok(kind)) => scalar(kind),
        None => None,
    };
    match scalar {
        Some(scalar) => Ok(scalar.to_owned()),
        None if field.type_name().split('.').skip(1).all(is_identifier)
            && field.type_name().len() > 1 =>
        {
            Ok(place.names.relative(field.type_name(), place.scope, place.package))
        }
        None => {
            let reason = format_args!("{} is of the type {:?}", field.name(), field.type_name());
            invalid(place.scope, reason)
        }
    }
}

fn scalar(kind: Type) -> Option<&'static str> {
    Some(match kind {
        Type::Double => "double",
        Type::Float => "float",
        Type::Int64 => "int64",
        Type::Uint64 => "uint64",
        Type::Int32 => "int32",
        Type::Fixed64 => "fixed64",
        Type::Fixed32 => "fixed32",
        Type::Bool => "bool",
        Type::String => "string",
        Type::Bytes => "bytes",
        Type::Uint32 => "uint32",
        Type::Sfixed32 => "sfixed32",
        Type::Sfixed64 => "sfixed64",
        Type::Sint32 => "sint32",
        Type::Sint64 => "sint64",
        Type::Message | Type::Enum | Type::Group => return None,
    })
}

fn options(field: &FieldDescriptorProto, is_repeated: bool, place: &Place<'_>) -> Result<String> {
    let mut options = Vec::new();
    if let Some(value) = &field.default_value {
        // Texts and bytes stand in quotes; those of bytes are escaped already.
        options.push(match field.r#type() {
            Type::String => format!("default = {}", quoted(value)),
            Type::Bytes => format!("default = \"{value}\""),
            _ if is_plain(value) => format!("default = {value}"),
            _ => {
                let reason = format_args!("the default of {} is {value:?}", field.name());
                return invalid(place.scope, reason);
            }
        });
    }
    if let Some(name) = &field.json_name
        && *name != json_name(field.name())
    {
        options.push(format!("json_name = {}", quoted(name)));
    }
    if let Some(set) = &field.options {
        if let Some(packed) = set.packed.filter(|_| is_repeated) {
            options.push(format!("packed = {packed}"));
        }
        if set.deprecated() {
            options.push("deprecated = true".to_owned());
        }
    }
    Ok(if options.is_empty() { String::new() } else { format!(" [{}]", options.join(", ")) })
}

/// The name that a field has in JSON by itself: without underlines, the letters behind them large.
fn json_name(name: &str) -> String {
    let mut json = String::with_capacity(name.len());
    let mut is_next_large = false;
    for character in name.chars() {
        match character {
            '_' => is_next_large = true,
            character if is_next_large => {
                json.push(character.to_ascii_uppercase());
                is_next_large = false;
            }
            character => json.push(character),
        }
    }
    json
}

/// Text as a literal of the language.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            control if control.is_ascii_control() => {
                quoted.push_str(&format!("\\{:03o}", u32::from(control)));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

pub(super) fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a default may stand there without quotes: a number, a name, `true`, `inf`.
fn is_plain(value: &str) -> bool {
    !value.is_empty()
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+-.".contains(&byte))
}
