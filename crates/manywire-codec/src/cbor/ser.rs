//! Writes values to CBOR.
//!
//! [`Serializer`] writes scalars directly, each with the shortest head. Arrays and maps go through
//! [`Items`] and [`Entries`], which end a container without a length and check the others against
//! the length they announced.

use std::fmt::Display;

use manywire_format::Format;
use manywire_shape::extension::Kind;
use serde::ser::{Serialize, SerializeMap, Serializer as SerdeSerializer};

use super::de::key_text;
use super::head::*;
use super::number;
use super::number::{BIGNUM_BYTES_MAX, Integer, Natural, Number};
use crate::core::buffer;
use crate::core::extension::{WriteExtension, i64_of, with_str};
use crate::core::forward::{
    binary_serializer, forward_serialize, serialize_fields, serialize_items,
};
use crate::core::variant::VariantName;
use crate::{Error, Result};

/// Options of the writer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Writes a float in the shortest of the three widths that keeps its value. The float loses its
    /// type, but no bit of its value (RFC 8949, section 4.1).
    pub shortest_floats: bool,
}

impl Options {
    /// Sets `shortest_floats`.
    #[must_use]
    pub const fn with_shortest_floats(mut self, shortest: bool) -> Self {
        self.shortest_floats = shortest;
        self
    }
}

/// Appends values to a vector, one after another: several values are a CBOR sequence (RFC 8742).
///
/// `&mut Serializer` is the serde serializer. [`write`](Serializer::write) adds the format to every
/// error and never leaves a partial value in the output.
pub struct Serializer<'o> {
    out: &'o mut Vec<u8>,
    options: Options,
}

impl<'o> Serializer<'o> {
    /// Creates a serializer that appends to `out`.
    #[inline]
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        Serializer { out, options: Options::default() }
    }

    /// Sets the options.
    #[must_use]
    pub fn with_options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Appends a value. On an error nothing is appended.
    ///
    /// # Errors
    /// Fails with [`Category::Unsupported`](crate::Category) and the path to the value, for
    /// extensions of other formats and for values that the type's own `Serialize` rejects;
    /// [`Category::Limit`](crate::Category) for a number with thousands of digits.
    #[inline]
    pub fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let start = self.out.len();
        value.serialize(&mut *self).map_err(|error| {
            self.out.truncate(start);
            error.with_format(Format::Cbor)
        })
    }

    #[inline]
    fn head(&mut self, major: u8, argument: u64) {
        write_head(self.out, major, argument);
    }

    /// Writes a whole text or byte string.
    #[inline]
    fn string(&mut self, major: u8, bytes: &[u8]) {
        if bytes.len() < usize::from(DIRECT) {
            return buffer::append_short(self.out, major << 5 | bytes.len() as u8, bytes);
        }
        self.long_string(major, bytes);
    }

    #[inline(never)]
    fn long_string(&mut self, major: u8, bytes: &[u8]) {
        self.head(major, bytes.len() as u64);
        self.out.extend_from_slice(bytes);
    }

    /// Writes the name of a field.
    #[inline(always)]
    fn name(&mut self, name: &'static str) {
        if name.len() < usize::from(DIRECT) {
            return buffer::append_name(self.out, TEXT << 5 | name.len() as u8, name);
        }
        self.long_string(TEXT, name.as_bytes());
    }

    #[inline]
    fn single(&mut self, value: f32) {
        if self.options.shortest_floats {
            return self.shortest(value);
        }
        let [a, b, c, d] = value.to_be_bytes();
        self.out.extend_from_slice(&[F32, a, b, c, d]);
    }

    #[inline]
    fn double(&mut self, value: f64) {
        if self.options.shortest_floats
            && let Some(single) = number::f32_of_f64(value)
        {
            return self.shortest(single);
        }
        let [a, b, c, d, e, f, g, h] = value.to_be_bytes();
        self.out.extend_from_slice(&[F64, a, b, c, d, e, f, g, h]);
    }

    /// Writes half precision if it keeps the value, otherwise single.
    #[inline(never)]
    fn shortest(&mut self, value: f32) {
        if let Some(half) = number::f16_of_f32(value) {
            let [a, b] = half.to_be_bytes();
            self.out.extend_from_slice(&[F16, a, b]);
        } else {
            let [a, b, c, d] = value.to_be_bytes();
            self.out.extend_from_slice(&[F32, a, b, c, d]);
        }
    }
}

