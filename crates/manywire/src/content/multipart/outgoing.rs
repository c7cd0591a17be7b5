//! Outgoing multipart forms, which a client builds from a record or part by part.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::{fmt, io};

use bytes::{Bytes, BytesMut};
use futures_core::Stream;
use http::HeaderValue;
use manywire_codec::{Category, Error, Result, json};
use manywire_format::MediaType;
use manywire_shape::{Node, NodeId, Presence, Shape, Shaped};
use serde::ser::{Impossible, Serialize, SerializeSeq, SerializeStruct, Serializer};
use tokio::io::AsyncRead;

use super::file::{CONTENT, CONTENT_TYPE, FILE, NAME};
use super::{File, Multipart, State};
use crate::body::{Body, BodyError};
use crate::content::own::AnyFormat;
use crate::content::raw_stream::ReaderStream;
use crate::content::{Codecs, Encoding, MULTIPART, Submit};
use crate::text::{Fields, TextError, fields, item_of, refuse, texts, transparent, without_option};

/// A form that is being built.
pub(super) struct OutgoingForm {
    boundary: String,
    parts: Vec<OutgoingPart>,
}

enum OutgoingPart {
    Ready(EncodedPart),
    /// A value that is encoded in the negotiated format, as one part or several.
    Value(Box<dyn Fn(AnyFormat) -> Result<Vec<EncodedPart>> + Send>),
    Stream {
        name: String,
        file: Option<FileStream>,
    },
}

/// An encoded part.
#[derive(Clone)]
pub(super) struct EncodedPart {
    name: String,
    content: PartContent,
}

#[derive(Clone)]
pub(super) enum PartContent {
    Whole { content: Bytes, content_type: Option<String> },
    File(File),
}

impl EncodedPart {
    pub(super) fn new(name: &str, content: PartContent) -> EncodedPart {
        EncodedPart { name: name.to_owned(), content }
    }
}

impl From<String> for PartContent {
    fn from(text: String) -> Self {
        PartContent::Whole { content: text.into(), content_type: None }
    }
}

impl From<File> for PartContent {
    fn from(file: File) -> Self {
        PartContent::File(file)
    }
}

impl<T> Multipart<T> {
    /// Creates an empty form.
    pub fn new() -> Self {
        // A boundary of 128 random bits, which content practically never contains (RFC 2046,
        // section 5.1.1).
        let random = RandomState::new();
        let [high, low] = [0_u8, 1].map(|half| random.hash_one(half));
        let outgoing =
            OutgoingForm { boundary: format!("manywire-{high:016x}{low:016x}"), parts: Vec::new() };
        Multipart { state: State::Outgoing(outgoing), of: std::marker::PhantomData }
    }

    /// Creates a form with a part for each field of a record. Files are sent as files, texts and
    /// numbers as text, and everything else in the format that the client uses.
    pub fn of(record: T) -> Self
    where
        T: Serialize + Shaped + Send + 'static,
    {
        let shape = Shape::of::<T>();
        let parts = move |format| parts_of(&record, &shape, format);
        Multipart::new().with(OutgoingPart::Value(Box::new(parts)))
    }

    /// Adds a text.
    #[must_use]
    pub fn with_text(self, name: &str, text: impl Into<String>) -> Self {
        self.with(OutgoingPart::Ready(EncodedPart::new(name, text.into().into())))
    }

    /// Adds a value, in the format that the client uses.
    #[must_use]
    pub fn with_value<U>(self, name: &str, value: U) -> Self
    where
        U: Serialize + Shaped + Send + 'static,
    {
        let (name, shape) = (name.to_owned(), Shape::of::<U>());
        let part = move |format| {
            let content = part_content(&value, &shape, format);
            let content = content.map_err(|error| error.under_key(&name))?;
            Ok(vec![EncodedPart::new(&name, content)])
        };
        self.with(OutgoingPart::Value(Box::new(part)))
    }

    /// Adds a file.
    #[must_use]
    pub fn with_file(self, name: &str, file: File) -> Self {
        self.with(OutgoingPart::Ready(EncodedPart::new(name, file.into())))
    }

    /// Adds a file that is read while it is sent. Such a form can be sent once.
    #[must_use]
    pub fn with_stream(self, name: &str, file: FileStream) -> Self {
        self.with(OutgoingPart::Stream { name: name.to_owned(), file: Some(file) })
    }

    fn with(mut self, part: OutgoingPart) -> Self {
        if let State::Outgoing(outgoing) = &mut self.state {
            outgoing.parts.push(part);
        }
        self
    }
}

impl<T> Default for Multipart<T> {
    fn default() -> Self {
        Multipart::new()
    }
}

