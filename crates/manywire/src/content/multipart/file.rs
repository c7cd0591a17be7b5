use std::fmt;

use bytes::Bytes;
use manywire_shape::{Node, NodeId, ShapeBuilder, Shaped};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// A file that is a part of a form, kept in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// The name it has with the client. It is for showing: as a path it is not to be trusted.
    pub name: Option<String>,
    /// What the client says it is.
    pub content_type: Option<String>,
    /// Its content.
    pub content: Bytes,
}

/// What a file asks for, so that whoever has parts knows to give it one.
pub(super) const FILE: &str = "$manywire::File";
pub(super) const NAME: &str = "name";
pub(super) const CONTENT_TYPE: &str = "content_type";
pub(super) const CONTENT: &str = "content";

impl Shaped for File {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        builder.add(Node::Bytes)
    }
}

impl<'de> Deserialize<'de> for File {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct(FILE, &[NAME, CONTENT_TYPE, CONTENT], OfFile)
    }
}

/// In whatever writes forms of parts this is a part; elsewhere it is a record.
impl Serialize for File {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut file = serializer.serialize_struct(FILE, 3)?;
        file.serialize_field(NAME, &self.name)?;
        file.serialize_field(CONTENT_TYPE, &self.content_type)?;
        file.serialize_field(CONTENT, &Octets(&self.content))?;
        file.end()
    }
}

/// Bytes that are written as such, and not as a list of numbers.
struct Octets<'b>(&'b [u8]);

impl Serialize for Octets<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

struct OfFile;

impl<'de> Visitor<'de> for OfFile {
    type Value = File;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a file, which is a part of a form")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<File, A::Error> {
        let mut file = File::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                NAME => file.name = map.next_value()?,
                CONTENT_TYPE => file.content_type = map.next_value()?,
                CONTENT => file.content = map.next_value::<Content>()?.0,
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(file)
    }
}

/// Bytes that are copied once.
struct Content(Bytes);

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_byte_buf(OfContent)
    }
}

struct OfContent;

impl Visitor<'_> for OfContent {
    type Value = Content;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Content, E> {
        Ok(Content(Bytes::copy_from_slice(bytes)))
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Content, E> {
        Ok(Content(bytes.into()))
    }
}
