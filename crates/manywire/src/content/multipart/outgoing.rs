//! Forms of parts on their way out: a client's side.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use futures_core::Stream;
use http::HeaderValue;
use manywire_codec::{Category, Error, Result};
use manywire_format::MediaType;
use manywire_shape::{Shape, Shaped};
use serde::Serialize;

use super::{File, FileStream, Multipart, State, record};
use crate::content::own::AnyFormat;
use crate::content::{Encoding, MULTIPART, Submit};
use crate::server::{Body, BodyError};

/// A form that is put together.
pub(super) struct Outgoing {
    boundary: String,
    parts: Vec<Part>,
}

enum Part {
    Ready(Sending),
    /// What is written in the format that is agreed on: one part or several.
    Value(Box<dyn Fn(AnyFormat) -> Result<Vec<Sending>> + Send>),
    Stream {
        name: String,
        file: Option<FileStream>,
    },
}

/// A part as it is sent.
#[derive(Clone)]
pub(super) struct Sending {
    name: String,
    content: Content,
}

#[derive(Clone)]
pub(super) enum Content {
    Whole { content: Bytes, content_type: Option<String> },
    File(File),
}

impl Sending {
    pub(super) fn new(name: &str, content: Content) -> Sending {
        Sending { name: name.to_owned(), content }
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Content::Whole { content: text.into(), content_type: None }
    }
}

impl From<File> for Content {
    fn from(file: File) -> Self {
        Content::File(file)
    }
}

impl<T> Multipart<T> {
    /// A form to be sent, with no parts yet.
    pub fn new() -> Self {
        // What no content holds by chance (RFC 2046, section 5.1.1): 128 bits of the system's.
        let random = RandomState::new();
        let [high, low] = [0_u8, 1].map(|half| random.hash_one(half));
        let outgoing =
            Outgoing { boundary: format!("manywire-{high:016x}{low:016x}"), parts: Vec::new() };
        Multipart { state: State::Outgoing(outgoing), of: std::marker::PhantomData }
    }

    /// A form to be sent, with a part for each field of a record: files as such, texts, numbers
    /// and the like as text, and everything else in the format that the client speaks.
    pub fn of(record: T) -> Self
    where
        T: Serialize + Shaped + Send + 'static,
    {
        let shape = Shape::of::<T>();
        let parts = move |format| record::parts(&record, &shape, format);
        Multipart::new().with(Part::Value(Box::new(parts)))
    }

    /// The same form with a part that is text.
    #[must_use]
    pub fn with_text(self, name: &str, text: impl Into<String>) -> Self {
        self.with(Part::Ready(Sending::new(name, text.into().into())))
    }

    /// The same form with a part that is a value, in the format that the client speaks.
    #[must_use]
    pub fn with_value<U>(self, name: &str, value: U) -> Self
    where
        U: Serialize + Shaped + Send + 'static,
    {
        let (name, shape) = (name.to_owned(), Shape::of::<U>());
        let part = move |format| {
            let content = record::value(&value, &shape, format);
            let content = content.map_err(|error| error.under_key(&name))?;
            Ok(vec![Sending::new(&name, content)])
        };
        self.with(Part::Value(Box::new(part)))
    }

    /// The same form with a part that is a file.
    #[must_use]
    pub fn with_file(self, name: &str, file: File) -> Self {
        self.with(Part::Ready(Sending::new(name, file.into())))
    }

    /// The same form with a part that is a file, and sent as it is read. Such a form is sent once:
    /// what was read is gone.
    #[must_use]
    pub fn with_stream(self, name: &str, file: FileStream) -> Self {
        self.with(Part::Stream { name: name.to_owned(), file: Some(file) })
    }

    fn with(mut self, part: Part) -> Self {
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
            let message = "a form that came in is not sent on: make one by Multipart::new";
            return Err(Error::new(Category::Unsupported, message));
        };
        let format = to.codecs.and_then(|codecs| codecs.parts().first().copied());
        outgoing.body(format)
    }

    fn content_type(form: &Multipart<T>) -> Option<HeaderValue> {
        let State::Outgoing(Outgoing { boundary, .. }) = &form.state else { return None };
        HeaderValue::try_from(format!("{MULTIPART}; boundary={boundary}")).ok()
    }
}

impl Outgoing {
    /// All of it; nothing if a part was streamed, and is gone.
    fn body(&mut self, format: Option<AnyFormat>) -> Result<Option<Body>> {
        let mut pieces = VecDeque::new();
        let mut bytes = BytesMut::new();
        let boundary = &self.boundary;
        for part in &mut self.parts {
            match part {
                Part::Ready(part) => part.write(boundary, &mut bytes)?,
                Part::Value(parts) => {
                    let none = || {
                        let message = "a part that is a value needs a format that knows fields by \
                                       their names: list json, msgpack, cbor or bson";
                        Error::new(Category::Unsupported, message)
                    };
                    for part in parts(format.ok_or_else(none)?)? {
                        part.write(boundary, &mut bytes)?;
                    }
                }
                Part::Stream { name, file } => {
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

/// The name of a file that has none: it is by a name that a part is known to be a file, and this is
/// what browsers call it (XMLHttpRequest, section 4.3).
const NAMELESS: &str = "blob";

/// What content is of which nothing is known.
const OCTETS: &str = "application/octet-stream";

impl Sending {
    fn write(&self, boundary: &str, out: &mut BytesMut) -> Result<()> {
        let content = match &self.content {
            Content::Whole { content, content_type } => {
                write_head(boundary, (&self.name, None), content_type.as_deref(), out)?;
                content
            }
            Content::File(File { name, content_type, content }) => {
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

/// What stands before the content of a part (RFC 7578, section 4).
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
        // Parsed, so that nobody writes a line of their own into the head.
        let media_type = MediaType::parse(content_type).map_err(|error| {
            Error::new(Category::Unsupported, format_args!("the part {name:?}: {error}"))
        })?;
        _ = write!(head, "Content-Type: {media_type}\r\n");
    }
    head.push_str("\r\n");
    out.extend_from_slice(head.as_bytes());
    Ok(())
}

/// A name as browsers write it (HTML, section 4.10.21.8): as it is, but for what would end it.
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

/// The pieces of a form, one behind the other.
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
