//! Extension types, and the one that the specification defines: timestamps, type -1.

use manywire_shape::extension::{self, FromExtension, Kind};
use manywire_shape::{Node, NodeId, ShapeBuilder, Shaped};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use serde_bytes::{ByteBuf, Bytes};

use crate::{Error, Result};

/// An extension: bytes with a type that the application defines. Avro keeps the type, in a record
/// for a value of any type. Writing an extension in another format fails with the path to the
/// extension.
///
/// Type -1 is that of timestamps, which are read as [`Timestamp`](manywire_shape::Timestamp)s.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Extension {
    /// The type: 0 to 127 for applications, below 0 for the specification.
    pub kind: i8,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Serialize for Extension {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let code = i64::from(self.kind).cast_unsigned();
        extension::serialize(serializer, Kind::MessagePack, code, Bytes::new(&self.bytes))
    }
}

impl<'de> Deserialize<'de> for Extension {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        extension::deserialize(deserializer)
    }
}

impl FromExtension<'_> for Extension {
    const EXPECTED: &'static str = "a MessagePack extension";
    type Content = ByteBuf;

    fn is_expected(kind: Kind, _: u64) -> bool {
        kind == Kind::MessagePack
    }

    fn from_content(code: u64, bytes: ByteBuf) -> std::result::Result<Self, &'static str> {
        let kind = i8::try_from(code.cast_signed());
        let kind = kind.map_err(|_| "the type of an extension is -128 to 127")?;
        Ok(Extension { kind, bytes: bytes.into_vec() })
    }
}

// The schema languages have no type for an extension, so its shape is any value. Avro writes such a
// value as the record of an extension; Protocol Buffers refuses it.
impl Shaped for Extension {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        builder.add(Node::Any)
    }
}

/// The type of a timestamp.
pub(super) const TIMESTAMP: i8 = -1;

const NANOSECONDS_MAX: u32 = 999_999_999;

/// Converts an extension's code to its type, an `i8` in two's complement.
pub(super) fn type_of(code: u64) -> Result<i8> {
    let code = code.cast_signed();
    i8::try_from(code).map_err(|_| {
        Error::unsupported(format_args!("invalid extension type {code}: expected -128 to 127"))
    })
}

/// Rejects timestamps that no reader could read.
pub(super) fn check(kind: i8, content: &[u8]) -> Result<()> {
    match timestamp(content) {
        None if kind == TIMESTAMP => {
            Err(Error::unsupported("the content of an extension of type -1 must be a timestamp"))
        }
        _ => Ok(()),
    }
}

/// Calls `take` with the shortest of the three forms of a timestamp.
pub(super) fn with_timestamp<R>(
    seconds: i64,
    nanoseconds: u64,
    take: impl FnOnce(&[u8]) -> Result<R>,
) -> Result<R> {
    let nanoseconds = u32::try_from(nanoseconds)
        .ok()
        .filter(|nanoseconds| *nanoseconds <= NANOSECONDS_MAX)
        .ok_or_else(|| {
            Error::unsupported(format_args!("{nanoseconds} nanoseconds are more than a second"))
        })?;
    match (u32::try_from(seconds), u64::try_from(seconds)) {
        (Ok(seconds), _) if nanoseconds == 0 => take(&seconds.to_be_bytes()),
        (_, Ok(seconds)) if seconds >> 34 == 0 => {
            take(&(u64::from(nanoseconds) << 34 | seconds).to_be_bytes())
        }
        _ => {
            let mut form = [0; 12];
            form[..4].copy_from_slice(&nanoseconds.to_be_bytes());
            form[4..].copy_from_slice(&seconds.to_be_bytes());
            take(&form)
        }
    }
}

/// Returns seconds and nanoseconds from any of the three forms, or `None` if the content has none
/// of them.
pub(super) fn timestamp(content: &[u8]) -> Option<(i64, u32)> {
    let (seconds, nanoseconds) = if let Ok(seconds) = content.try_into() {
        (i64::from(u32::from_be_bytes(seconds)), 0)
    } else if let Ok(both) = content.try_into() {
        let both = u64::from_be_bytes(both);
        ((both & 0x3_ffff_ffff).cast_signed(), (both >> 34) as u32)
    } else {
        let (nanoseconds, seconds) = content.split_first_chunk()?;
        (i64::from_be_bytes(seconds.try_into().ok()?), u32::from_be_bytes(*nanoseconds))
    };
    (nanoseconds <= NANOSECONDS_MAX).then_some((seconds, nanoseconds))
}
