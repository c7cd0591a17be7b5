//! Writes values to BSON documents.
//!
//! [`Serializer`] writes one value. [`Document`] and [`Array`] write the elements of a container,
//! whose types and lengths are filled in after their values.

use std::fmt::Display;

use manywire_format::Format;
use manywire_shape::extension::Kind;
use serde::ser;
use serde::ser::{Impossible, Serialize, SerializeMap};

use super::de::{Deserializer, ExtensionContent, TopLevel};
use super::element;
use crate::core::extension::{WriteExtension, i64_of, with_bytes, with_str};
use crate::core::forward::{
    binary_serializer, forward_serialize, serialize_fields, serialize_items,
};
use crate::core::partial::{Accept, PartialSerializer};
use crate::core::variant::VariantName;
use crate::{Error, Result};

/// Appends a value, whose shape has this type at the top. On an error `out` is unchanged.
///
/// # Errors
///
/// Fails for a value that BSON cannot represent, with its path. Where only the keys distinguish
/// arrays from maps ([`TopLevel::ByKeys`]), fails with [`Category::Unsupported`](crate::Category)
/// for an empty array, and for a map whose keys are those of an array.
pub fn encode<T: Serialize + ?Sized>(value: &T, top: TopLevel, out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    let written = match top {
        TopLevel::ByKeys => encode_by_keys(value, out),
        TopLevel::Document | TopLevel::Array => value.serialize(Serializer::new(out)),
    };
    written.map_err(|error| {
        out.truncate(start);
        error.with_format(Format::Bson)
    })
}

/// Writes a value that is read back by its keys. The type is written in front of the value, as for
/// an element, to check it, and is then removed.
fn encode_by_keys<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<()> {
    let blank = out.len();
    out.push(0);
    value.serialize(Serializer { out, blank })?;
    let kind = out.remove(blank);
    check_top(kind, &out[blank..])
}

/// Checks that a top-level value of type `kind` is read back by its keys as the same type.
fn check_top(kind: u8, bytes: &[u8]) -> Result<()> {
    let message = match kind {
        element::ARRAY if bytes.len() > EMPTY_BYTES => return Ok(()),
        element::ARRAY => "an empty array at the top would be read as an empty map",
        element::DOCUMENT if !Deserializer::new(bytes).is_numbered() => return Ok(()),
        element::DOCUMENT => "a map at the top with the keys 0, 1, … would be read as an array",
        kind => return Err(scalar_at_top(kind)),
    };
    Err(Error::unsupported(message))
}

/// The size of a document without elements: its length and the NUL at its end.
const EMPTY_BYTES: usize = 5;

/// Writes one value into a `Vec`.
///
/// The type of an element precedes its key but is only known with its value: the byte is left blank
/// and filled in when the value is written. Lengths, which precede the bytes that they count, are
/// filled in the same way.
///
/// On an error the `Vec` keeps the bytes written so far; [`encode`] removes them.
pub struct Serializer<'o> {
    out: &'o mut Vec<u8>,
    /// The position of the blank for the type, or [`TOP`].
    blank: usize,
}

/// The value of `blank` if the top-level document has no blank for its type.
const TOP: usize = usize::MAX;

