//! Macros for the methods of serde's traits that only call another method of the same value.
//!
//! Formats distinguish fewer types than serde does: most write all integers in the same way, and
//! read any text in one way. They also ignore most of the names that serde passes.

/// Implements what the serializers of binary formats have in common: the types of results, and those
/// of compound values as listed.
///
/// `Some` and a newtype are their content, but a newtype around an extension goes to `triple`.
/// Tuples are sequences. The content of variants goes to the serializer's own methods
/// `newtype_variant`, `tuple_variant` and `struct_variant`.
macro_rules! binary_serializer {
    ($($($compound:ident)+ => $writer:ty;)+) => {
        type Ok = ();
        type Error = $crate::Error;
        $($(type $compound = $writer;)+)+

        #[inline]
        fn is_human_readable(&self) -> bool {
            false
        }

        #[inline]
        fn serialize_some<T: serde::Serialize + ?Sized>(self, value: &T) -> $crate::Result<()> {
            value.serialize(self)
        }

        $crate::core::forward::forward_serialize! {
            serialize_newtype_struct => triple;
            serialize_tuple serialize_tuple_struct => serialize_seq;
            serialize_newtype_variant => newtype_variant;
            serialize_tuple_variant => tuple_variant;
            serialize_struct_variant => struct_variant;
        }
    };
}

/// Implements methods of [`serde::Serializer`] by another method, which takes a wider type or
/// writes the same value: `serialize_i8 serialize_i16 => serialize_i64`.
///
/// The target of `serialize_newtype_struct` writes extensions. Those of variants take a
/// [`VariantName`](crate::core::variant::VariantName) before the content.
macro_rules! forward_serialize {
    ($($($method:ident)+ => $target:ident;)+) => {$($(
        $crate::core::forward::serialize_method! { $method $target }
    )+)+};
}

/// Implements one method for [`forward_serialize`].
macro_rules! serialize_method {
    (serialize_i8 $target:ident) => {
        $crate::core::forward::serialize_method! { serialize_i8 i8 $target }
    };
    (serialize_i16 $target:ident) => {
        $crate::core::forward::serialize_method! { serialize_i16 i16 $target }
    };
    (serialize_i32 $target:ident) => {
        $crate::core::forward::serialize_method! { serialize_i32 i32 $target }
    };
    (serialize_u8 $target:ident) => {
        $crate::core::forward::serialize_method! { serialize_u8 u8 $target }
    };
    (serialize_u16 $target:ident) => {
        $crate::core::forward::serialize_method! { serialize_u16 u16 $target }
    };
    (serialize_u32 $target:ident) => {
        $crate::core::forward::serialize_method! { serialize_u32 u32 $target }
    };
    (serialize_f32 $target:ident) => {
        $crate::core::forward::serialize_method! { serialize_f32 f32 $target }
    };
    ($method:ident $number:ident $target:ident) => {
        #[inline]
        fn $method(self, value: $number) -> std::result::Result<Self::Ok, Self::Error> {
            self.$target(value.into())
        }
    };
    (serialize_char $target:ident) => {
        #[inline]
        fn serialize_char(self, value: char) -> std::result::Result<Self::Ok, Self::Error> {
            self.$target(value.encode_utf8(&mut [0; 4]))
        }
    };
    (serialize_none $target:ident) => {
        #[inline]
        fn serialize_none(self) -> std::result::Result<Self::Ok, Self::Error> {
            self.$target()
        }
    };
    (serialize_unit_struct $target:ident) => {
        #[inline]
        fn serialize_unit_struct(
            self,
            _: &'static str,
        ) -> std::result::Result<Self::Ok, Self::Error> {
            self.$target()
        }
    };
    (serialize_unit_variant $target:ident) => {
        #[inline]
        fn serialize_unit_variant(
            self,
            _: &'static str,
            _: u32,
            variant: &'static str,
        ) -> std::result::Result<Self::Ok, Self::Error> {
            self.$target(variant)
        }
    };
    (serialize_newtype_struct $target:ident) => {
        #[inline]
        fn serialize_newtype_struct<T: serde::Serialize + ?Sized>(
            self,
            name: &'static str,
            value: &T,
        ) -> std::result::Result<Self::Ok, Self::Error> {
            if name == manywire_shape::extension::NAME {
                return self.$target(value);
            }
            value.serialize(self)
        }
    };
    (serialize_tuple $target:ident) => {
        #[inline]
        fn serialize_tuple(
            self,
            length: usize,
        ) -> std::result::Result<Self::SerializeTuple, Self::Error> {
            self.$target(Some(length))
        }
    };
    (serialize_tuple_struct $target:ident) => {
        #[inline]
        fn serialize_tuple_struct(
            self,
            _: &'static str,
            length: usize,
        ) -> std::result::Result<Self::SerializeTupleStruct, Self::Error> {
            self.$target(Some(length))
        }
    };
    (serialize_struct $target:ident) => {
        #[inline]
        fn serialize_struct(
            self,
            _: &'static str,
            length: usize,
        ) -> std::result::Result<Self::SerializeStruct, Self::Error> {
            self.$target(Some(length))
        }
    };
    (serialize_newtype_variant $target:ident) => {
        #[inline]
        fn serialize_newtype_variant<T: serde::Serialize + ?Sized>(
            self,
            _: &'static str,
            index: u32,
            variant: &'static str,
            value: &T,
        ) -> std::result::Result<Self::Ok, Self::Error> {
            let variant = $crate::core::variant::VariantName { name: variant, index };
            self.$target(variant, value)
        }
    };
    (serialize_tuple_variant $target:ident) => {
        #[inline]
        fn serialize_tuple_variant(
            self,
            _: &'static str,
            index: u32,
            variant: &'static str,
            length: usize,
        ) -> std::result::Result<Self::SerializeTupleVariant, Self::Error> {
            let variant = $crate::core::variant::VariantName { name: variant, index };
            self.$target(variant, length)
        }
    };
    (serialize_struct_variant $target:ident) => {
        #[inline]
        fn serialize_struct_variant(
            self,
            _: &'static str,
            index: u32,
            variant: &'static str,
            length: usize,
        ) -> std::result::Result<Self::SerializeStructVariant, Self::Error> {
            let variant = $crate::core::variant::VariantName { name: variant, index };
            self.$target(variant, length)
        }
    };
}