// The serializer methods that serde calls for each type.

impl<'s, 'o> SerdeSerializer for &'s mut Serializer<'o> {
    binary_serializer! {
        SerializeSeq SerializeTuple SerializeTupleStruct SerializeTupleVariant => Items<'s, 'o>;
        SerializeMap SerializeStruct SerializeStructVariant => Entries<'s, 'o>;
    }
    forward_serialize! {
        serialize_i8 serialize_i16 serialize_i32 => serialize_i64;
        serialize_u8 serialize_u16 serialize_u32 => serialize_u64;
        serialize_char serialize_unit_variant => serialize_str;
        serialize_none serialize_unit_struct => serialize_unit;
        serialize_struct => serialize_map;
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        self.out.push(if value { TRUE } else { FALSE });
        Ok(())
    }

    #[inline(always)]
    fn serialize_i64(self, value: i64) -> Result<()> {
        // In two's complement -1 - n is the complement of n.
        if value < 0 {
            self.head(NEGATIVE, (!value).cast_unsigned());
        } else {
            self.head(UNSIGNED, value.cast_unsigned());
        }
        Ok(())
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        let negative = value < 0;
        self.integer(negative, if negative { !value } else { value }.cast_unsigned());
        Ok(())
    }

    #[inline]
    fn serialize_u64(self, value: u64) -> Result<()> {
        self.head(UNSIGNED, value);
        Ok(())
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        self.integer(false, value);
        Ok(())
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<()> {
        self.single(value);
        Ok(())
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        self.double(value);
        Ok(())
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<()> {
        self.string(TEXT, value.as_bytes());
        Ok(())
    }

    #[inline]
    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        self.string(BYTES, value);
        Ok(())
    }

    #[inline]
    fn serialize_unit(self) -> Result<()> {
        self.out.push(NULL);
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, length: Option<usize>) -> Result<Items<'s, 'o>> {
        Ok(Items(Container::begin(self, ARRAY, length)))
    }

    #[inline]
    fn serialize_map(self, length: Option<usize>) -> Result<Entries<'s, 'o>> {
        Ok(Entries { map: Container::begin(self, MAP, length), key: 0 })
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<()> {
        write_display(self.out, value)
    }
}

// Variants with content: a map of one entry, from the name to the content.

impl<'o> Serializer<'o> {
    /// Writes the head and the only key of the map that holds a variant's content.
    #[inline]
    fn variant(&mut self, name: &'static str) {
        self.head(MAP, 1);
        self.string(TEXT, name.as_bytes());
    }

    #[inline]
    fn newtype_variant<T: Serialize + ?Sized>(&mut self, of: VariantName, value: &T) -> Result<()> {
        self.variant(of.name);
        value.serialize(self).map_err(|error| error.under_key(of.name))
    }

    #[inline]
    fn tuple_variant(&mut self, of: VariantName, length: usize) -> Result<Items<'_, 'o>> {
        self.variant(of.name);
        Ok(Items(Container::begin(self, ARRAY, Some(length)).in_variant(of.name)))
    }

    #[inline]
    fn struct_variant(&mut self, of: VariantName, length: usize) -> Result<Entries<'_, 'o>> {
        self.variant(of.name);
        Ok(Entries { map: Container::begin(self, MAP, Some(length)).in_variant(of.name), key: 0 })
    }
}

// Arrays and maps, item by item.

/// An open array or map.
struct Container<'s, 'o> {
    ser: &'s mut Serializer<'o>,
    length: Option<usize>,
    // The number of items or entries, with the one whose value is being written.
    written: usize,
    // The variant whose content is written here, for the path of an error.
    variant: Option<&'static str>,
}

impl<'s, 'o> Container<'s, 'o> {
    #[inline]
    fn begin(ser: &'s mut Serializer<'o>, major: u8, length: Option<usize>) -> Self {
        match length {
            Some(length) => ser.head(major, length as u64),
            None => ser.out.push(major << 5 | INDEFINITE),
        }
        Container { ser, length, written: 0, variant: None }
    }

    /// Sets the variant whose content is written here.
    #[inline]
    fn in_variant(mut self, name: &'static str) -> Self {
        self.variant = Some(name);
        self
    }

    /// Ends the container: by a break if it has no length, otherwise by checking that `Serialize`
    /// wrote as many items as it announced. After a wrong length, every later item would belong to
    /// the wrong container.
    #[inline]
    fn finish(self) -> Result<()> {
        match self.length {
            None => self.ser.out.push(BREAK),
            Some(length) if length != self.written => return Err(miscounted(length, self.written)),
            Some(_) => {}
        }
        Ok(())
    }
}

#[cold]
#[inline(never)]
fn under_variant(error: Error, variant: Option<&'static str>) -> Error {
    match variant {
        Some(name) => error.under_key(name),
        None => error,
    }
}

/// The items of an array.
pub struct Items<'s, 'o>(Container<'s, 'o>);

impl Items<'_, '_> {
    #[inline]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.0.written += 1;
        value.serialize(&mut *self.0.ser).map_err(|error| self.locate(error))
    }

    #[inline]
    fn finish(self) -> Result<()> {
        self.0.finish()
    }

    #[cold]
    #[inline(never)]
    fn locate(&self, error: Error) -> Error {
        under_variant(error.under_index(self.0.written - 1), self.0.variant)
    }
}

/// The entries of a map.
pub struct Entries<'s, 'o> {
    map: Container<'s, 'o>,
    // The start of the last key in the output. Its text is only needed for an error.
    key: usize,
}

impl Entries<'_, '_> {
    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        self.map.written += 1;
        self.map.ser.name(name);
        value
            .serialize(&mut *self.map.ser)
            .map_err(|error| under_variant(error.under_key(name), self.map.variant))
    }