impl<'o> Serializer<'o> {
    /// Creates a serializer that appends a document to `out`.
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        Serializer { out, blank: TOP }
    }

    /// Fills in the type of an element that is a scalar. Fails if there is no blank, at the top
    /// level, where no scalar is allowed ([`encode_by_keys`] checks that itself).
    #[inline]
    fn scalar(&mut self, kind: u8) -> Result<()> {
        match self.out.get_mut(self.blank) {
            Some(blank) => {
                *blank = kind;
                Ok(())
            }
            None => Err(scalar_at_top(kind)),
        }
    }

    #[inline]
    fn fixed<const N: usize>(mut self, kind: u8, bytes: [u8; N]) -> Result<()> {
        self.scalar(kind)?;
        self.out.extend_from_slice(&bytes);
        Ok(())
    }

    #[inline]
    fn text(&mut self, kind: u8, text: &str) -> Result<()> {
        self.scalar(kind)?;
        self.push_text(text);
        Ok(())
    }

    /// Writes length, text, NUL. A length beyond `i32` makes the document too long, which
    /// [`close_container`] reports.
    #[inline]
    fn push_text(&mut self, text: &str) {
        self.out.reserve(text.len() + 5);
        self.out.extend_from_slice(&(text.len() as u32).wrapping_add(1).to_le_bytes());
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(0);
    }

    fn binary(&mut self, subtype: u8, bytes: &[u8]) -> Result<()> {
        self.scalar(element::BINARY)?;
        self.out.reserve(bytes.len() + 5);
        self.out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        self.out.push(subtype);
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    /// Leaves blanks for a container's type and length, and returns the position of the length.
    #[inline]
    fn open(&mut self, kind: u8) -> usize {
        if let Some(blank) = self.out.get_mut(self.blank) {
            *blank = kind;
        }
        let start = self.out.len();
        self.out.extend_from_slice(&[0; 4]);
        start
    }

    #[inline]
    fn document(mut self) -> Document<'o> {
        let start = self.open(element::DOCUMENT);
        Document::new(self.out, start)
    }

    #[inline]
    fn array(mut self) -> Array<'o> {
        let start = self.open(element::ARRAY);
        Array::new(self.out, start)
    }

    /// Begins the document of one entry that holds a variant. Returns the position of its length,
    /// and the serializer of its content.
    fn variant(mut self, name: &'static str) -> Result<(usize, Self)> {
        let start = self.open(element::DOCUMENT);
        let blank = push_key(self.out, name)?;
        Ok((start, Serializer { out: self.out, blank }))
    }

    fn newtype_variant<T: Serialize + ?Sized>(self, of: VariantName, value: &T) -> Result<()> {
        let (start, content) = self.variant(of.name)?;
        let out = &mut *content.out;
        value
            .serialize(Serializer { out, blank: content.blank })
            .map_err(|error| error.under_key(of.name))?;
        close_container(content.out, start)
    }

    fn tuple_variant(self, of: VariantName, _: usize) -> Result<Array<'o>> {
        let (start, content) = self.variant(of.name)?;
        Ok(content.array().inside(of.name, start))
    }

    fn struct_variant(self, of: VariantName, _: usize) -> Result<Document<'o>> {
        let (start, content) = self.variant(of.name)?;
        Ok(content.document().inside(of.name, start))
    }
}

#[cold]
#[inline(never)]
fn scalar_at_top(kind: u8) -> Error {
    let name = element::name(kind);
    Error::unsupported(format_args!("the top level of BSON is a document, found {name}"))
}

#[cold]
#[inline(never)]
fn beyond_int64(value: impl Display) -> Error {
    Error::unsupported(format_args!("{value} is out of range for an integer of BSON"))
}

// The serializer methods that serde calls for each type.

impl<'o> ser::Serializer for Serializer<'o> {
    binary_serializer! {
        SerializeSeq SerializeTuple SerializeTupleStruct SerializeTupleVariant => Array<'o>;
        SerializeMap SerializeStruct SerializeStructVariant => Document<'o>;
    }
    forward_serialize! {
        serialize_i8 serialize_i16 serialize_u8 serialize_u16 => serialize_i32;
        serialize_u32 => serialize_i64;
        serialize_f32 => serialize_f64;
        serialize_char serialize_unit_variant => serialize_str;
        serialize_none serialize_unit_struct => serialize_unit;
        serialize_struct => serialize_map;
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        self.fixed(element::BOOLEAN, [u8::from(value)])
    }

    #[inline]
    fn serialize_i32(self, value: i32) -> Result<()> {
        self.fixed(element::INT32, value.to_le_bytes())
    }

    #[inline]
    fn serialize_i64(self, value: i64) -> Result<()> {
        self.fixed(element::INT64, value.to_le_bytes())
    }

    #[inline]
    fn serialize_u64(self, value: u64) -> Result<()> {
        match i64::try_from(value) {
            Ok(value) => self.serialize_i64(value),
            Err(_) => Err(beyond_int64(value)),
        }
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        match i64::try_from(value) {
            Ok(value) => self.serialize_i64(value),
            Err(_) => Err(beyond_int64(value)),
        }
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        match i64::try_from(value) {
            Ok(value) => self.serialize_i64(value),
            Err(_) => Err(beyond_int64(value)),
        }
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        self.fixed(element::DOUBLE, value.to_le_bytes())
    }

    #[inline]
    fn serialize_str(mut self, value: &str) -> Result<()> {
        self.text(element::STRING, value)
    }

    #[inline]
    fn serialize_bytes(mut self, value: &[u8]) -> Result<()> {
        self.binary(element::GENERIC, value)
    }

    #[inline]
    fn serialize_unit(self) -> Result<()> {
        self.fixed(element::NULL, [])
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Array<'o>> {
        Ok(self.array())
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<Document<'o>> {
        Ok(self.document())
    }
}

// Documents and arrays, element by element.

