use std::fmt::Display;

use manywire_shape::extension::Kind;
use serde::ser::Serialize;

use super::Serializer;
use crate::bson::de::Content;
use crate::bson::{element, encode, nul};
use crate::core::extension::{WriteExtension, i64_of, with_bytes, with_str};
use crate::{Category, Error, Result};

impl WriteExtension for Serializer<'_> {
    #[inline(never)]
    fn write_extension<T: Serialize + ?Sized>(
        &mut self,
        kind: Kind,
        code: u64,
        content: &T,
    ) -> Result<()> {
        match kind {
            Kind::Bson => self.write_own(code, content),
            Kind::Timestamp => self.write_datetime(i64_of(content)?, code),
            Kind::Number => Err(unsupported("BSON has no number beyond 64 bits")),
            Kind::MessagePack => Err(unsupported("BSON has no place for a MessagePack extension")),
            Kind::CborTag => Err(unsupported("BSON has no place for a CBOR tag")),
            Kind::CborSimple => Err(unsupported("BSON has no place for a CBOR simple value")),
        }
    }
}

impl Serializer<'_> {
    fn write_datetime(&mut self, seconds: i64, nanoseconds: u64) -> Result<()> {
        if !nanoseconds.is_multiple_of(1_000_000) {
            return Err(unsupported(format_args!(
                "BSON holds times to the millisecond, this has {nanoseconds} nanoseconds"
            )));
        }
        // Before 1970 the seconds alone may lie below the range that the sum is in.
        let milliseconds = i128::from(seconds) * 1_000 + i128::from(nanoseconds / 1_000_000);
        let milliseconds = i64::try_from(milliseconds).map_err(|_| {
            unsupported(format_args!("{seconds} seconds are beyond BSON's range of time"))
        })?;
        self.scalar(element::DATETIME)?;
        self.out.extend_from_slice(&milliseconds.to_le_bytes());
        Ok(())
    }

    /// Writes a value of [`Space::Bson`](manywire_shape::Space::Bson).
    fn write_own<T: Serialize + ?Sized>(&mut self, code: u64, content: &T) -> Result<()> {
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
            _ => Err(unsupported(format_args!(
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

    /// The content is written as BSON by itself, the one thing in an array, and taken apart from
    /// there: so a scope is a document like any other.
    fn write_parts<T: Serialize + ?Sized>(&mut self, kind: u8, content: &T) -> Result<()> {
        let mut scratch = Vec::new();
        encode(&[content], &mut scratch)?;
        match (kind, Content::parse(&scratch)?) {
            (element::UNDEFINED | element::MIN_KEY | element::MAX_KEY, Content::Null) => {
                self.scalar(kind)
            }
            (element::BINARY, Content::IntegerAndBytes(subtype, bytes)) => {
                match u8::try_from(subtype) {
                    Ok(element::GENERIC) => {
                        Err(unsupported("binary of the generic subtype is bytes, not an extension"))
                    }
                    Ok(element::OLD_BINARY) => self.write_old_binary(bytes),
                    Ok(subtype) => self.binary(subtype, bytes),
                    Err(_) => Err(unsupported(format_args!(
                        "a subtype of binary is 0 to 255, found {subtype}"
                    ))),
                }
            }
            (element::REGEX, Content::Texts(pattern, options)) => {
                self.write_regex(pattern, options)
            }
            (element::DB_POINTER, Content::TextAndBytes(namespace, id))
                if id.len() == element::OBJECT_ID_SIZE =>
            {
                self.text(kind, namespace)?;
                self.out.extend_from_slice(id);
                Ok(())
            }
            (element::CODE_WITH_SCOPE, Content::TextAndDocument(code, scope)) => {
                self.scalar(kind)?;
                // Three lengths with what they count: 4 + (4 + code + 1) + (4 + scope + 1).
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

    /// The subtype that repeats the length inside.
    fn write_old_binary(&mut self, bytes: &[u8]) -> Result<()> {
        self.scalar(element::BINARY)?;
        let len = bytes.len() as u32;
        self.out.extend_from_slice(&len.wrapping_add(4).to_le_bytes());
        self.out.push(element::OLD_BINARY);
        self.out.extend_from_slice(&len.to_le_bytes());
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    /// Options stand in alphabetical order (bsonspec.org).
    fn write_regex(&mut self, pattern: &str, options: &str) -> Result<()> {
        if nul::contains(pattern.as_bytes()) || nul::contains(options.as_bytes()) {
            return Err(unsupported(
                "a BSON regular expression ends at its first NUL, and cannot hold one",
            ));
        }
        let mut sorted: Vec<char> = options.chars().collect();
        sorted.sort_unstable();
        self.scalar(element::REGEX)?;
        self.out.extend_from_slice(pattern.as_bytes());
        self.out.push(0);
        self.out.extend_from_slice(String::from_iter(sorted).as_bytes());
        self.out.push(0);
        Ok(())
    }
}

#[cold]
#[inline(never)]
fn unsupported(message: impl Display) -> Error {
    Error::new(Category::Unsupported, message)
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
    unsupported(format_args!("malformed BSON extension: the content of {name} is {content}"))
}