impl<T: Shaped + 'static> Submit for Multipart<T> {
    fn submit(form: &mut Option<Multipart<T>>, to: &mut Encoding<'_>) -> Result<Option<Body>> {
        let Some(Multipart { state: State::Outgoing(outgoing), .. }) = form else {
            let message = "a received form cannot be sent: build one with Multipart::new";
            return Err(Error::new(Category::Unsupported, message));
        };
        let format = to.codecs.and_then(|codecs| codecs.parts().first().copied());
        outgoing.body(format)
    }

    fn content_type(form: &Multipart<T>) -> Option<HeaderValue> {
        let State::Outgoing(OutgoingForm { boundary, .. }) = &form.state else { return None };
        HeaderValue::try_from(format!("{MULTIPART}; boundary={boundary}")).ok()
    }
}

impl OutgoingForm {
    /// Encodes the form. Returns `None` if a streamed part was already sent.
    fn body(&mut self, format: Option<AnyFormat>) -> Result<Option<Body>> {
        let mut pieces = VecDeque::new();
        let mut bytes = BytesMut::new();
        let boundary = &self.boundary;
        for part in &mut self.parts {
            match part {
                OutgoingPart::Ready(part) => part.write(boundary, &mut bytes)?,
                OutgoingPart::Value(parts) => {
                    let none = || {
                        let message = "a part that is a value needs a format that knows fields by \
                                       their names: list json, msgpack, cbor or bson";
                        Error::new(Category::Unsupported, message)
                    };
                    for part in parts(format.ok_or_else(none)?)? {
                        part.write(boundary, &mut bytes)?;
                    }
                }
                OutgoingPart::Stream { name, file } => {
                    let Some(file) = file.take() else { return Ok(None) };
                    let FileStream { name: file_name, content_type, content } = file;
                    let content_type = content_type.as_deref().unwrap_or(OCTETS);
                    let names = (&**name, Some(file_name.as_deref().unwrap_or(NAMELESS)));
                    write_head(boundary, names, Some(content_type), &mut bytes)?;
                    pieces.push_back(Piece::Bytes(bytes.split().freeze()));
                    pieces.push_back(Piece::Stream(content));
                    bytes.extend_from_slice(b"\r\n");
                }
            }
        }
        bytes.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        let last = bytes.freeze();
        if pieces.is_empty() {
            return Ok(Some(Body::new(last)));
        }
        pieces.push_back(Piece::Bytes(last));
        Ok(Some(Body::stream(Pieces(pieces))))
    }
}

/// The file name of a file without one. A part is recognised as a file by having a file name;
/// browsers use this one (XMLHttpRequest, section 4.3).
const NAMELESS: &str = "blob";

/// The media type of unknown content.
const OCTETS: &str = "application/octet-stream";

impl EncodedPart {
    fn write(&self, boundary: &str, out: &mut BytesMut) -> Result<()> {
        let content = match &self.content {
            PartContent::Whole { content, content_type } => {
                write_head(boundary, (&self.name, None), content_type.as_deref(), out)?;
                content
            }
            PartContent::File(File { name, content_type, content }) => {
                let names = (&*self.name, Some(name.as_deref().unwrap_or(NAMELESS)));
                write_head(boundary, names, Some(content_type.as_deref().unwrap_or(OCTETS)), out)?;
                content
            }
        };
        out.extend_from_slice(content);
        out.extend_from_slice(b"\r\n");
        Ok(())
    }
}

/// Writes the header of a part (RFC 7578, section 4).
fn write_head(
    boundary: &str,
    (name, file_name): (&str, Option<&str>),
    content_type: Option<&str>,
    out: &mut BytesMut,
) -> Result<()> {
    let mut head = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"");
    quote(name, &mut head);
    head.push('"');
    if let Some(file_name) = file_name {
        head.push_str("; filename=\"");
        quote(file_name, &mut head);
        head.push('"');
    }
    head.push_str("\r\n");
    if let Some(content_type) = content_type {
        // The media type is parsed, so that it cannot inject header lines.
        let media_type = MediaType::parse(content_type).map_err(|error| {
            Error::new(Category::Unsupported, format_args!("the part {name:?}: {error}"))
        })?;
        _ = write!(head, "Content-Type: {media_type}\r\n");
    }
    head.push_str("\r\n");
    out.extend_from_slice(head.as_bytes());
    Ok(())
}

/// Writes a name as browsers do (HTML, section 4.10.21.8): only the characters that would end it
/// are escaped.
fn quote(name: &str, out: &mut String) {
    for character in name.chars() {
        match character {
            '"' => out.push_str("%22"),
            '\r' => out.push_str("%0D"),
            '\n' => out.push_str("%0A"),
            character => out.push(character),
        }
    }
}