/// Ends a document and fills in the length at its beginning.
#[inline]
fn close_container(out: &mut Vec<u8>, start: usize) -> Result<()> {
    out.push(0);
    let len = out.len() - start;
    match (i32::try_from(len), out.get_mut(start..).and_then(<[u8]>::first_chunk_mut)) {
        (Ok(len), Some(blank)) => {
            *blank = len.to_le_bytes();
            Ok(())
        }
        _ => Err(too_long(len)),
    }
}

/// Ends a container, and the document around it if the container is the content of a variant.
#[inline]
fn close_content(out: &mut Vec<u8>, start: usize, variant: Option<Variant>) -> Result<()> {
    close_container(out, start)?;
    match variant {
        None => Ok(()),
        Some(variant) => close_container(out, variant.start),
    }
}

#[cold]
#[inline(never)]
fn too_long(len: usize) -> Error {
    Error::unsupported(format_args!(
        "BSON holds documents of at most {} bytes, this has {len}",
        i32::MAX
    ))
}

/// The document of one entry around a variant whose content is a container.
#[derive(Clone, Copy)]
struct Variant {
    name: &'static str,
    start: usize,
}

impl Variant {
    #[cold]
    #[inline(never)]
    fn locate(this: Option<Self>, error: Error) -> Error {
        match this {
            Some(variant) => error.under_key(variant.name),
            None => error,
        }
    }
}

/// A document being written: a map or the fields of a struct.
pub struct Document<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
    /// The position of the blank type before the key whose value comes next.
    blank: usize,
    variant: Option<Variant>,
}

impl<'o> Document<'o> {
    #[inline]
    fn new(out: &'o mut Vec<u8>, start: usize) -> Self {
        Document { out, start, blank: start, variant: None }
    }

    fn inside(self, name: &'static str, start: usize) -> Self {
        Document { variant: Some(Variant { name, start }), ..self }
    }

    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<()> {
        let blank = match push_key(self.out, key) {
            Ok(blank) => blank,
            Err(error) => return Err(Variant::locate(self.variant, error)),
        };
        value
            .serialize(Serializer { out: self.out, blank })
            .map_err(|error| Variant::locate(self.variant, error.under_key(key)))
    }

    #[inline]
    fn finish(self) -> Result<()> {
        close_content(self.out, self.start, self.variant)
    }
}

serialize_fields! { Document<'_>: SerializeStruct, end => finish }
serialize_fields! { Document<'_>: SerializeStructVariant, end => finish }

impl SerializeMap for Document<'_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.blank = key.serialize(PartialSerializer(Key(self.out)))?;
        Ok(())
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let (blank, key_end) = (self.blank, self.out.len());
        value
            .serialize(Serializer { out: self.out, blank })
            .map_err(|error| error.under_key(key_text(self.out, blank, key_end)))
    }

    #[inline]
    fn end(self) -> Result<()> {
        self.finish()
    }
}

/// An array being written: a document whose keys count up.
pub struct Array<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
    count: usize,
    variant: Option<Variant>,
}

impl<'o> Array<'o> {
    #[inline]
    fn new(out: &'o mut Vec<u8>, start: usize) -> Self {
        Array { out, start, count: 0, variant: None }
    }

    fn inside(self, name: &'static str, start: usize) -> Self {
        Array { variant: Some(Variant { name, start }), ..self }
    }

    #[inline]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let index = self.count;
        self.count += 1;
        let blank = push_index(self.out, index);
        value
            .serialize(Serializer { out: self.out, blank })
            .map_err(|error| Variant::locate(self.variant, error.under_index(index)))
    }

    #[inline]
    fn finish(self) -> Result<()> {
        close_content(self.out, self.start, self.variant)
    }
}

serialize_items! { Array<'_>:
    SerializeSeq SerializeTuple => serialize_element;
    SerializeTupleStruct SerializeTupleVariant => serialize_field;
}

// Keys of documents.

/// The capacity reserved with a key for a small value after it, so that both grow the `Vec` once.
const VALUE_RESERVE: usize = 12;

/// Writes a blank type and a key, and returns the position of the blank.
#[inline]
fn push_key(out: &mut Vec<u8>, key: &str) -> Result<usize> {
    if element::contains(key.as_bytes()) {
        return Err(nul_in_key(key));
    }
    let blank = out.len();
    out.reserve(key.len() + 2 + VALUE_RESERVE);
    out.push(0);
    out.extend_from_slice(key.as_bytes());
    out.push(0);
    Ok(blank)
}

