use std::sync::Arc;

use bytes::Bytes;
use manywire_codec::{Limits, Result, json};
use manywire_format::Format;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Codecs, Representation};
use crate::Charset;

/// How a value is to be written.
#[derive(Clone, Copy, Debug)]
pub struct Encoding<'e> {
    pub(crate) representation: Representation,
    pub(crate) codecs: Option<&'e Arc<Codecs>>,
    pub(crate) capacity_bytes: usize,
}

impl Encoding<'_> {
    /// The built-in format that was agreed on, where content is in one.
    pub fn format(&self) -> Option<Format> {
        self.representation.format()
    }

    /// Writes a value in the format that was agreed on.
    ///
    /// # Errors
    /// When the format has no place for the value.
    #[inline]
    pub fn value<T: Serialize>(&self, value: &T) -> Result<Bytes> {
        let mut out = Vec::with_capacity(self.capacity_bytes);
        self.append(value, &mut out)?;
        Ok(out.into())
    }

    /// The same, appended to what is there.
    ///
    /// # Errors
    /// As [`Encoding::value`].
    #[inline]
    pub fn append<T: Serialize>(&self, value: &T, out: &mut Vec<u8>) -> Result<()> {
        match (self.representation, self.codecs) {
            (Representation::Format(format), Some(codecs)) => codecs.encode(format, value, out),
            (Representation::Own(at), Some(codecs)) => codecs.encode_own(at, value, out),
            _ => json::encode(value, out),
        }
    }

    /// The charset of text.
    pub fn charset(&self) -> Charset {
        match self.representation {
            Representation::Text(charset) => charset,
            _ => Charset::Utf8,
        }
    }
}

/// How a value was written.
#[derive(Clone, Copy, Debug)]
pub struct Decoding<'d> {
    pub(crate) representation: Representation,
    pub(crate) codecs: Option<&'d Arc<Codecs>>,
    pub(crate) limits: Limits,
}

impl Decoding<'_> {
    /// Bytes of which nothing is known.
    pub(crate) const RAW: Decoding<'static> =
        Decoding { representation: Representation::Raw, codecs: None, limits: Limits::DEFAULT };

    /// The built-in format it came in, where content is in one.
    pub fn format(&self) -> Option<Format> {
        self.representation.format()
    }

    /// Reads a value out of the format it came in.
    ///
    /// # Errors
    /// When the bytes are not of the format, or the value not of the type.
    #[inline]
    pub fn value<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T> {
        self.borrowed_value(self.codecs.map(|codecs| &**codecs), bytes)
    }

    /// The same of a value that borrows from the bytes, and from the codecs it is read by: names
    /// of fields are theirs.
    #[inline]
    pub(super) fn borrowed_value<'de, T: Deserialize<'de>>(
        &self,
        codecs: Option<&'de Codecs>,
        bytes: &'de [u8],
    ) -> Result<T> {
        match (self.representation, codecs) {
            (Representation::Format(format), Some(codecs)) => {
                codecs.decode(format, bytes, self.limits)
            }
            (Representation::Own(at), Some(codecs)) => codecs.decode_own(at, bytes, self.limits),
            _ => json::from_slice_with(bytes, self.limits),
        }
    }
}
