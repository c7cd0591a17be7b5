//! Converts prost messages to the values that they represent. The model has the names and forms that
//! Protocol Buffers cannot express.

use manywire_shape::{Arena, Timestamp, Value};

use crate::error::Result;
use crate::model::{FieldModel, MessageModel, Model};

/// Returns the value that a message represents. `fields` is the message as an array of all its fields, in
/// the order of the model.
pub(crate) fn root<'a>(model: &Model, fields: Value<'a>, arena: &'a Arena) -> Result<Value<'a>> {
    let reader = Reader { model, arena };
    reader.message(reader.of(&model.root)?, fields)
}

struct Reader<'m, 'a> {
    model: &'m Model,
    arena: &'a Arena,
}

impl<'m, 'a> Reader<'m, 'a> {
    /// Returns a message of the model by its name.
    fn of(&self, name: &str) -> Result<&'m MessageModel> {
        let found = self.model.messages.get(name);
        Ok(found.ok_or_else(|| format!("the model has no message {name}"))?)
    }

    fn message(&self, message: &MessageModel, value: Value<'a>) -> Result<Value<'a>> {
        let Value::Array(values) = value else {
            return Err(format!("a message was read as {}", value.kind()).into());
        };
        if matches!(message.form.as_str(), "union" | "variants") {
            return self.chosen(message, values);
        }
        if values.len() != message.fields.len() {
            let (found, expected) = (values.len(), message.fields.len());
            return Err(format!("a message of {found} fields, the model has {expected}").into());
        }
        let mut fields = message.fields.iter().zip(values.iter().copied());
        match message.form.as_str() {
            "record" => self.record(message, fields),
            "wrapper" => {
                let (field, value) = fields.next().ok_or("a wrapper without a field")?;
                self.field(field, value)
            }
            "tuple" => {
                let items: Vec<Value<'a>> =
                    fields.map(|(field, value)| self.field(field, value)).collect::<Result<_>>()?;
                Ok(Value::Array(self.arena.alloc_slice_copy(&items)))
            }
            "null" => Ok(Value::Null),
            "timestamp" => match values {
                [Value::I64(seconds), Value::I64(nanos)] => {
                    let nanos = u32::try_from(*nanos)?;
                    let time = Timestamp::new(*seconds, nanos).ok_or("nanoseconds out of range")?;
                    Ok(Value::Timestamp(time))
                }
                _ => Err("expected a timestamp of two numbers".into()),
            },
            form => Err(format!("a message of the form {form} among types").into()),
        }
    }

    /// Returns the value of a message whose only field is a `oneof`, which prost has as an enum. Its
    /// variants have the names of the fields in Rust's case.
    fn chosen(&self, message: &MessageModel, values: &[Value<'a>]) -> Result<Value<'a>> {
        let (variant, value) = match values {
            [Value::Null] => return Ok(Value::Null),
            [Value::Map([(Value::Str(variant), value)])] => (variant, value),
            _ => return Err("expected one variant of a oneof".into()),
        };
        let plain = |name: &str| name.replace('_', "").to_ascii_lowercase();
        let field = message.fields.iter().find(|field| plain(&field.proto) == plain(variant));
        let field = field.ok_or_else(|| format!("the model has no field for {variant}"))?;
        let value = self.field(field, *value)?;
        if message.form == "union" {
            return Ok(value);
        }
        let entry = (Value::Str(self.arena.alloc_str(&field.name)), value);
        Ok(Value::Map(self.arena.alloc_slice_copy(&[entry])))
    }

    fn record<'f>(
        &self,
        message: &MessageModel,
        fields: impl Iterator<Item = (&'f FieldModel, Value<'a>)>,
    ) -> Result<Value<'a>> {
        let mut entries = Vec::new();
        for (field, value) in fields {
            let value = self.field(field, value)?;
            match value {
                Value::Map(rest) if message.rest.as_ref() == Some(&field.proto) => {
                    entries.extend_from_slice(rest);
                }
                _ => entries.push((Value::Str(self.arena.alloc_str(&field.name)), value)),
            }
        }
        Ok(Value::Map(self.arena.alloc_slice_copy(&entries)))
    }

    fn field(&self, field: &FieldModel, value: Value<'a>) -> Result<Value<'a>> {
        let of = field.of.as_deref().filter(|_| field.kind == "message");
        let of = of.map(|name| self.of(name)).transpose()?;
        let repeated = matches!(field.label.as_str(), "repeated" | "packed");
        match (of, value) {
            (Some(of), Value::Map(entries)) if of.form == "map" => {
                let (key, item) = entry(of)?;
                let entries = entries.iter();
                let entries = entries.map(|&(k, v)| Ok((self.item(key, k)?, self.item(item, v)?)));
                let entries: Vec<_> = entries.collect::<Result<_>>()?;
                Ok(Value::Map(self.arena.alloc_slice_copy(&entries)))
            }
            (Some(of), Value::Array(items)) if repeated && of.form == "entry" => {
                let (key, item) = entry(of)?;
                let one = |pair: &Value<'a>| match pair {
                    Value::Array([k, v]) => Ok((self.field(key, *k)?, self.field(item, *v)?)),
                    _ => Err("expected an entry of two values".into()),
                };
                let entries: Vec<_> = items.iter().map(one).collect::<Result<_>>()?;
                Ok(Value::Map(self.arena.alloc_slice_copy(&entries)))
            }
            // An array without items is an empty array if absence means zero, otherwise null.
            (_, Value::Array([])) if repeated && field.absent != "zero" => Ok(Value::Null),
            (_, Value::Array(items)) if repeated => {
                let items: Vec<_> =
                    items.iter().map(|item| self.item(field, *item)).collect::<Result<_>>()?;
                Ok(Value::Array(self.arena.alloc_slice_copy(&items)))
            }
            (_, Value::Null) => Ok(Value::Null),
            (_, value) => self.item(field, value),
        }
    }

    fn item(&self, field: &FieldModel, value: Value<'a>) -> Result<Value<'a>> {
        Ok(match (field.kind.as_str(), value) {
            ("message", value) => {
                let of = field.of.as_deref().unwrap_or_default();
                self.message(self.of(of)?, value)?
            }
            ("enum", Value::I64(number)) => {
                let names = self.model.enums.get(field.of.as_deref().unwrap_or_default());
                let name = names.and_then(|names| names.get(&number.to_string()));
                name.map_or(value, |name| Value::Str(self.arena.alloc_str(name)))
            }
            ("bytes", Value::Array(items)) => {
                // serde serializes a `Vec<u8>` as a sequence.
                let one = |item: &Value<'a>| match item {
                    Value::I64(byte) => Ok(u8::try_from(*byte)?),
                    _ => Err("expected bytes".into()),
                };
                let bytes: Vec<u8> = items.iter().map(one).collect::<Result<_>>()?;
                Value::Bytes(self.arena.alloc_slice_copy(&bytes))
            }
            ("bigint" | "number", Value::Str(text)) => match text.parse() {
                Ok(number) => Value::I64(number),
                Err(_) => text.parse().map_or(Value::Number(text), Value::U64),
            },
            (_, value) => value,
        })
    }
}