enum Piece {
    Bytes(Bytes),
    Stream(Pin<Box<dyn Stream<Item = std::io::Result<Bytes>> + Send>>),
}

/// The chunks of a form, in order.
struct Pieces(VecDeque<Piece>);

impl Stream for Pieces {
    type Item = std::result::Result<Bytes, BodyError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let pieces = &mut self.get_mut().0;
        loop {
            match pieces.front_mut() {
                None => return Poll::Ready(None),
                Some(Piece::Bytes(bytes)) => {
                    let bytes = std::mem::take(bytes);
                    pieces.pop_front();
                    return Poll::Ready(Some(Ok(bytes)));
                }
                Some(Piece::Stream(stream)) => match ready!(stream.as_mut().poll_next(context)) {
                    Some(Ok(piece)) => return Poll::Ready(Some(Ok(piece))),
                    Some(Err(error)) => {
                        tracing::debug!(%error, "a file of a form could not be read");
                        pieces.clear();
                        let broken = BodyError::new("a file of the form could not be read");
                        return Poll::Ready(Some(Err(broken)));
                    }
                    None => _ = pieces.pop_front(),
                },
            }
        }
    }
}

/// Encodes the parts of a record: texts and files as such, everything else in a format.
///
/// # Errors
/// Fails if the format cannot represent a value.
fn parts_of<T: Serialize>(
    record: &T,
    shape: &Shape,
    format: AnyFormat,
) -> Result<Vec<EncodedPart>> {
    let written = fields(record, PartCollector { shape, format, parts: Vec::new() });
    let parts = written.map_err(|mut error| {
        let name = error.name.take();
        let error = Error::new(Category::Unsupported, error);
        match name {
            Some(name) => error.under_key(&name),
            None => error,
        }
    });
    Ok(parts?.parts)
}

/// Encodes one value as the content of a part.
///
/// # Errors
/// Fails if the format cannot represent a value.
fn part_content<T: Serialize>(value: &T, shape: &Shape, format: AnyFormat) -> Result<PartContent> {
    let codecs = Arc::new(Codecs::default().for_part(shape, format)?);
    let representation = codecs.representation(format);
    let to = Encoding { representation, codecs: Some(&codecs), capacity_bytes: 0 };
    let content_type = format.media_type().to_string();
    Ok(PartContent::Whole { content: to.value(value)?, content_type: Some(content_type) })
}

struct PartCollector<'s> {
    shape: &'s Shape,
    format: AnyFormat,
    parts: Vec<EncodedPart>,
}

impl PartCollector<'_> {
    /// Returns the type of a field, and whether the field may be left out.
    fn field(&self, name: &str) -> Option<(NodeId, bool)> {
        match self.shape.node(self.shape.root()) {
            Node::Record(record) => {
                let field = record.fields.iter().find(|field| *field.name == *name)?;
                Some((field.node, field.presence != Presence::Required))
            }
            Node::Map { value, .. } => Some((*value, false)),
            _ => None,
        }
    }
}

impl Fields for PartCollector<'_> {
    fn add<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        value: &T,
    ) -> std::result::Result<(), TextError> {
        let unknown = || TextError::new("the shape of the record has no such field");
        let (node, may_be_left_out) = self.field(name).ok_or_else(unknown)?;
        let item = item_of(self.shape, node);
        let one = without_option(self.shape, item.unwrap_or(node));
        let contents = |texts: Vec<String>| texts.into_iter().map(PartContent::from).collect();
        let sent: Option<Vec<PartContent>> = match self.shape.node(one) {
            Node::Bytes => Some(files(value)?.into_iter().map(PartContent::from).collect()),
            // These types have no text form. An absent value is an empty list of texts.
            Node::Record(_) | Node::Map { .. } | Node::Tuple(_) | Node::Array(_) => {
                texts(value).ok().filter(Vec::is_empty).map(contents)
            }
            // A value without a text form, such as a variant with content, is encoded in the
            // format.
            _ => texts(value).ok().map(contents),
        };
        match sent {
            Some(sent) if !sent.is_empty() => {
                self.parts.extend(sent.into_iter().map(|content| EncodedPart::new(name, content)));
                return Ok(());
            }
            Some(_) if item.is_some() && may_be_left_out || is_null(value) => return Ok(()),
            // A required list must be sent even if it is empty.
            _ => {}
        }
        let shape = self.shape.clone().rooted_at(without_option(self.shape, node)).reachable();
        let content = part_content(&value, &shape, self.format).map_err(TextError::new)?;
        self.parts.push(EncodedPart::new(name, content));
        Ok(())
    }
}

