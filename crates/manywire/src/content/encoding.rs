//! The parameters of encoding and decoding one value: the negotiated representation, the codecs and
//! the limits.

use std::sync::Arc;

use bytes::Bytes;
use manywire_codec::{Limits, Result, json};
use manywire_format::Format;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{AnyFraming, Codecs, Representation};
use crate::charset::Charset;

/// The negotiated encoding of an outgoing value.
#[derive(Clone, Copy, Debug)]
pub struct Encoding<'e> {
    pub(crate) representation: Representation,
    pub(crate) codecs: Option<&'e Arc<Codecs>>,
    pub(crate) capacity_bytes: usize,
}

impl Encoding<'_> {
    /// Returns the negotiated format, if it is a built-in one.
    pub fn format(&self) -> Option<Format> {
        self.representation.format()
    }

    /// Encodes a value in the negotiated format, or in JSON if no format was negotiated, as for
    /// text.
    ///
    /// # Errors
    /// Fails if the format cannot represent the value.
    #[inline]
    pub fn value<T: Serialize>(&self, value: &T) -> Result<Bytes> {
        let mut out = Vec::with_capacity(self.capacity_bytes);
        self.append(value, &mut out)?;
        Ok(out.into())
    }

    /// Appends an encoded value to `out`.
    ///
    /// # Errors
    /// Fails as [`Encoding::value`] does.
    #[inline]
    pub fn append<T: Serialize>(&self, value: &T, out: &mut Vec<u8>) -> Result<()> {
        match (self.representation, self.codecs) {
            (Representation::Format(format), Some(codecs)) => codecs.encode(format, value, out),
            (Representation::Own(at), Some(codecs)) => codecs.encode_own(at, value, out),
            _ => json::encode(value, out),
        }
    }

    /// Returns the negotiated framing, if the content is a stream.
    pub(super) fn framing(&self) -> Option<AnyFraming> {
        framing(self.representation, self.codecs)
    }

    /// Returns the charset of text.
    pub fn charset(&self) -> Charset {
        match self.representation {
            Representation::Text(charset) => charset,
            _ => Charset::Utf8,
        }
    }
}

/// The encoding of an incoming value, with the limits for decoding it.
#[derive(Clone, Copy, Debug)]
pub struct Decoding<'d> {
    pub(crate) representation: Representation,
    pub(crate) codecs: Option<&'d Arc<Codecs>>,
    pub(crate) limits: Limits,
    /// Indicates whether the type has constraints, which a server checks.
    pub(crate) is_constrained: bool,
}

impl Decoding<'_> {
    /// Bytes in no known format.
    pub(crate) const RAW: Decoding<'static> = Decoding {
        representation: Representation::Raw,
        codecs: None,
        limits: Limits::DEFAULT,
        is_constrained: false,
    };

    /// Returns the format of the value, if it is a built-in one.
    pub fn format(&self) -> Option<Format> {
        self.representation.format()
    }

    /// Returns the framing of the content, if it is a stream.
    pub(super) fn framing(&self) -> Option<AnyFraming> {
        framing(self.representation, self.codecs)
    }

    /// Decodes a value in its format, or as JSON if the content has no format, as for text.
    ///
    /// # Errors
    /// Fails if the bytes are invalid in the format, or if their value does not fit the type.
    #[inline]
    pub fn value<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T> {
        self.borrowed_value(self.codecs.map(|codecs| &**codecs), bytes)
    }

    /// Decodes a value that borrows from the bytes and from the codecs, which own the names of
    /// fields.
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

/// Returns the framing of a representation, if it is a stream.
fn framing(representation: Representation, codecs: Option<&Arc<Codecs>>) -> Option<AnyFraming> {
    match representation {
        Representation::Items(framing) => Some(AnyFraming::BuiltIn(framing)),
        Representation::OwnItems(at) => codecs?.framing(at).map(AnyFraming::Own),
        _ => None,
    }
}