/// Writes a blank type and the key of an array's item, its index in decimal.
#[inline]
fn push_index(out: &mut Vec<u8>, index: usize) -> usize {
    let blank = out.len();
    match index {
        0..10 => out.extend_from_slice(&[0, digit(index), 0]),
        10..100 => out.extend_from_slice(&[0, digit(index / 10), digit(index), 0]),
        100..1_000 => {
            out.extend_from_slice(&[0, digit(index / 100), digit(index / 10), digit(index), 0])
        }
        _ => push_long_index(out, index),
    }
    blank
}

#[inline]
fn digit(number: usize) -> u8 {
    b'0' + (number % 10) as u8
}

fn push_long_index(out: &mut Vec<u8>, index: usize) {
    out.push(0);
    out.extend_from_slice(itoa::Buffer::new().format(index).as_bytes());
    out.push(0);
}

/// Returns the key written at `blank`, whose terminator ends at `end`.
#[cold]
#[inline(never)]
fn key_text(out: &[u8], blank: usize, end: usize) -> String {
    let key = out.get(blank + 1..end.saturating_sub(1)).unwrap_or_default();
    String::from_utf8_lossy(key).into_owned()
}

#[cold]
#[inline(never)]
fn nul_in_key(key: &str) -> Error {
    Error::unsupported(format_args!("invalid BSON key {key:?}: keys cannot contain NUL"))
}

/// Writes the key of a map's entry, and returns the position of the blank before it.
struct Key<'o>(&'o mut Vec<u8>);

impl Accept for Key<'_> {
    type Ok = usize;
    type Error = Error;
    type Tuple = Impossible<usize, Error>;

    #[inline]
    fn text(self, text: &str) -> Result<usize> {
        push_key(self.0, text)
    }
    #[cold]
    #[inline(never)]
    fn reject<R>(self, found: &dyn Display) -> Result<R> {
        Err(Error::unsupported(format_args!("BSON keys are strings, found {found}")))
    }
}

// Extensions: timestamps, and the types that only BSON has.

impl WriteExtension for Serializer<'_> {
    #[inline(never)]
    fn extension<T: Serialize + ?Sized>(
        mut self,
        kind: Kind,
        code: u64,
        content: &T,
    ) -> Result<()> {
        match kind {
            Kind::Bson => self.write_bson_only(code, content),
            Kind::Timestamp => self.write_datetime(i64_of(content)?, code),
            Kind::Number => Err(Error::unsupported("BSON has no number beyond 64 bits")),
            Kind::MessagePack => {
                Err(Error::unsupported("BSON cannot represent a MessagePack extension"))
            }
            Kind::CborTag => Err(Error::unsupported("BSON cannot represent a CBOR tag")),
            Kind::CborSimple => {
                Err(Error::unsupported("BSON cannot represent a CBOR simple value"))
            }
        }
    }
}

