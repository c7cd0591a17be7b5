//! The files that a field holds: none, one, or several of a list.

use bytes::Bytes;
use serde::ser::{Impossible, Serialize, SerializeSeq, SerializeStruct, Serializer};

use super::file::{CONTENT, CONTENT_TYPE, FILE, File, NAME};
use crate::input::{TextError, texts};

type Result<T> = std::result::Result<T, TextError>;

/// # Errors
/// What is neither a file nor bytes.
pub(super) fn files<T: Serialize + ?Sized>(value: &T) -> Result<Vec<File>> {
    value.serialize(Writer)
}

struct Writer;

macro_rules! no_file {
    ($($method:ident($($arg:ty),*) -> $ok:ty;)+) => {$(
        fn $method(self, $(_: $arg),*) -> Result<$ok> {
            Err(no_file())
        }
    )+};
}

#[cold]
fn no_file() -> TextError {
    TextError::new("expected a file or bytes")
}

impl Serializer for Writer {
    type Ok = Vec<File>;
    type Error = TextError;
    type SerializeSeq = List;
    type SerializeTuple = Impossible<Vec<File>, TextError>;
    type SerializeTupleStruct = Impossible<Vec<File>, TextError>;
    type SerializeTupleVariant = Impossible<Vec<File>, TextError>;
    type SerializeMap = Impossible<Vec<File>, TextError>;
    type SerializeStruct = One;
    type SerializeStructVariant = Impossible<Vec<File>, TextError>;

    no_file! {
        serialize_bool(bool) -> Self::Ok; serialize_char(char) -> Self::Ok;
        serialize_str(&str) -> Self::Ok;
        serialize_i8(i8) -> Self::Ok; serialize_i16(i16) -> Self::Ok;
        serialize_i32(i32) -> Self::Ok; serialize_i64(i64) -> Self::Ok;
        serialize_u8(u8) -> Self::Ok; serialize_u16(u16) -> Self::Ok;
        serialize_u32(u32) -> Self::Ok; serialize_u64(u64) -> Self::Ok;
        serialize_f32(f32) -> Self::Ok; serialize_f64(f64) -> Self::Ok;
        serialize_unit_struct(&'static str) -> Self::Ok;
        serialize_unit_variant(&'static str, u32, &'static str) -> Self::Ok;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Vec<File>> {
        Ok(vec![File { content: Bytes::copy_from_slice(value), ..File::default() }])
    }

    fn serialize_none(self) -> Result<Vec<File>> {
        Ok(Vec::new())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Vec<File>> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Vec<File>> {
        Ok(Vec::new())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<Vec<File>> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Result<Vec<File>> {
        Err(no_file())
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<List> {
        Ok(List(Vec::new()))
    }

    fn serialize_struct(self, name: &'static str, _len: usize) -> Result<One> {
        if name == FILE { Ok(One(File::default())) } else { Err(no_file()) }
    }
}

struct List(Vec<File>);

impl SerializeSeq for List {
    type Ok = Vec<File>;
    type Error = TextError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<()> {
        self.0.append(&mut files(item)?);
        Ok(())
    }

    fn end(self) -> Result<Vec<File>> {
        Ok(self.0)
    }
}

struct One(File);

impl SerializeStruct for One {
    type Ok = Vec<File>;
    type Error = TextError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        match name {
            NAME => self.0.name = texts(value)?.pop(),
            CONTENT_TYPE => self.0.content_type = texts(value)?.pop(),
            CONTENT => {
                self.0.content = files(value)?.pop().map(|file| file.content).unwrap_or_default();
            }
            _ => {}
        }
        Ok(())
    }

    fn end(self) -> Result<Vec<File>> {
        Ok(vec![self.0])
    }
}