/// Returns whether a value without any text is null, and not an empty list.
fn is_null<T: Serialize + ?Sized>(value: &T) -> bool {
    texts(value).is_ok_and(|texts| texts.is_empty())
        && json::to_vec(value).is_ok_and(|text| text == b"null")
}

type TextResult<T> = std::result::Result<T, TextError>;

/// Returns the files of a value: a file, bytes, or a list of files; none for an absent value.
///
/// # Errors
/// Fails for values that are neither files nor bytes.
pub(super) fn files<T: Serialize + ?Sized>(value: &T) -> TextResult<Vec<File>> {
    value.serialize(FileSerializer)
}

struct FileSerializer;

#[cold]
fn not_a_file() -> TextError {
    TextError::new("expected a file or bytes")
}

impl Serializer for FileSerializer {
    type Ok = Vec<File>;
    type Error = TextError;
    type SerializeSeq = FileList;
    type SerializeTuple = Impossible<Vec<File>, TextError>;
    type SerializeTupleStruct = Impossible<Vec<File>, TextError>;
    type SerializeTupleVariant = Impossible<Vec<File>, TextError>;
    type SerializeMap = Impossible<Vec<File>, TextError>;
    type SerializeStruct = FileFields;
    type SerializeStructVariant = Impossible<Vec<File>, TextError>;

    refuse! {
        not_a_file, scalars, tuples, variants;
        serialize_unit_struct(&'static str) -> Self::Ok;
        serialize_map(Option<usize>) -> Self::SerializeMap;
    }

    transparent! {}

    fn serialize_bytes(self, value: &[u8]) -> TextResult<Vec<File>> {
        Ok(vec![File { content: Bytes::copy_from_slice(value), ..File::default() }])
    }

    fn serialize_none(self) -> TextResult<Vec<File>> {
        Ok(Vec::new())
    }

    fn serialize_unit(self) -> TextResult<Vec<File>> {
        Ok(Vec::new())
    }

    fn serialize_seq(self, _len: Option<usize>) -> TextResult<FileList> {
        Ok(FileList(Vec::new()))
    }

    fn serialize_struct(self, name: &'static str, _len: usize) -> TextResult<FileFields> {
        if name == FILE { Ok(FileFields(File::default())) } else { Err(not_a_file()) }
    }
}

struct FileList(Vec<File>);

impl SerializeSeq for FileList {
    type Ok = Vec<File>;
    type Error = TextError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, item: &T) -> TextResult<()> {
        self.0.append(&mut files(item)?);
        Ok(())
    }

    fn end(self) -> TextResult<Vec<File>> {
        Ok(self.0)
    }
}

struct FileFields(File);

impl SerializeStruct for FileFields {
    type Ok = Vec<File>;
    type Error = TextError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> TextResult<()> {
        match name {
            NAME => self.0.name = texts(value)?.pop(),
            CONTENT_TYPE => self.0.content_type = texts(value)?.pop(),
            CONTENT => {
                self.0.content = files(value)?.pop().map(|file| file.content).unwrap_or_default();
            }
            _ => {}
        }
        Ok(())
    }

    fn end(self) -> TextResult<Vec<File>> {
        Ok(vec![self.0])
    }
}

/// A file that is read while it is sent, chunk by chunk.
///
/// ```no_run
/// # async fn file() -> std::io::Result<()> {
/// use manywire::content::FileStream;
///
/// let file = tokio::fs::File::open("view.png").await?;
/// let photo = FileStream::from_reader(file).with_name("view.png").with_content_type("image/png");
/// # drop(photo);
/// # Ok(())
/// # }
/// ```
pub struct FileStream {
    pub(super) name: Option<String>,
    pub(super) content_type: Option<String>,
    pub(super) content: Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>,
}

impl FileStream {
    /// Creates a file from a stream of chunks. An error aborts the request.
    pub fn new(content: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> FileStream {
        FileStream { name: None, content_type: None, content: Box::pin(content) }
    }

    /// Creates a file from a reader, such as a `tokio::fs::File`.
    pub fn from_reader(reader: impl AsyncRead + Send + 'static) -> FileStream {
        FileStream::new(ReaderStream::new(reader))
    }

    /// Sets the file name, for display.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> FileStream {
        self.name = Some(name.into());
        self
    }

    /// Sets the media type; the default is `application/octet-stream`.
    #[must_use]
    pub fn with_content_type(mut self, media_type: impl Into<String>) -> FileStream {
        self.content_type = Some(media_type.into());
        self
    }
}

impl fmt::Debug for FileStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("FileStream");
        shown.field("name", &self.name).field("content_type", &self.content_type);
        shown.finish_non_exhaustive()
    }
}