/// Returns the fields of an entry: key and value.
fn entry(of: &MessageModel) -> Result<(&FieldModel, &FieldModel)> {
    match of.fields.as_slice() {
        [key, value] => Ok((key, value)),
        fields => Err(format!("an entry of {} fields", fields.len()).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_oneof_is_the_value_of_its_variant() {
        let text = r#"{"root": "Root", "messages": {"Root": {"form": "union", "fields": [
            {"proto": "text", "name": "text", "number": 1, "kind": "string", "label": "singular", "absent": "missing"},
            {"proto": "int_64", "name": "int_64", "number": 2, "kind": "int64", "label": "singular", "absent": "missing"}
        ]}}, "enums": {}}"#;
        let model: Model = serde_json::from_str(text).expect("a model");
        let arena = Arena::new();
        let chosen = |variant: &'static str| {
            let entry = arena.alloc_slice_copy(&[(Value::Str(variant), Value::I64(7))]);
            root(&model, Value::Array(arena.alloc_slice_copy(&[Value::Map(entry)])), &arena)
        };
        assert_eq!(chosen("Int64").expect("a value"), Value::I64(7));
        assert!(chosen("Other").is_err());
        let none = root(&model, Value::Array(&[Value::Null]), &arena);
        assert_eq!(none.expect("a value"), Value::Null);
    }
}