/// Implements methods of [`serde::Deserializer`] by another method that takes only the visitor:
/// `deserialize_char deserialize_string => deserialize_str`.
///
/// The target of `deserialize_newtype_struct` reads an extension for the types that ask for one; any
/// other newtype is its content.
macro_rules! forward_deserialize {
    ($($($method:ident)+ => $target:ident;)+) => {$($(
        $crate::core::forward::deserialize_method! { $method $target }
    )+)+};
}

/// Implements one method for [`forward_deserialize`].
macro_rules! deserialize_method {
    (deserialize_newtype_struct $target:ident) => {
        #[inline]
        fn deserialize_newtype_struct<V: serde::de::Visitor<'de>>(
            self,
            name: &'static str,
            visitor: V,
        ) -> std::result::Result<V::Value, Self::Error> {
            if name == manywire_shape::extension::NAME {
                return self.$target(visitor);
            }
            visitor.visit_newtype_struct(self)
        }
    };
    (deserialize_struct $target:ident) => {
        $crate::core::forward::deserialize_method! {
            deserialize_struct(&'static str, &'static [&'static str]) $target
        }
    };
    (deserialize_enum $target:ident) => {
        $crate::core::forward::deserialize_method! {
            deserialize_enum(&'static str, &'static [&'static str]) $target
        }
    };
    (deserialize_unit_struct $target:ident) => {
        $crate::core::forward::deserialize_method! { deserialize_unit_struct(&'static str) $target }
    };
    (deserialize_tuple $target:ident) => {
        $crate::core::forward::deserialize_method! { deserialize_tuple(usize) $target }
    };
    (deserialize_tuple_struct $target:ident) => {
        $crate::core::forward::deserialize_method! {
            deserialize_tuple_struct(&'static str, usize) $target
        }
    };
    ($method:ident $target:ident) => {
        $crate::core::forward::deserialize_method! { $method() $target }
    };
    ($method:ident($($ignored:ty),*) $target:ident) => {
        #[inline]
        fn $method<V: serde::de::Visitor<'de>>(
            self,
            $(_: $ignored,)*
            visitor: V,
        ) -> std::result::Result<V::Value, Self::Error> {
            self.$target(visitor)
        }
    };
}

/// Implements the listed traits of serde, for sequences, tuples and the fields of tuple structs and
/// variants, by the methods `item`, which writes the next item, and `finish`.
macro_rules! serialize_items {
    ($items:ty: $($($of:ident)+ => $method:ident;)+) => {$($(
        impl serde::ser::$of for $items {
            type Ok = ();
            type Error = $crate::Error;

            #[inline]
            fn $method<T: serde::Serialize + ?Sized>(&mut self, value: &T) -> $crate::Result<()> {
                self.item(value)
            }

            #[inline]
            fn end(self) -> $crate::Result<()> {
                self.finish()
            }
        }
    )+)+};
}

/// Implements a trait of serde for the fields of structs or struct variants, by the methods `field`,
/// which writes a field and its name, and those given: one that ends the fields, and one for a
/// skipped field if the format writes anything for it.
macro_rules! serialize_fields {
    ($fields:ty: $of:ident, end => $end:ident $(, skip_field => $skip:ident)?) => {
        impl serde::ser::$of for $fields {
            type Ok = ();
            type Error = $crate::Error;

            // Always inlined: the name is then a constant.
            #[inline(always)]
            fn serialize_field<T: serde::Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> $crate::Result<()> {
                self.field(name, value)
            }

            $(
                #[inline]
                fn skip_field(&mut self, _: &'static str) -> $crate::Result<()> {
                    self.$skip();
                    Ok(())
                }
            )?

            #[inline(always)]
            fn end(self) -> $crate::Result<()> {
                self.$end()
            }
        }
    };
}

pub(crate) use {
    binary_serializer, deserialize_method, forward_deserialize, forward_serialize,
    serialize_fields, serialize_items, serialize_method,
};
