//! From the triple to the format that writes it.

use manywire_shape::extension::Kind;
use serde::ser::{Impossible, Serialize, SerializeTuple};

use super::part::{Only, Part, malformed};
use crate::core::error::{Error, Result};

/// A format that writes extensions, or says which it cannot hold.
pub(crate) trait WriteExtension {
    /// Writes one extension whole. `content` is still to be serialized: by the format itself for
    /// the content of a tag, by [`with_bytes`], [`with_str`] or [`i64_of`] for a known kind.
    fn write_extension<T: Serialize + ?Sized>(
        &mut self,
        kind: Kind,
        code: u64,
        content: &T,
    ) -> Result<()>;
}

/// Writes the content of the newtype, a triple, by handing its parts to the format.
pub(crate) fn write<W: WriteExtension, T: Serialize + ?Sized>(
    writer: &mut W,
    triple: &T,
) -> Result<()> {
    triple.serialize(Only(TripleParts { writer, kind: None, code: None }))
}

/// Lends the bytes that a part serializes to.
pub(crate) fn with_bytes<T: Serialize + ?Sized>(
    part: &T,
    take: impl FnOnce(&[u8]) -> Result<()>,
) -> Result<()> {
    part.serialize(Only(BytesPart(take)))
}

/// Lends the text that a part serializes to.
pub(crate) fn with_str<T: Serialize + ?Sized>(
    part: &T,
    take: impl FnOnce(&str) -> Result<()>,
) -> Result<()> {
    part.serialize(Only(StrPart(take)))
}

/// The signed integer that a part serializes to.
pub(crate) fn i64_of<T: Serialize + ?Sized>(part: &T) -> Result<i64> {
    part.serialize(Only(IntegerPart))
}

/// The kind of a triple, from its number.
fn kind_of(number: u64) -> Result<Kind> {
    u8::try_from(number)
        .ok()
        .and_then(Kind::from_u8)
        .ok_or_else(|| malformed(format_args!("there is no extension kind {number}")))
}

/// Codes are `u64`: this part keeps all 64 bits in an `i64`.
struct IntegerPart;

impl Part for IntegerPart {
    type Ok = i64;
    type Tuple = Impossible<i64, Error>;

    fn integer(self, value: i64) -> Result<i64> {
        Ok(value)
    }
}

struct BytesPart<F>(F);

impl<F: FnOnce(&[u8]) -> Result<()>> Part for BytesPart<F> {
    type Ok = ();
    type Tuple = Impossible<(), Error>;

    fn bytes(self, value: &[u8]) -> Result<()> {
        (self.0)(value)
    }
}

struct StrPart<F>(F);

impl<F: FnOnce(&str) -> Result<()>> Part for StrPart<F> {
    type Ok = ();
    type Tuple = Impossible<(), Error>;

    fn text(self, value: &str) -> Result<()> {
        (self.0)(value)
    }
}

struct TripleParts<'w, W> {
    writer: &'w mut W,
    kind: Option<Kind>,
    code: Option<u64>,
}

impl<W: WriteExtension> Part for TripleParts<'_, W> {
    type Ok = ();
    type Tuple = Self;

    fn tuple(self) -> Result<Self> {
        Ok(self)
    }
}

impl<W: WriteExtension> SerializeTuple for TripleParts<'_, W> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, part: &T) -> Result<()> {
        match (self.kind, self.code) {
            (None, _) => self.kind = Some(kind_of(i64_of(part)?.cast_unsigned())?),
            (_, None) => self.code = Some(i64_of(part)?.cast_unsigned()),
            (Some(kind), Some(code)) => self.writer.write_extension(kind, code, part)?,
        }
        Ok(())
    }

    fn end(self) -> Result<()> {
        Ok(())
    }
}
