//! What is asked of a deserializer, as a value: so that the question can be put to another one,
//! which is only known when the part that answers it has been looked at.

use serde::de::{DeserializeSeed, Deserializer, Visitor};

macro_rules! asks {
    ($($(#[$doc:meta])* $ask:ident $method:ident($($argument:ident: $ty:ty),*)),+ $(,)?) => {$(
        pub(super) struct $ask<V>($(pub(super) $ty,)* pub(super) V);

        impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for $ask<V> {
            type Value = V::Value;

            fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<V::Value, D::Error> {
                let $ask($($argument,)* visitor) = self;
                from.$method($($argument,)* visitor)
            }
        }
    )+};
}

asks! {
    Any deserialize_any(),
    Bool deserialize_bool(),
    I8 deserialize_i8(),
    I16 deserialize_i16(),
    I32 deserialize_i32(),
    I64 deserialize_i64(),
    I128 deserialize_i128(),
    U8 deserialize_u8(),
    U16 deserialize_u16(),
    U32 deserialize_u32(),
    U64 deserialize_u64(),
    U128 deserialize_u128(),
    F32 deserialize_f32(),
    F64 deserialize_f64(),
    Char deserialize_char(),
    Str deserialize_str(),
    Text deserialize_string(),
    Unit deserialize_unit(),
    Seq deserialize_seq(),
    Map deserialize_map(),
    Identifier deserialize_identifier(),
    UnitStruct deserialize_unit_struct(name: &'static str),
    Tuple deserialize_tuple(length: usize),
    TupleStruct deserialize_tuple_struct(name: &'static str, length: usize),
    Struct deserialize_struct(name: &'static str, fields: &'static [&'static str]),
    Enum deserialize_enum(name: &'static str, variants: &'static [&'static str]),
}
