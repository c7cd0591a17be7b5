//! The types that only BSON has, for the fields of Rust types.
//!
//! Each keeps its type in BSON. Avro keeps it too, in a record for a value of any type. Writing one
//! of these values in another format fails with the path to the value. A UTC datetime is
//! [`manywire_shape::Timestamp`], which the other formats have, too. Rarer types, such as code and
//! the minimum key, are held by [`manywire_shape::OwnedValue`].

use std::fmt;
use std::str::FromStr;

use manywire_shape::extension::{self, FromExtension, Kind};
use manywire_shape::{Node, NodeId, ShapeBuilder, Shaped};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use serde_bytes::{ByteArray, ByteBuf, Bytes};

use super::element;

/// The unique identifier of a document: 12 bytes, of which the first four are seconds since 1970.
///
/// Its text is 24 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub [u8; 12]);

/// A decimal number of 34 digits in the 128-bit format of IEEE 754 (binary integer significand), as
/// its 16 bytes in little-endian order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal128(pub [u8; 16]);

/// Bytes with a subtype.
///
/// Subtype 0 is generic: such bytes are plain bytes in the other formats.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Binary {
    /// The subtype, such as 4 for a UUID.
    pub subtype: u8,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A regular expression.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Regex {
    /// The pattern.
    pub pattern: String,
    /// The options: letters, which BSON stores in alphabetical order.
    pub options: String,
}

/// A timestamp of MongoDB's replication. For points in time, use [`manywire_shape::Timestamp`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplicationTimestamp {
    /// Seconds since 1970.
    pub seconds: u32,
    /// The number of the operation within its second.
    pub increment: u32,
}

impl Serialize for ObjectId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        extension::serialize(serializer, Kind::Bson, element::OBJECT_ID.into(), Bytes::new(&self.0))
    }
}

impl FromExtension<'_> for ObjectId {
    const EXPECTED: &'static str = "an ObjectId of BSON";
    type Content = ByteArray<12>;

    fn is_expected(kind: Kind, code: u64) -> bool {
        is_bson(kind, code, element::OBJECT_ID)
    }

    fn from_content(_: u64, content: ByteArray<12>) -> Result<Self, &'static str> {
        Ok(ObjectId(content.into_array()))
    }
}

impl Serialize for Decimal128 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let content = Bytes::new(&self.0);
        extension::serialize(serializer, Kind::Bson, element::DECIMAL128.into(), content)
    }
}

impl FromExtension<'_> for Decimal128 {
    const EXPECTED: &'static str = "a decimal128 of BSON";
    type Content = ByteArray<16>;

    fn is_expected(kind: Kind, code: u64) -> bool {
        is_bson(kind, code, element::DECIMAL128)
    }

    fn from_content(_: u64, content: ByteArray<16>) -> Result<Self, &'static str> {
        Ok(Decimal128(content.into_array()))
    }
}

impl Serialize for Binary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.subtype == element::GENERIC {
            return serializer.serialize_bytes(&self.bytes);
        }
        let content = (self.subtype, Bytes::new(&self.bytes));
        extension::serialize(serializer, Kind::Bson, element::BINARY.into(), &content)
    }
}

impl FromExtension<'_> for Binary {
    const EXPECTED: &'static str = "bytes, or binary of BSON with a subtype";
    type Content = (u8, ByteBuf);

    fn is_expected(kind: Kind, code: u64) -> bool {
        is_bson(kind, code, element::BINARY)
    }

    fn from_content(_: u64, (subtype, bytes): (u8, ByteBuf)) -> Result<Self, &'static str> {
        Ok(Binary { subtype, bytes: bytes.into_vec() })
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Binary { subtype: element::GENERIC, bytes: bytes.to_owned() })
    }
}

impl Serialize for Regex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let content = (&self.pattern, &self.options);
        extension::serialize(serializer, Kind::Bson, element::REGEX.into(), &content)
    }
}

impl FromExtension<'_> for Regex {
    const EXPECTED: &'static str = "a regular expression of BSON";
    type Content = (String, String);

    fn is_expected(kind: Kind, code: u64) -> bool {
        is_bson(kind, code, element::REGEX)
    }

    fn from_content(_: u64, (pattern, options): (String, String)) -> Result<Self, &'static str> {
        Ok(Regex { pattern, options })
    }
}

impl Serialize for ReplicationTimestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bits = u64::from(self.seconds) << 32 | u64::from(self.increment);
        extension::serialize(serializer, Kind::Bson, element::TIMESTAMP.into(), &bits)
    }
}

impl FromExtension<'_> for ReplicationTimestamp {
    const EXPECTED: &'static str = "a timestamp of BSON's replication";
    type Content = u64;

    fn is_expected(kind: Kind, code: u64) -> bool {
        is_bson(kind, code, element::TIMESTAMP)
    }

    fn from_content(_: u64, bits: u64) -> Result<Self, &'static str> {
        Ok(ReplicationTimestamp { seconds: (bits >> 32) as u32, increment: bits as u32 })
    }
}

fn is_bson(kind: Kind, code: u64, element: u8) -> bool {
    kind == Kind::Bson && code == u64::from(element)
}

macro_rules! read_from_extension {
    ($($ty:ty)*) => {$(
        impl<'de> Deserialize<'de> for $ty {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                extension::deserialize(deserializer)
            }
        }

        // The schema languages have no type for these values, so their shape is any value. Avro
        // writes such a value as the record of an extension; Protocol Buffers refuses it.
        impl Shaped for $ty {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                builder.add(Node::Any)
            }
        }
    )*};
}

read_from_extension! { ObjectId Decimal128 Binary Regex ReplicationTimestamp }

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectId({self})")
    }
}

/// The error for a text that is no ObjectId.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseObjectIdError(());

impl fmt::Display for ParseObjectIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid ObjectId: expected 24 hexadecimal digits")
    }
}

impl std::error::Error for ParseObjectIdError {}

impl FromStr for ObjectId {
    type Err = ParseObjectIdError;

    fn from_str(text: &str) -> Result<Self, ParseObjectIdError> {
        let digits = text.as_bytes();
        let mut id = [0; 12];
        if digits.len() != 2 * id.len() {
            return Err(ParseObjectIdError(()));
        }
        let digit = |byte: u8| char::from(byte).to_digit(16).ok_or(ParseObjectIdError(()));
        for (byte, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
        }
        Ok(ObjectId(id))
    }
}
