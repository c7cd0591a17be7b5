//! Records the calls that a type makes to a serializer, and makes them again.
//!
//! A type in the matrix is compiled once for the recorder; the recording is what each format
//! writes. Names keep their `'static` lifetime, so a format sees what the type itself would pass.

use std::fmt;

use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

type Name = &'static str;

/// The recorded calls of one value.
#[derive(Clone, Debug)]
pub(super) enum Tape {
    Bool(bool),
    Int(i64),
    U8(u8),
    U64(u64),
    F64(f64),
    Char(char),
    Str(String),
    Bytes(Vec<u8>),
    None,
    Some(Box<Tape>),
    Unit,
    UnitStruct(Name),
    UnitVariant(Name, u32, Name),
    NewtypeStruct(Name, Box<Tape>),
    NewtypeVariant(Name, u32, Name, Box<Tape>),
    Seq(Option<usize>, Vec<Tape>),
    Tuple(Vec<Tape>),
    TupleStruct(Name, Vec<Tape>),
    TupleVariant(Name, u32, Name, Vec<Tape>),
    Map(Option<usize>, Vec<(Tape, Tape)>),
    /// A field without a value was skipped.
    Struct(Name, usize, Vec<(Name, Option<Tape>)>),
    StructVariant(Name, u32, Name, usize, Vec<(Name, Option<Tape>)>),
}

/// The error of a value that serde's derive refuses to write.
#[derive(Debug)]
pub(super) struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

impl serde::ser::Error for Refused {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Refused(message.to_string())
    }
}

/// Records a value.
pub(super) fn record<T: Serialize>(value: &T, human_readable: bool) -> Result<Tape, Refused> {
    value.serialize(Recorder { human_readable })
}

impl Serialize for Tape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Tape::Bool(value) => serializer.serialize_bool(*value),
            Tape::Int(value) => serializer.serialize_i64(*value),
            Tape::U8(value) => serializer.serialize_u8(*value),
            Tape::U64(value) => serializer.serialize_u64(*value),
            Tape::F64(value) => serializer.serialize_f64(*value),
            Tape::Char(value) => serializer.serialize_char(*value),
            Tape::Str(value) => serializer.serialize_str(value),
            Tape::Bytes(value) => serializer.serialize_bytes(value),
            Tape::None => serializer.serialize_none(),
            Tape::Some(value) => serializer.serialize_some(value),
            Tape::Unit => serializer.serialize_unit(),
            Tape::UnitStruct(name) => serializer.serialize_unit_struct(name),
            Tape::UnitVariant(name, index, variant) => {
                serializer.serialize_unit_variant(name, *index, variant)
            }
            Tape::NewtypeStruct(name, value) => serializer.serialize_newtype_struct(name, value),
            Tape::NewtypeVariant(name, index, variant, value) => {
                serializer.serialize_newtype_variant(name, *index, variant, value)
            }
            Tape::Seq(len, items) => {
                let mut seq = serializer.serialize_seq(*len)?;
                items.iter().try_for_each(|item| seq.serialize_element(item))?;
                seq.end()
            }
            Tape::Tuple(items) => {
                let mut seq = serializer.serialize_tuple(items.len())?;
                items.iter().try_for_each(|item| seq.serialize_element(item))?;
                seq.end()
            }
            Tape::TupleStruct(name, items) => {
                let mut seq = serializer.serialize_tuple_struct(name, items.len())?;
                items.iter().try_for_each(|item| seq.serialize_field(item))?;
                seq.end()
            }
            Tape::TupleVariant(name, index, variant, items) => {
                let mut seq =
                    serializer.serialize_tuple_variant(name, *index, variant, items.len())?;
                items.iter().try_for_each(|item| seq.serialize_field(item))?;
                seq.end()
            }
            Tape::Map(len, entries) => {
                let mut map = serializer.serialize_map(*len)?;
                entries.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
                map.end()
            }
            Tape::Struct(name, len, fields) => {
                let mut map = serializer.serialize_struct(name, *len)?;
                fields.iter().try_for_each(|(name, value)| match value {
                    Some(value) => map.serialize_field(name, value),
                    None => map.skip_field(name),
                })?;
                map.end()
            }
            Tape::StructVariant(name, index, variant, len, fields) => {
                let mut map = serializer.serialize_struct_variant(name, *index, variant, *len)?;
                fields.iter().try_for_each(|(name, value)| match value {
                    Some(value) => map.serialize_field(name, value),
                    None => map.skip_field(name),
                })?;
                map.end()
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Recorder {
    human_readable: bool,
}

struct Parts {
    recorder: Recorder,
    tape: Tape,
    key: Option<Tape>,
}

impl Recorder {
    fn parts(self, tape: Tape) -> Result<Parts, Refused> {
        Ok(Parts { recorder: self, tape, key: None })
    }
}

impl Parts {
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        let recorded = value.serialize(self.recorder)?;
        match &mut self.tape {
            Tape::Seq(_, items)
            | Tape::Tuple(items)
            | Tape::TupleStruct(_, items)
            | Tape::TupleVariant(_, _, _, items) => items.push(recorded),
            Tape::Map(_, entries) => {
                let key = self.key.take().ok_or_else(|| Refused::custom("no key"))?;
                entries.push((key, recorded));
            }
            _ => return Err(Refused::custom("no container")),
        }
        Ok(())
    }

    fn field<T: Serialize + ?Sized>(
        &mut self,
        name: Name,
        value: Option<&T>,
    ) -> Result<(), Refused> {
        let recorded = value.map(|value| value.serialize(self.recorder)).transpose()?;
        match &mut self.tape {
            Tape::Struct(_, _, fields) | Tape::StructVariant(_, _, _, _, fields) => {
                fields.push((name, recorded));
                Ok(())
            }
            _ => Err(Refused::custom("no struct")),
        }
    }
}

