use std::fmt::Display;

use super::Deserializer;
use crate::bson::{element, nul};
use crate::core::reader::Reader;
use crate::{Category, Error, Result};

impl<'de> Deserializer<'de> {
    /// Reads the type and key of the next element; none where the document ends. The key is
    /// UTF-8.
    #[inline]
    pub(super) fn next_key(&mut self) -> Result<Option<&'de [u8]>> {
        let Some((&kind, rest)) = self.reader.rest().split_first() else { return Ok(None) };
        if element::is_known(kind)
            && let Some((end, ascii)) = nul::find(rest)
            && let Some((key, [_, rest @ ..])) = rest.split_at_checked(end)
            && (ascii || std::str::from_utf8(key).is_ok())
        {
            self.kind = kind;
            self.reader.resume(rest);
            return Ok(Some(key));
        }
        Err(self.bad_element())
    }

    /// Why there is no element where one should be.
    #[cold]
    #[inline(never)]
    fn bad_element(&self) -> Error {
        let at = self.reader.offset();
        let left = self.reader.remaining();
        match self.reader.rest().split_first() {
            None => Error::eof(at, "an element"),
            Some((0, _)) => syntax(
                at,
                format_args!("the document ends here, {left} bytes before its length says"),
            ),
            Some((kind, _)) if !element::is_known(*kind) => {
                syntax(at, format_args!("there is no BSON element of type {kind:#04x}"))
            }
            Some((_, rest)) => match nul::find(rest) {
                None => syntax(at + 1, "the key has no end in its document"),
                Some((end, _)) => not_utf8(at + 1, rest.get(..end).unwrap_or_default(), "key"),
            },
        }
    }

    /// Reads the next key of an array, which is not looked at; false where the array ends.
    #[inline]
    pub(super) fn next_index(&mut self) -> Result<bool> {
        match self.reader.rest() {
            // The first hundred, which are most.
            [kind, b'0'..=b'9', 0, rest @ ..] | [kind, b'0'..=b'9', b'0'..=b'9', 0, rest @ ..]
                if element::is_known(*kind) =>
            {
                self.kind = *kind;
                self.reader.resume(rest);
                Ok(true)
            }
            _ => self.next_key().map(|key| key.is_some()),
        }
    }

    /// Enters the document that stands here.
    #[inline]
    pub(super) fn enter(&mut self) -> Result<Deserializer<'de>> {
        let Some(depth) = self.depth.checked_sub(1) else {
            return Err(Error::depth(self.reader.offset(), self.limit));
        };
        let body = self.document()?;
        // The terminator is not part of the body.
        let reader = Reader::over(body, self.reader.offset() - 1);
        Ok(Deserializer { reader, kind: element::NULL, depth, limit: self.limit })
    }

    /// The elements of the document that stands here, without length and terminator.
    #[inline]
    pub(super) fn document(&mut self) -> Result<&'de [u8]> {
        let rest = self.reader.rest();
        if let Some(head) = rest.first_chunk()
            && let Some((document, rest)) =
                rest.split_at_checked(u32::from_le_bytes(*head) as usize)
            && let [_, _, _, _, body @ .., 0] = document
        {
            self.reader.resume(rest);
            return Ok(body);
        }
        Err(self.bad_length("a document", 5, 0))
    }

    /// The text that stands here: length, text, NUL.
    #[inline]
    pub(super) fn text(&mut self) -> Result<&'de str> {
        let start = self.reader.offset();
        let text = self.text_bytes()?;
        // Short text is checked byte by byte in either; long text as fast as it is copied.
        simdutf8::basic::from_utf8(text).map_err(|_| not_utf8(start + 4, text, "string"))
    }

    #[inline]
    fn text_bytes(&mut self) -> Result<&'de [u8]> {
        if let Some((head, rest)) = self.reader.rest().split_first_chunk()
            && let Some((text, rest)) = rest.split_at_checked(u32::from_le_bytes(*head) as usize)
            && let [text @ .., 0] = text
        {
            self.reader.resume(rest);
            return Ok(text);
        }
        Err(self.bad_length("a string", 1, 4))
    }

    /// Why a length is wrong, or what it measures: `head` bytes stand before what it counts, which
    /// is at least `min` long and ends with NUL.
    #[cold]
    #[inline(never)]
    pub(super) fn bad_length(&self, what: &'static str, min: usize, head: usize) -> Error {
        let at = self.reader.offset();
        let rest = self.reader.rest();
        let Some(length) = rest.first_chunk().map(|bytes| i32::from_le_bytes(*bytes)) else {
            return Error::eof(at + rest.len(), "a length of 4 bytes");
        };
        let left = rest.len().saturating_sub(head);
        match usize::try_from(length) {
            Ok(claimed) if claimed >= min && claimed > left => Error::at(
                Category::Eof,
                at,
                format_args!("{what} claims {length} bytes, but only {left} are left for it"),
            ),
            Ok(claimed) if claimed >= min => syntax(
                at,
                format_args!(
                    "{what} of {length} bytes ends with 0, found {:#04x}",
                    rest.get(head + claimed - 1).copied().unwrap_or_default()
                ),
            ),
            _ => syntax(
                at,
                format_args!("{what} is at least {min} bytes long, its length says {length}"),
            ),
        }
    }

    /// The text up to the next NUL.
    pub(super) fn cstring(&mut self) -> Result<&'de str> {
        let at = self.reader.offset();
        let rest = self.reader.rest();
        let Some((text, [_, rest @ ..])) =
            nul::find(rest).and_then(|(end, _)| rest.split_at_checked(end))
        else {
            return Err(syntax(at, "the text has no end in its document"));
        };
        self.reader.resume(rest);
        std::str::from_utf8(text).map_err(|_| not_utf8(at, text, "text"))
    }

    /// The subtype and bytes of the binary that stands here.
    #[inline]
    pub(super) fn binary(&mut self) -> Result<(u8, &'de [u8])> {
        if let [a, b, c, d, subtype, rest @ ..] = self.reader.rest()
            && let Ok(len) = usize::try_from(i32::from_le_bytes([*a, *b, *c, *d]))
            && let Some((bytes, rest)) = rest.split_at_checked(len)
        {
            let bytes = match *subtype {
                element::OLD_BINARY => self.old_binary(bytes)?,
                _ => bytes,
            };
            self.reader.resume(rest);
            return Ok((*subtype, bytes));
        }
        match self.reader.rest() {
            // A length below 0 is wrong before the subtype is missing.
            [_, _, _, 0..0x80] => {
                Err(Error::eof(self.reader.offset() + 4, "the subtype of binary"))
            }
            _ => Err(self.bad_length("binary", 0, 5)),
        }
    }

    /// The bytes of the subtype that repeats its length inside.
    #[cold]
    fn old_binary(&self, bytes: &'de [u8]) -> Result<&'de [u8]> {
        match bytes.split_first_chunk() {
            Some((head, inner))
                if usize::try_from(i32::from_le_bytes(*head)) == Ok(inner.len()) =>
            {
                Ok(inner)
            }
            _ => Err(syntax(
                self.reader.offset() + 5,
                "binary of subtype 2 repeats its length inside, less 4: here the two disagree",
            )),
        }
    }

    #[inline]
    pub(super) fn double(&mut self) -> Result<f64> {
        self.reader.array("a double").map(f64::from_le_bytes)
    }

    #[inline]
    pub(super) fn int32(&mut self) -> Result<i32> {
        self.reader.array("an int32").map(i32::from_le_bytes)
    }

    #[inline]
    pub(super) fn int64(&mut self) -> Result<i64> {
        self.reader.array("an int64").map(i64::from_le_bytes)
    }

    #[inline]
    pub(super) fn boolean(&mut self) -> Result<bool> {
        match self.reader.byte("a boolean")? {
            0 => Ok(false),
            1 => Ok(true),
            byte => Err(syntax(
                self.reader.offset() - 1,
                format_args!("a boolean is 0 or 1, found {byte:#04x}"),
            )),
        }
    }

    pub(super) fn object_id(&mut self) -> Result<&'de [u8]> {
        self.reader.take(element::OBJECT_ID_SIZE, "an ObjectId")
    }

    /// Passes over the value that stands here. Containers are passed over by their length, so
    /// this neither recurses nor looks inside.
    pub(super) fn skip(&mut self) -> Result<()> {
        match self.kind {
            element::DOUBLE | element::INT64 | element::DATETIME | element::TIMESTAMP => {
                self.reader.skip(8, "a value of 8 bytes")
            }
            element::STRING | element::CODE | element::SYMBOL => self.text_bytes().map(drop),
            element::DOCUMENT | element::ARRAY => self.document().map(drop),
            element::BINARY => self.binary().map(drop),
            element::OBJECT_ID => self.object_id().map(drop),
            element::BOOLEAN => self.boolean().map(drop),
            element::REGEX => {
                self.cstring()?;
                self.cstring().map(drop)
            }
            element::DB_POINTER => {
                self.text_bytes()?;
                self.object_id().map(drop)
            }
            element::CODE_WITH_SCOPE => self.code_with_scope().map(drop),
            element::INT32 => self.reader.skip(4, "an int32"),
            element::DECIMAL128 => self.reader.skip(element::DECIMAL128_SIZE, "a decimal128"),
            // Undefined, null, min key, max key.
            _ => Ok(()),
        }
    }
}

#[cold]
#[inline(never)]
pub(super) fn syntax(offset: usize, message: impl Display) -> Error {
    Error::at(Category::Syntax, offset, message)
}

/// Text that is not UTF-8, placed at its first bad byte.
#[cold]
#[inline(never)]
fn not_utf8(start: usize, text: &[u8], what: &'static str) -> Error {
    let good = std::str::from_utf8(text).map_or_else(|error| error.valid_up_to(), str::len);
    syntax(start + good, format_args!("the {what} is not UTF-8"))
}
