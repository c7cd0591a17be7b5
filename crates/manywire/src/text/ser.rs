//! Serializes values as plain text, and records as pairs of a query or form.

use std::fmt::Display;

use serde::ser::{
    Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple,
    SerializeTupleStruct, Serializer,
};

use super::TextError;

type Result<T> = std::result::Result<T, TextError>;

/// Serializes a value as text: no text if it is absent, one text, or one for each item of a list.
pub(crate) fn texts<T: Serialize + ?Sized>(value: &T) -> Result<Vec<String>> {
    value.serialize(TextSerializer)
}

pub(super) struct TextSerializer;

macro_rules! plain {
    ($($method:ident $ty:ty),+ $(,)?) => {$(
        fn $method(self, value: $ty) -> Result<Vec<String>> {
            Ok(vec![value.to_string()])
        }
    )+};
}

/// Declares methods of a serializer that refuse their values with the error `$refuse()`. `scalars`
/// are booleans, numbers, characters and strings.
macro_rules! refuse {
    ($refuse:path, $($method:ident($($arg:ty),*) -> $ok:ty;)+) => {$(
        fn $method(self, $(_: $arg),*) -> std::result::Result<$ok, Self::Error> {
            Err($refuse())
        }
    )+};
    ($refuse:path, scalars, tuples, variants; $($others:tt)+) => {
        fn serialize_newtype_variant<T: Serialize + ?Sized>(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: &T,
        ) -> std::result::Result<Self::Ok, Self::Error> {
            Err($refuse())
        }

        refuse! {
            $refuse,
            serialize_bool(bool) -> Self::Ok;
            serialize_i8(i8) -> Self::Ok;
            serialize_i16(i16) -> Self::Ok;
            serialize_i32(i32) -> Self::Ok;
            serialize_i64(i64) -> Self::Ok;
            serialize_u8(u8) -> Self::Ok;
            serialize_u16(u16) -> Self::Ok;
            serialize_u32(u32) -> Self::Ok;
            serialize_u64(u64) -> Self::Ok;
            serialize_f32(f32) -> Self::Ok;
            serialize_f64(f64) -> Self::Ok;
            serialize_char(char) -> Self::Ok;
            serialize_str(&str) -> Self::Ok;
            serialize_tuple(usize) -> Self::SerializeTuple;
            serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
            serialize_unit_variant(&'static str, u32, &'static str) -> Self::Ok;
            serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
            serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
            $($others)+
        }
    };
}

/// Declares the methods of a serializer for options and newtypes, which are written as their content.
macro_rules! transparent {
    () => {
        fn serialize_some<T: Serialize + ?Sized>(
            self,
            value: &T,
        ) -> std::result::Result<Self::Ok, Self::Error> {
            value.serialize(self)
        }

        fn serialize_newtype_struct<T: Serialize + ?Sized>(
            self,
            _: &'static str,
            value: &T,
        ) -> std::result::Result<Self::Ok, Self::Error> {
            value.serialize(self)
        }
    };
}

#[cfg(all(feature = "multipart", feature = "client"))]
pub(crate) use {refuse, transparent};

#[cold]
fn not_text() -> TextError {
    unsupported("a record or a variant with content")
}

#[cold]
fn unsupported(what: impl Display) -> TextError {
    TextError::new(format_args!("text cannot hold {what}"))
}

fn finite(value: f64, text: String) -> Result<Vec<String>> {
    if value.is_finite() { Ok(vec![text]) } else { Err(unsupported(value)) }
}

impl Serializer for TextSerializer {
    type Ok = Vec<String>;
    type Error = TextError;
    type SerializeSeq = TextList;
    type SerializeTuple = TextList;
    type SerializeTupleStruct = TextList;
    type SerializeTupleVariant = Impossible<Vec<String>, TextError>;
    type SerializeMap = Impossible<Vec<String>, TextError>;
    type SerializeStruct = Impossible<Vec<String>, TextError>;
    type SerializeStructVariant = Impossible<Vec<String>, TextError>;

    plain! {
        serialize_bool bool, serialize_char char, serialize_str &str,
        serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64,
        serialize_i128 i128, serialize_u8 u8, serialize_u16 u16, serialize_u32 u32,
        serialize_u64 u64, serialize_u128 u128,
    }

    transparent! {}

    fn serialize_f32(self, value: f32) -> Result<Vec<String>> {
        finite(value.into(), value.to_string())
    }