macro_rules! items {
    ($($trait:ident $method:ident;)*) => {$(
        impl $trait for Parts {
            type Ok = Tape;
            type Error = Refused;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
                self.item(value)
            }
            fn end(self) -> Result<Tape, Refused> {
                Ok(self.tape)
            }
        }
    )*};
}

items! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

macro_rules! fields {
    ($($trait:ident)*) => {$(
        impl $trait for Parts {
            type Ok = Tape;
            type Error = Refused;
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: Name,
                value: &T,
            ) -> Result<(), Refused> {
                self.field(name, Some(value))
            }
            fn skip_field(&mut self, name: Name) -> Result<(), Refused> {
                self.field(name, None::<&()>)
            }
            fn end(self) -> Result<Tape, Refused> {
                Ok(self.tape)
            }
        }
    )*};
}

fields!(SerializeStruct SerializeStructVariant);

impl SerializeMap for Parts {
    type Ok = Tape;
    type Error = Refused;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Refused> {
        self.key = Some(key.serialize(self.recorder)?);
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        self.item(value)
    }
    fn end(self) -> Result<Tape, Refused> {
        Ok(self.tape)
    }
}

macro_rules! scalars {
    ($($method:ident($type:ty) => $tape:expr;)*) => {$(
        fn $method(self, value: $type) -> Result<Tape, Refused> {
            Ok($tape(value))
        }
    )*};
}

impl Serializer for Recorder {
    type Ok = Tape;
    type Error = Refused;
    type SerializeSeq = Parts;
    type SerializeTuple = Parts;
    type SerializeTupleStruct = Parts;
    type SerializeTupleVariant = Parts;
    type SerializeMap = Parts;
    type SerializeStruct = Parts;
    type SerializeStructVariant = Parts;

    scalars! {
        serialize_bool(bool) => Tape::Bool;
        serialize_i8(i8) => |value| Tape::Int(i64::from(value));
        serialize_i16(i16) => |value| Tape::Int(i64::from(value));
        serialize_i32(i32) => |value| Tape::Int(i64::from(value));
        serialize_i64(i64) => Tape::Int;
        serialize_u8(u8) => Tape::U8;
        serialize_u16(u16) => |value| Tape::U64(u64::from(value));
        serialize_u32(u32) => |value| Tape::U64(u64::from(value));
        serialize_u64(u64) => Tape::U64;
        serialize_f32(f32) => |value| Tape::F64(f64::from(value));
        serialize_f64(f64) => Tape::F64;
        serialize_char(char) => Tape::Char;
        serialize_str(&str) => |value: &str| Tape::Str(value.to_owned());
        serialize_bytes(&[u8]) => |value: &[u8]| Tape::Bytes(value.to_owned());
        serialize_unit_struct(Name) => Tape::UnitStruct;
    }

    fn serialize_none(self) -> Result<Tape, Refused> {
        Ok(Tape::None)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Tape, Refused> {
        Ok(Tape::Some(Box::new(value.serialize(self)?)))
    }
    fn serialize_unit(self) -> Result<Tape, Refused> {
        Ok(Tape::Unit)
    }
    fn serialize_unit_variant(self, name: Name, index: u32, of: Name) -> Result<Tape, Refused> {
        Ok(Tape::UnitVariant(name, index, of))
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: Name,
        value: &T,
    ) -> Result<Tape, Refused> {
        Ok(Tape::NewtypeStruct(name, Box::new(value.serialize(self)?)))
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: Name,
        index: u32,
        of: Name,
        value: &T,
    ) -> Result<Tape, Refused> {
        Ok(Tape::NewtypeVariant(name, index, of, Box::new(value.serialize(self)?)))
    }
    fn serialize_seq(self, len: Option<usize>) -> Result<Parts, Refused> {
        self.parts(Tape::Seq(len, Vec::new()))
    }
    fn serialize_tuple(self, _: usize) -> Result<Parts, Refused> {
        self.parts(Tape::Tuple(Vec::new()))
    }
    fn serialize_tuple_struct(self, name: Name, _: usize) -> Result<Parts, Refused> {
        self.parts(Tape::TupleStruct(name, Vec::new()))
    }
    fn serialize_tuple_variant(
        self,
        name: Name,
        index: u32,
        of: Name,
        _: usize,
    ) -> Result<Parts, Refused> {
        self.parts(Tape::TupleVariant(name, index, of, Vec::new()))
    }
    fn serialize_map(self, len: Option<usize>) -> Result<Parts, Refused> {
        self.parts(Tape::Map(len, Vec::new()))
    }
    fn serialize_struct(self, name: Name, len: usize) -> Result<Parts, Refused> {
        self.parts(Tape::Struct(name, len, Vec::new()))
    }
    fn serialize_struct_variant(
        self,
        name: Name,
        index: u32,
        of: Name,
        len: usize,
    ) -> Result<Parts, Refused> {
        self.parts(Tape::StructVariant(name, index, of, len, Vec::new()))
    }
    fn is_human_readable(&self) -> bool {
        self.human_readable
    }
}