impl Serializer<'_> {
    fn write_datetime(&mut self, seconds: i64, nanoseconds: u64) -> Result<()> {
        if !nanoseconds.is_multiple_of(1_000_000) {
            return Err(Error::unsupported(format_args!(
                "BSON holds times to the millisecond, this has {nanoseconds} nanoseconds"
            )));
        }
        // The sum is formed in 128 bits: before 1970, the whole seconds, in milliseconds, may be
        // below the range of `i64` although the sum is not.
        let milliseconds = i128::from(seconds) * 1_000 + i128::from(nanoseconds / 1_000_000);
        let milliseconds = i64::try_from(milliseconds).map_err(|_| {
            Error::unsupported(format_args!("{seconds} seconds are beyond BSON's range of time"))
        })?;
        self.scalar(element::DATETIME)?;
        self.out.extend_from_slice(&milliseconds.to_le_bytes());
        Ok(())
    }

    /// Writes a value of [`Space::Bson`](manywire_shape::Space::Bson).
    fn write_bson_only<T: Serialize + ?Sized>(&mut self, code: u64, content: &T) -> Result<()> {
        let kind = u8::try_from(code).unwrap_or_default();
        match kind {
            element::OBJECT_ID => {
                self.write_exactly::<T, { element::OBJECT_ID_SIZE }>(kind, content)
            }
            element::DECIMAL128 => {
                self.write_exactly::<T, { element::DECIMAL128_SIZE }>(kind, content)
            }
            element::TIMESTAMP => {
                let bits = i64_of(content).map_err(|_| malformed(kind))?;
                self.scalar(kind)?;
                self.out.extend_from_slice(&bits.to_le_bytes());
                Ok(())
            }
            element::CODE | element::SYMBOL => with_str(content, |text| self.text(kind, text)),
            element::BINARY
            | element::REGEX
            | element::DB_POINTER
            | element::CODE_WITH_SCOPE
            | element::UNDEFINED
            | element::MIN_KEY
            | element::MAX_KEY => self.write_parts(kind, content),
            _ => Err(Error::unsupported(format_args!(
                "BSON has no extension of type {code:#04x}: the code is an element type that no \
                 ordinary value has"
            ))),
        }
    }

    fn write_exactly<T: Serialize + ?Sized, const N: usize>(
        &mut self,
        kind: u8,
        content: &T,
    ) -> Result<()> {
        with_bytes(content, |bytes| {
            let bytes: &[u8; N] = bytes.try_into().map_err(|_| malformed(kind))?;
            self.scalar(kind)?;
            self.out.extend_from_slice(bytes);
            Ok(())
        })
    }

    /// Writes the content as the only item of a separate BSON array and parses it from there, so
    /// that a scope is written like any other document.
    fn write_parts<T: Serialize + ?Sized>(&mut self, kind: u8, content: &T) -> Result<()> {
        let mut scratch = Vec::new();
        encode(&[content], TopLevel::Document, &mut scratch)?;
        match (kind, ExtensionContent::parse(&scratch)?) {
            (element::UNDEFINED | element::MIN_KEY | element::MAX_KEY, ExtensionContent::Null) => {
                self.scalar(kind)
            }
            (element::BINARY, ExtensionContent::IntegerAndBytes(subtype, bytes)) => {
                match u8::try_from(subtype) {
                    Ok(element::GENERIC) => Err(Error::unsupported(
                        "binary of the generic subtype is bytes, not an extension",
                    )),
                    Ok(element::OLD_BINARY) => self.write_old_binary(bytes),
                    Ok(subtype) => self.binary(subtype, bytes),
                    Err(_) => Err(Error::unsupported(format_args!(
                        "invalid binary subtype {subtype}: expected 0 to 255"
                    ))),
                }
            }
            (element::REGEX, ExtensionContent::Texts(pattern, options)) => {
                self.write_regex(pattern, options)
            }
            (element::DB_POINTER, ExtensionContent::TextAndBytes(namespace, id))
                if id.len() == element::OBJECT_ID_SIZE =>
            {
                self.text(kind, namespace)?;
                self.out.extend_from_slice(id);
                Ok(())
            }
            (element::CODE_WITH_SCOPE, ExtensionContent::TextAndDocument(code, scope)) => {
                self.scalar(kind)?;
                // Three lengths and the parts they count: 4 + (4 + code + 1) + (4 + scope + 1).
                let len = (code.len() + scope.len() + 14) as u32;
                self.out.extend_from_slice(&len.to_le_bytes());
                self.push_text(code);
                self.out.extend_from_slice(&(scope.len() as u32).wrapping_add(5).to_le_bytes());
                self.out.extend_from_slice(scope);
                self.out.push(0);
                Ok(())
            }
            _ => Err(malformed(kind)),
        }
    }

    /// Writes the subtype that repeats the length inside.
    fn write_old_binary(&mut self, bytes: &[u8]) -> Result<()> {
        self.scalar(element::BINARY)?;
        let len = bytes.len() as u32;
        self.out.extend_from_slice(&len.wrapping_add(4).to_le_bytes());
        self.out.push(element::OLD_BINARY);
        self.out.extend_from_slice(&len.to_le_bytes());
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes a regular expression, with its options sorted.
    fn write_regex(&mut self, pattern: &str, options: &str) -> Result<()> {
        if element::contains(pattern.as_bytes()) || element::contains(options.as_bytes()) {
            return Err(Error::unsupported("a BSON regular expression cannot contain NUL"));
        }
        self.scalar(element::REGEX)?;
        self.out.extend_from_slice(pattern.as_bytes());
        self.out.push(0);
        self.out.extend_from_slice(element::sorted_options(options).as_bytes());
        self.out.push(0);
        Ok(())
    }
}

#[cold]
#[inline(never)]
fn malformed(kind: u8) -> Error {
    let content = match kind {
        element::BINARY => "an array of subtype and bytes",
        element::OBJECT_ID => "12 bytes",
        element::DECIMAL128 => "16 bytes",
        element::TIMESTAMP => "an integer",
        element::REGEX => "an array of pattern and options",
        element::DB_POINTER => "an array of namespace and 12 bytes",
        element::CODE_WITH_SCOPE => "an array of code and document",
        element::CODE | element::SYMBOL => "text",
        _ => "null",
    };
    let name = element::name(kind);
    Error::unsupported(format_args!("malformed BSON extension: the content of {name} is {content}"))
}
