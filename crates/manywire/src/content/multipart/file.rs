//! [`File`], a part that is a file.

use std::fmt;

use bytes::Bytes;
use manywire_shape::{Node, NodeId, ShapeBuilder, Shaped};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// A file in a form, held in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// The file name on the client. It is for display, and must not be used as a path.
    pub name: Option<String>,
    /// The `Content-Type` that the client sent.
    pub content_type: Option<String>,
    /// The content.
    pub content: Bytes,
}

/// The struct name that a file requests, by which the deserializer of parts recognises it.
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
        deserializer.deserialize_struct(FILE, &[NAME, CONTENT_TYPE, CONTENT], FileVisitor)
    }
}

/// The serializer of parts writes this as a file; other formats write a record.
impl Serialize for File {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut file = serializer.serialize_struct(FILE, 3)?;
        file.serialize_field(NAME, &self.name)?;
        file.serialize_field(CONTENT_TYPE, &self.content_type)?;
        file.serialize_field(CONTENT, &ByteSlice(&self.content))?;
        file.end()
    }
}

/// Serializes as bytes instead of a list of numbers.
struct ByteSlice<'b>(&'b [u8]);

impl Serialize for ByteSlice<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

struct FileVisitor;

impl<'de> Visitor<'de> for FileVisitor {
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
                CONTENT => file.content = map.next_value::<FileContent>()?.0,
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(file)
    }
}

/// Deserializes bytes with a single copy.
struct FileContent(Bytes);

impl<'de> Deserialize<'de> for FileContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_byte_buf(FileContentVisitor)
    }
}

struct FileContentVisitor;

impl Visitor<'_> for FileContentVisitor {
    type Value = FileContent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<FileContent, E> {
        Ok(FileContent(Bytes::copy_from_slice(bytes)))
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<FileContent, E> {
        Ok(FileContent(bytes.into()))
    }
}
