//! One part of an incoming form, and [`File`], a part that is a file.

use std::fmt;
use std::marker::PhantomData;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode, header};
use manywire_codec::Limits;
use manywire_format::MediaType;
use manywire_shape::{Node, NodeId, Shape, ShapeBuilder, Shaped};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::de::ReceivedPart;
use super::disposition::Disposition;
use super::{de, problem};
use crate::content::own::AnyFormat;
use crate::problem::Problem;

/// One part of a form while it arrives.
#[derive(Debug)]
pub struct Part<'m> {
    field: multer::Field<'static>,
    disposition: Disposition,
    formats: Vec<AnyFormat>,
    limits: Limits,
    /// The borrow prevents reading the next part while this one exists.
    of: PhantomData<&'m mut ()>,
}

impl<'m> Part<'m> {
    /// Creates a part, and parses its `Content-Disposition`.
    ///
    /// # Errors
    /// Fails with 400 for an invalid `Content-Disposition`.
    pub(super) fn new(
        field: multer::Field<'static>,
        formats: &[AnyFormat],
        limits: Limits,
    ) -> Result<Self, Problem> {
        // The parser of `multer` would find a name anywhere in the field, even within other
        // parameters.
        let said = field.headers().get(header::CONTENT_DISPOSITION);
        let disposition = said.map(|said| Disposition::parse(said.as_bytes())).transpose();
        let disposition = disposition.map_err(|error| {
            Problem::new(StatusCode::BAD_REQUEST).with_detail(error.to_string())
        })?;
        Ok(Part {
            field,
            disposition: disposition.unwrap_or_default(),
            formats: formats.to_vec(),
            limits,
            of: PhantomData,
        })
    }

    /// Returns the name of the field; empty if the part has none.
    pub fn name(&self) -> &str {
        self.disposition.name.as_deref().unwrap_or_default()
    }

    /// Returns the file name on the client. It is for display, and must not be used as a path.
    pub fn file_name(&self) -> Option<&str> {
        self.disposition.file_name.as_deref()
    }

    /// Returns the `Content-Type`, or nothing if it is absent or invalid.
    pub fn content_type(&self) -> Option<MediaType> {
        MediaType::parse(self.field.content_type()?.as_ref()).ok()
    }

    /// Returns the header fields.
    pub fn headers(&self) -> &HeaderMap {
        self.field.headers()
    }

    /// Returns the next chunk, or `None` after the last.
    pub async fn chunk(&mut self) -> Option<Result<Bytes, Problem>> {
        let chunk = self.field.chunk().await;
        chunk.map_err(|error| problem(error, Some(self.name()))).transpose()
    }

    /// Returns the whole content.
    ///
    /// # Errors
    /// Fails if the body is aborted, or beyond a limit.
    pub async fn bytes(mut self) -> Result<Bytes, Problem> {
        self.collect().await
    }

    /// Decodes the value by the part's own `Content-Type`: a format of the endpoint, or text.
    ///
    /// # Errors
    /// Fails as [`Multipart::read`](super::Multipart::read) does.
    pub async fn value<U: DeserializeOwned + Shaped>(self) -> Result<U, Problem> {
        let (formats, limits) = (self.formats.clone(), self.limits);
        de::value(self.whole().await?, &Shape::of::<U>(), &formats, limits)
    }

    /// Receives the whole part with its header.
    pub(super) async fn whole(mut self) -> Result<ReceivedPart, Problem> {
        let content = self.collect().await?;
        ReceivedPart::new(
            self.name().to_owned(),
            self.file_name().map(str::to_owned),
            self.content_type(),
            content,
            &self.formats,
        )
    }

    async fn collect(&mut self) -> Result<Bytes, Problem> {
        let Some(first) = self.chunk().await else { return Ok(Bytes::new()) };
        let first = first?;
        // A part in a single chunk is not copied.
        let Some(second) = self.chunk().await else { return Ok(first) };
        let mut all = BytesMut::from(first);
        all.extend_from_slice(&second?);
        while let Some(piece) = self.chunk().await {
            all.extend_from_slice(&piece?);
        }
        Ok(all.freeze())
    }
}

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
