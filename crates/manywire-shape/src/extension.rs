//! How values outside serde's data model pass through serde.
//!
//! Serde's data model has no timestamps, no decimal numbers beyond 64 bits and no format-specific
//! types. They are passed as a newtype struct with the name [`NAME`] around the triple `(kind,
//! code, content)`. A newtype survives serde's buffering (untagged enums, `flatten`), and a codec
//! recognises it by its name: our serializers convert it to the format's type or refuse it, and our
//! deserializers pass it to `visit_newtype_struct`.
//!
//! | kind | code | content |
//! |---|---|---|
//! | [`Kind::MessagePack`] | the type, `i8` in two's complement | bytes |
//! | [`Kind::CborTag`] | the tag | any value |
//! | [`Kind::CborSimple`] | the simple value | unit |
//! | [`Kind::Bson`] | the element type | what the type calls for |
//! | [`Kind::Timestamp`] | nanoseconds | seconds, `i64` |
//! | [`Kind::Number`] | 0 | decimal text |

use serde::ser::{Serialize, SerializeTuple, Serializer};

use crate::Space;

/// The name of the newtype struct that carries an extension.
pub const NAME: &str = "$manywire::Extension";

/// The meaning of an extension triple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// [`Space::MessagePack`].
    MessagePack = 0,
    /// [`Space::CborTag`].
    CborTag = 1,
    /// [`Space::CborSimple`].
    CborSimple = 2,
    /// [`Space::Bson`].
    Bson = 3,
    /// A [`Timestamp`](crate::Timestamp).
    Timestamp = 4,
    /// A number beyond 64 bits, [`Value::Number`](crate::Value::Number).
    Number = 5,
}

impl Kind {
    /// Returns the kind with this number in the triple.
    pub fn from_u8(number: u8) -> Option<Self> {
        Some(match number {
            0 => Kind::MessagePack,
            1 => Kind::CborTag,
            2 => Kind::CborSimple,
            3 => Kind::Bson,
            4 => Kind::Timestamp,
            5 => Kind::Number,
            _ => return None,
        })
    }

    /// Returns the format that the extension belongs to, if it is format-specific.
    pub fn space(self) -> Option<Space> {
        Some(match self {
            Kind::MessagePack => Space::MessagePack,
            Kind::CborTag => Space::CborTag,
            Kind::CborSimple => Space::CborSimple,
            Kind::Bson => Space::Bson,
            Kind::Timestamp | Kind::Number => return None,
        })
    }
}

impl From<Space> for Kind {
    fn from(space: Space) -> Self {
        match space {
            Space::MessagePack => Kind::MessagePack,
            Space::CborTag => Kind::CborTag,
            Space::CborSimple => Kind::CborSimple,
            Space::Bson => Kind::Bson,
        }
    }
}

/// Writes the triple inside its newtype.
pub fn serialize<S, T>(serializer: S, kind: Kind, code: u64, content: &T) -> Result<S::Ok, S::Error>
where
    S: Serializer,
    T: Serialize + ?Sized,
{
    serializer.serialize_newtype_struct(NAME, &Triple { kind, code, content })
}

struct Triple<'a, T: ?Sized> {
    kind: Kind,
    code: u64,
    content: &'a T,
}

impl<T: Serialize + ?Sized> Serialize for Triple<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut parts = serializer.serialize_tuple(3)?;
        parts.serialize_element(&(self.kind as u8))?;
        parts.serialize_element(&self.code)?;
        parts.serialize_element(self.content)?;
        parts.end()
    }
}
