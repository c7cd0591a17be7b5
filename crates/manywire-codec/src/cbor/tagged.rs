//! Tags of CBOR as the types of fields.

use manywire_shape::extension::{self, FromExtension, Kind};
use manywire_shape::{Node, NodeId, ShapeBuilder, Shaped};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

/// A value with a tag (RFC 8949, section 3.4). Avro keeps the tag, in a record for a value of any
/// type. Writing a tagged value in another format fails with the path to the value.
///
/// A tag is not read as [`Tagged`] if [`Value`](manywire_shape::Value) represents its meaning:
/// bignums (2 and 3) and decimal fractions (4) are numbers, and points in time (1 and 1001) are
/// [`Timestamp`](manywire_shape::Timestamp)s. The same tag with other content, such as a tag 1
/// around a float, is read as [`Tagged`].
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

// The schema languages have no type for a tagged value, so its shape is any value. Avro writes such
// a value as the record of an extension; Protocol Buffers refuses it.
impl<T> Shaped for Tagged<T> {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        builder.add(Node::Any)
    }
}