    #[inline]
    fn finish(self) -> Result<()> {
        self.map.finish()
    }

    #[cold]
    #[inline(never)]
    fn locate(&self, error: Error) -> Error {
        error.under_key(key_text(&self.map.ser.out[self.key..]))
    }
}

#[cold]
#[inline(never)]
fn miscounted(length: usize, written: usize) -> Error {
    Error::unsupported(format_args!("the value announced {length} items but wrote {written}"))
}

serialize_items! { Items<'_, '_>:
    SerializeSeq SerializeTuple => serialize_element;
    SerializeTupleStruct SerializeTupleVariant => serialize_field;
}

impl SerializeMap for Entries<'_, '_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.key = self.map.ser.out.len();
        key.serialize(&mut *self.map.ser)
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.map.written += 1;
        value.serialize(&mut *self.map.ser).map_err(|error| self.locate(error))
    }

    #[inline]
    fn end(self) -> Result<()> {
        self.finish()
    }
}

serialize_fields! { Entries<'_, '_>: SerializeStruct, end => finish }
serialize_fields! { Entries<'_, '_>: SerializeStructVariant, end => finish }

// Values beyond serde's model: tags, simple values, timestamps, numbers of any size.

impl WriteExtension for &mut Serializer<'_> {
    fn extension<T: Serialize + ?Sized>(self, kind: Kind, code: u64, content: &T) -> Result<()> {
        match kind {
            Kind::CborTag => {
                self.head(TAG, code);
                content.serialize(self)
            }
            Kind::CborSimple => self.simple(code),
            Kind::Timestamp => {
                let seconds = i64_of(content)?;
                self.timestamp(seconds, code)
            }
            Kind::Number => with_str(content, |text| self.number(text)),
            Kind::MessagePack => Err(other_format("MessagePack", code.cast_signed())),
            Kind::Bson => Err(other_format("BSON", code.cast_signed())),
        }
    }
}