    fn serialize_f64(self, value: f64) -> Result<Vec<String>> {
        finite(value, value.to_string())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Vec<String>> {
        match std::str::from_utf8(value) {
            Ok(text) => Ok(vec![text.to_owned()]),
            Err(_) => Err(unsupported("bytes that are not UTF-8")),
        }
    }

    fn serialize_none(self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn serialize_unit(self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<Vec<String>> {
        Ok(vec![name.to_owned()])
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<Vec<String>> {
        Ok(vec![variant.to_owned()])
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _value: &T,
    ) -> Result<Vec<String>> {
        Err(unsupported(format_args!("the content of the variant {variant}")))
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<TextList> {
        Ok(TextList(Vec::new()))
    }

    fn serialize_tuple(self, _len: usize) -> Result<TextList> {
        Ok(TextList(Vec::new()))
    }

    fn serialize_tuple_struct(self, _name: &'static str, _len: usize) -> Result<TextList> {
        Ok(TextList(Vec::new()))
    }

    refuse! {
        not_text,
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }
}

/// The items of a list, one text each.
pub(super) struct TextList(Vec<String>);

impl TextList {
    fn push<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<()> {
        let mut texts = item.serialize(TextSerializer)?;
        match (texts.pop(), texts.is_empty()) {
            (Some(text), true) => self.0.push(text),
            _ => return Err(unsupported("a list within a list, or nothing within one")),
        }
        Ok(())
    }
}

macro_rules! list {
    ($($name:ident $method:ident),+) => {$(
        impl $name for TextList {
            type Ok = Vec<String>;
            type Error = TextError;

            fn $method<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<()> {
                self.push(item)
            }

            fn end(self) -> Result<Vec<String>> {
                Ok(self.0)
            }
        }
    )+};
}

list!(SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field);

/// Serializes a record as the pairs of a query or a form.
pub(crate) fn pairs<T: Serialize + ?Sized>(value: &T) -> Result<Vec<(String, String)>> {
    Ok(fields(value, PairCollector::default())?.0)
}

/// A receiver of the fields of a record.
pub(crate) trait Fields {
    /// Adds a field.
    ///
    /// # Errors
    /// Fails if the receiver cannot represent the value.
    fn add<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()>;
}

/// Passes each field of a record to a receiver.
///
/// # Errors
/// Fails if the receiver fails, with the name of the field, and for a value that is not a record or
/// a map. `None` and unit values have no fields.
pub(crate) fn fields<F: Fields, T: Serialize + ?Sized>(value: &T, fields: F) -> Result<F> {
    value.serialize(RecordSerializer(fields))
}

#[derive(Default)]
struct PairCollector(Vec<(String, String)>);

impl Fields for PairCollector {
    fn add<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        let texts = value.serialize(TextSerializer)?;
        self.0.extend(texts.into_iter().map(|text| (name.to_owned(), text)));
        Ok(())
    }
}

/// Serializes records and maps, and rejects values without names.
struct RecordSerializer<F>(F);

#[cold]
fn nameless() -> TextError {
    TextError::new("expected a record or a map with named fields")
}

impl<F: Fields> Serializer for RecordSerializer<F> {
    type Ok = F;
    type Error = TextError;
    type SerializeSeq = Impossible<Self::Ok, TextError>;
    type SerializeTuple = Impossible<Self::Ok, TextError>;
    type SerializeTupleStruct = Impossible<Self::Ok, TextError>;
    type SerializeTupleVariant = Impossible<Self::Ok, TextError>;
    type SerializeMap = FieldSerializer<F>;
    type SerializeStruct = FieldSerializer<F>;
    type SerializeStructVariant = Impossible<Self::Ok, TextError>;

    refuse! {
        nameless, scalars, tuples, variants;
        serialize_bytes(&[u8]) -> Self::Ok;
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
    }

    transparent! {}

    fn serialize_none(self) -> Result<Self::Ok> {
        Ok(self.0)
    }

    fn serialize_unit(self) -> Result<Self::Ok> {
        Ok(self.0)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<Self::Ok> {
        Ok(self.0)
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<FieldSerializer<F>> {
        Ok(FieldSerializer { fields: self.0, key: String::new() })
    }

    fn serialize_struct(self, _name: &'static str, _len: usize) -> Result<FieldSerializer<F>> {
        Ok(FieldSerializer { fields: self.0, key: String::new() })
    }
}

/// The receiver, and the key of the next value.
struct FieldSerializer<F> {
    fields: F,
    key: String,
}

impl<F: Fields> SerializeStruct for FieldSerializer<F> {
    type Ok = F;
    type Error = TextError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        self.fields.add(name, value).map_err(|error| error.with_name(name))
    }

    fn end(self) -> Result<F> {
        Ok(self.fields)
    }
}

impl<F: Fields> SerializeMap for FieldSerializer<F> {
    type Ok = F;
    type Error = TextError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.key = key.serialize(TextSerializer)?.pop().unwrap_or_default();
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let name = std::mem::take(&mut self.key);
        self.fields.add(&name, value).map_err(|error| error.with_name(&name))
    }

    fn end(self) -> Result<F> {
        Ok(self.fields)
    }
}
