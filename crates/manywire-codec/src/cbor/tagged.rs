//! Tags of CBOR as the types of fields.

use manywire_shape::extension::{self, FromExtension, Kind};
use manywire_shape::{Node, NodeId, ShapeBuilder, Shaped};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

/// A value with a tag (RFC 8949, section 3.4). Writing a tagged value in another format fails with
/// the path to the value.
///
/// Tags whose meaning [`Value`](manywire_shape::Value) represents are not read as [`Tagged`]:
/// bignums (2 and 3) and decimal fractions (4) are numbers, and points in time (1, 1001) are
/// [`Timestamp`](manywire_shape::Timestamp)s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tagged<T> {
    /// The tag.
    pub tag: u64,
    /// The value.
    pub value: T,
}

impl<T: Serialize> Serialize for Tagged<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        extension::serialize(serializer, Kind::CborTag, self.tag, &self.value)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Tagged<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        extension::deserialize(deserializer)
    }
}

impl<'de, T: Deserialize<'de>> FromExtension<'de> for Tagged<T> {
    const EXPECTED: &'static str = "a CBOR value with a tag";
    type Content = T;

    fn is_expected(kind: Kind, _: u64) -> bool {
        kind == Kind::CborTag
    }

    fn from_content(tag: u64, value: T) -> Result<Self, &'static str> {
        Ok(Tagged { tag, value })
    }
}

// Formats with a schema have no type for a tagged value. Its shape is any value, and those formats
// refuse to write the tag.
impl<T> Shaped for Tagged<T> {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        builder.add(Node::Any)
    }
}