impl Serializer<'_> {
    fn simple(&mut self, code: u64) -> Result<()> {
        match u8::try_from(code) {
            Ok(value @ 0..DIRECT) => self.out.push(SIMPLE << 5 | value),
            Ok(value @ SIMPLE_BYTE_MIN..) => self.out.extend_from_slice(&[SIMPLE_BYTE, value]),
            _ => return Err(no_simple(code)),
        }
        Ok(())
    }

    fn timestamp(&mut self, seconds: i64, nanoseconds: u64) -> Result<()> {
        if nanoseconds == 0 {
            self.head(TAG, tag::EPOCH);
            return seconds.serialize(self);
        }
        if nanoseconds >= 1_000_000_000 {
            return Err(more_than_a_second(nanoseconds));
        }
        self.head(TAG, tag::EXTENDED_TIME);
        self.head(MAP, 2);
        tag::SECONDS.serialize(&mut *self)?;
        seconds.serialize(&mut *self)?;
        tag::NANOSECONDS.serialize(&mut *self)?;
        nanoseconds.serialize(self)
    }

    fn number(&mut self, text: &str) -> Result<()> {
        match number::parse(text)? {
            Number::Integer(integer) => self.natural(integer),
            Number::Decimal { mantissa, exponent } => {
                self.head(TAG, tag::DECIMAL);
                self.head(ARRAY, 2);
                exponent.serialize(&mut *self)?;
                self.natural(mantissa)
            }
            Number::NegativeZero => {
                self.double(-0.0);
                Ok(())
            }
        }
    }

    /// Writes an integer of any size.
    fn natural(&mut self, integer: Integer) -> Result<()> {
        let negative = integer.negative;
        let argument = integer.into_argument();
        match argument.to_u128() {
            Some(small) => self.integer(negative, small),
            None => self.bignum(negative, &argument)?,
        }
        Ok(())
    }

    /// Writes an integer whose argument fits 128 bits: directly if it fits 64, otherwise as a
    /// bignum (RFC 8949, section 3.4.3).
    fn integer(&mut self, negative: bool, argument: u128) {
        if let Ok(argument) = u64::try_from(argument) {
            return self.head(if negative { NEGATIVE } else { UNSIGNED }, argument);
        }
        self.head(TAG, bignum_tag(negative));
        let bytes = argument.to_be_bytes();
        let zeros = argument.leading_zeros() as usize / 8;
        self.string(BYTES, &bytes[zeros..]);
    }

    fn bignum(&mut self, negative: bool, argument: &Natural) -> Result<()> {
        let bytes = argument.to_bytes();
        if bytes.len() > BIGNUM_BYTES_MAX {
            return Err(number::too_long());
        }
        self.head(TAG, bignum_tag(negative));
        self.string(BYTES, &bytes);
        Ok(())
    }
}

fn bignum_tag(negative: bool) -> u64 {
    if negative { tag::NEGATIVE_BIGNUM } else { tag::BIGNUM }
}

#[cold]
fn other_format(name: &str, code: i64) -> Error {
    Error::unsupported(format_args!("CBOR cannot represent the {name} extension {code}"))
}

#[cold]
fn no_simple(code: u64) -> Error {
    Error::unsupported(format_args!("invalid simple value {code}: expected 0 to 23 or 32 to 255"))
}

#[cold]
fn more_than_a_second(nanoseconds: u64) -> Error {
    Error::unsupported(format_args!("{nanoseconds} nanoseconds are more than a second"))
}

// Text whose length is only known after formatting.

/// Writes the text of a `Display` value. Text is formatted after a one-byte head, which fits a
/// short string; longer text is moved to make room for its length.
fn write_display<T: Display + ?Sized>(out: &mut Vec<u8>, value: &T) -> Result<()> {
    let start = out.len();
    out.push(TEXT << 5);
    buffer::append_display(out, value)?;
    let end = out.len();
    let length = end - start - 1;
    if length < usize::from(DIRECT) {
        out[start] |= length as u8;
        return Ok(());
    }
    write_head(out, TEXT, length as u64);
    let head = out.len() - end;
    out[start..].rotate_right(head);
    // The placeholder head is now between the text and its new head.
    out.remove(start + head);
    Ok(())
}

// Heads of items.

/// Writes a first byte and its argument in the shortest form (RFC 8949, section 4.1).
#[inline]
fn write_head(out: &mut Vec<u8>, major: u8, argument: u64) {
    if argument < u64::from(DIRECT) {
        out.push(major << 5 | argument as u8);
    } else {
        write_long_head(out, major, argument);
    }
}

/// Writes a first byte and an argument of one, two, four or eight bytes, each in one store.
#[inline]
fn write_long_head(out: &mut Vec<u8>, major: u8, argument: u64) {
    let initial = major << 5 | ONE_BYTE;
    if let Ok(byte) = u8::try_from(argument) {
        out.extend_from_slice(&[initial, byte]);
    } else if let Ok(short) = u16::try_from(argument) {
        let [a, b] = short.to_be_bytes();
        out.extend_from_slice(&[initial + 1, a, b]);
    } else if let Ok(word) = u32::try_from(argument) {
        let [a, b, c, d] = word.to_be_bytes();
        out.extend_from_slice(&[initial + 2, a, b, c, d]);
    } else {
        let [a, b, c, d, e, f, g, h] = argument.to_be_bytes();
        out.extend_from_slice(&[major << 5 | EIGHT_BYTES, a, b, c, d, e, f, g, h]);
    }
}
