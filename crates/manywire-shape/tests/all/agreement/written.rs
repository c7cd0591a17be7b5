//! A serializer that records its calls.

use std::fmt;

use serde::ser::{self, Serialize};

/// One call of a serializer, with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Written {
    Unit,
    None,
    Some(Box<Written>),
    Bool,
    Int { signed: bool, bits: u8 },
    F32,
    F64,
    Char,
    Str(String),
    Bytes,
    Seq(Vec<Written>),
    Tuple(Vec<Written>),
    Map(Vec<(Written, Written)>),
    Struct { name: &'static str, fields: Vec<(&'static str, Written)> },
    Variant { name: &'static str, content: Content },
    Timestamp,
}

/// The content of a variant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    Unit,
    Newtype(Box<Written>),
    Tuple(Vec<Written>),
    Struct(Vec<(&'static str, Written)>),
}

/// Returns the calls that serialize a value, in a human-readable or a binary format.
pub(crate) fn written<T: Serialize + ?Sized>(value: &T, human_readable: bool) -> Written {
    value.serialize(Probe { human_readable }).expect("the values of these tests can be written")
}

#[derive(Debug)]
pub(crate) struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

impl ser::Error for Refused {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Refused(message.to_string())
    }
}

#[derive(Clone, Copy)]
struct Probe {
    human_readable: bool,
}

/// A container under construction.
struct Parts {
    probe: Probe,
    items: Vec<Written>,
    keys: Vec<Written>,
    names: Vec<&'static str>,
    finish: fn(Parts) -> Written,
    name: &'static str,
}

impl Parts {
    fn new(probe: Probe, name: &'static str, finish: fn(Parts) -> Written) -> Self {
        Parts { probe, items: Vec::new(), keys: Vec::new(), names: Vec::new(), finish, name }
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        self.items.push(value.serialize(self.probe)?);
        Ok(())
    }

    fn field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Refused> {
        self.names.push(name);
        self.item(value)
    }

    fn fields(self) -> Vec<(&'static str, Written)> {
        self.names.into_iter().zip(self.items).collect()
    }

    fn done(self) -> Result<Written, Refused> {
        Ok((self.finish)(self))
    }
}

macro_rules! scalars {
    ($($method:ident($ty:ty) => $written:expr;)*) => {$(
        fn $method(self, _: $ty) -> Result<Written, Refused> {
            Ok($written)
        }
    )*};
}

impl ser::Serializer for Probe {
    type Ok = Written;
    type Error = Refused;
    type SerializeSeq = Parts;
    type SerializeTuple = Parts;
    type SerializeTupleStruct = Parts;
    type SerializeTupleVariant = Parts;
    type SerializeMap = Parts;
    type SerializeStruct = Parts;
    type SerializeStructVariant = Parts;

    fn is_human_readable(&self) -> bool {
        self.human_readable
    }

    scalars! {
        serialize_bool(bool) => Written::Bool;
        serialize_i8(i8) => Written::Int { signed: true, bits: 8 };
        serialize_i16(i16) => Written::Int { signed: true, bits: 16 };
        serialize_i32(i32) => Written::Int { signed: true, bits: 32 };
        serialize_i64(i64) => Written::Int { signed: true, bits: 64 };
        serialize_i128(i128) => Written::Int { signed: true, bits: 128 };
        serialize_u8(u8) => Written::Int { signed: false, bits: 8 };
        serialize_u16(u16) => Written::Int { signed: false, bits: 16 };
        serialize_u32(u32) => Written::Int { signed: false, bits: 32 };
        serialize_u64(u64) => Written::Int { signed: false, bits: 64 };
        serialize_u128(u128) => Written::Int { signed: false, bits: 128 };
        serialize_f32(f32) => Written::F32;
        serialize_f64(f64) => Written::F64;
        serialize_char(char) => Written::Char;
        serialize_bytes(&[u8]) => Written::Bytes;
        serialize_unit_struct(&'static str) => Written::Unit;
    }

    fn serialize_str(self, text: &str) -> Result<Written, Refused> {
        Ok(Written::Str(text.to_owned()))
    }

    fn serialize_unit(self) -> Result<Written, Refused> {
        Ok(Written::Unit)
    }

    fn serialize_none(self) -> Result<Written, Refused> {
        Ok(Written::None)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Written, Refused> {
        Ok(Written::Some(Box::new(value.serialize(self)?)))
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
    ) -> Result<Written, Refused> {
        Ok(Written::Variant { name, content: Content::Unit })
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Written, Refused> {
        let inner = value.serialize(self)?;
        Ok(if name == manywire_shape::extension::NAME { Written::Timestamp } else { inner })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<Written, Refused> {
        Ok(Written::Variant { name, content: Content::Newtype(Box::new(value.serialize(self)?)) })
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts, Refused> {
        Ok(Parts::new(self, "", |parts| Written::Seq(parts.items)))
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts, Refused> {
        Ok(Parts::new(self, "", |parts| Written::Tuple(parts.items)))
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<Parts, Refused> {
        self.serialize_tuple(len)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Parts, Refused> {
        Ok(Parts::new(self, name, |parts| Written::Variant {
            name: parts.name,
            content: Content::Tuple(parts.items),
        }))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Parts, Refused> {
        Ok(Parts::new(self, "", |parts| {
            Written::Map(parts.keys.into_iter().zip(parts.items).collect())
        }))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Parts, Refused> {
        Ok(Parts::new(self, name, |parts| Written::Struct {
            name: parts.name,
            fields: parts.fields(),
        }))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Parts, Refused> {
        Ok(Parts::new(self, name, |parts| Written::Variant {
            name: parts.name,
            content: Content::Struct(parts.fields()),
        }))
    }
}

macro_rules! parts {
    ($($part:ident::$method:ident($($name:ident: $ty:ty)?) => $call:ident;)*) => {$(
        impl ser::$part for Parts {
            type Ok = Written;
            type Error = Refused;

            fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($name: $ty,)?
                value: &T,
            ) -> Result<(), Refused> {
                self.$call($($name,)? value)
            }

            fn end(self) -> Result<Written, Refused> {
                self.done()
            }
        }
    )*};
}

parts! {
    SerializeSeq::serialize_element() => item;
    SerializeTuple::serialize_element() => item;
    SerializeTupleStruct::serialize_field() => item;
    SerializeTupleVariant::serialize_field() => item;
    SerializeStruct::serialize_field(name: &'static str) => field;
    SerializeStructVariant::serialize_field(name: &'static str) => field;
}

impl ser::SerializeMap for Parts {
    type Ok = Written;
    type Error = Refused;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Refused> {
        self.keys.push(key.serialize(self.probe)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        self.item(value)
    }

    fn end(self) -> Result<Written, Refused> {
        self.done()
    }
}
