//! Bytes as the content of a format-specific type: serde's own implementations are sequences of
//! integers.

use std::fmt;

use serde::de;
use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

/// Borrowed bytes, to write.
pub struct OctetsRef<'a>(pub &'a [u8]);

impl Serialize for OctetsRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// Owned bytes that were read.
pub struct Octets(pub Vec<u8>);

impl<'de> Deserialize<'de> for Octets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_byte_buf(OctetsVisitor)
    }
}

struct OctetsVisitor;

impl Visitor<'_> for OctetsVisitor {
    type Value = Octets;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Octets, E> {
        Ok(Octets(bytes.to_owned()))
    }

    fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Octets, E> {
        Ok(Octets(bytes))
    }
}
