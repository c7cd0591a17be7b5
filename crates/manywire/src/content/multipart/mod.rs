//! Forms of many parts, each of its own type.

mod de;
mod disposition;
#[cfg(feature = "client")]
mod outgoing;
mod part;

use std::fmt;
use std::marker::PhantomData;

use http::StatusCode;
use manywire_codec::{Category, Error, Limits, Result};
use manywire_format::MediaType;
use manywire_shape::{Node, Shape, Shaped};
use serde::de::DeserializeOwned;

use super::own::AnyFormat;
use super::{Content, Decoding, IncomingContent, MULTIPART, Media, Receive, Type};
use crate::problem::Problem;
#[cfg(feature = "client")]
pub use outgoing::FileStream;
pub use part::{File, Part};

/// A form of parts, `multipart/form-data` (RFC 7578): fields of any type, and files.
///
/// `T` is a record of what is to come. The handler either has it whole:
///
/// ```
/// use manywire::content::{File, Multipart};
/// use manywire::{Api, Problem, Shaped, post};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, Shaped)]
/// struct Hotel {
///     name: String,
///     stars: u8,
/// }
///
/// #[derive(Deserialize, Shaped)]
/// struct Upload {
///     title: String,
///     hotel: Hotel,
///     photos: Vec<File>,
/// }
///
/// let upload = post("/photos").body::<Multipart<Upload>>().returns::<u64>();
/// let api = Api::new("Hotels").serve(upload.to(|form| async move {
///     let Upload { photos, .. } = form.read().await?;
///     Ok::<u64, Problem>(photos.iter().map(|photo| photo.content.len() as u64).sum())
/// }));
/// # api.build()?;
/// # Ok::<(), manywire::InvalidApi>(())
/// ```
///
/// or part by part as they come in, each piece by piece, with nothing kept and no temporary files:
///
/// ```
/// # use manywire::content::Multipart;
/// # use manywire::{Api, Problem, Shaped, post};
/// # #[derive(serde::Deserialize, Shaped)]
/// # struct Upload { title: String }
/// let upload = post("/photos").body::<Multipart<Upload>>().returns::<u64>();
/// let api = Api::new("Hotels").serve(upload.to(|mut form| async move {
///     let mut size = 0;
///     while let Some(part) = form.next().await {
///         let mut part = part?;
///         while let Some(piece) = part.chunk().await {
///             size += piece?.len() as u64;
///         }
///     }
///     Ok::<_, Problem>(size)
/// }));
/// # api.build()?;
/// # Ok::<(), manywire::InvalidApi>(())
/// ```
///
/// A part is read by its own `Content-Type`: a format of the endpoint, or text, which is what a
/// part without one is; anything else is 415, unless it is for a file or bytes. A part is limited by [`Limits::body_bytes`](crate::Limits::body_bytes), all
/// together by [`Limits::multipart_bytes`](crate::Limits::multipart_bytes); content codings of the
/// whole are taken off as it comes.
///
/// A client makes a form of a record by `Multipart::of`, or part by part:
///
/// ```
/// # #[cfg(feature = "client")] {
/// # use manywire::Shaped;
/// use manywire::content::{File, FileStream, Multipart};
///
/// # #[derive(serde::Serialize, serde::Deserialize, Shaped)]
/// # struct Upload { title: String }
/// # fn form(video: tokio::io::Empty) -> Multipart<Upload> {
/// let view = File { name: Some("view.png".to_owned()), ..File::default() };
/// let form = Multipart::<Upload>::new()
///     .with_text("title", "The sea")
///     .with_file("photos", view)
///     .with_stream("video", FileStream::from_reader(video));
/// # form
/// # }
/// # }
/// ```
pub struct Multipart<T> {
    state: State,
    of: PhantomData<fn() -> T>,
}

enum State {
    /// It comes in.
    Incoming { parts: multer::Multipart<'static>, formats: Vec<AnyFormat>, limits: Limits },
    /// It is put together, to be sent.
    #[cfg(feature = "client")]
    Outgoing(outgoing::OutgoingForm),
}

/// How many parts are read into one record: more is an attack on whoever looks them up.
const PARTS_MAX: usize = 1_024;

impl<T> Multipart<T> {
    /// The next part; nothing after the last. What is left of the one before is passed over.
    pub async fn next(&mut self) -> Option<std::result::Result<Part<'_>, Problem>> {
        let (parts, formats, limits) = match &mut self.state {
            State::Incoming { parts, formats, limits } => (parts, formats, *limits),
            #[cfg(feature = "client")]
            State::Outgoing(_) => return Some(Err(not_incoming())),
        };
        match parts.next_field().await {
            Ok(field) => Some(Part::new(field?, formats, limits)),
            Err(error) => Some(Err(problem(error, None))),
        }
    }
}

impl<T: DeserializeOwned + Shaped> Multipart<T> {
    /// All parts, as the record that they are.
    ///
    /// # Errors
    /// All that is wrong, each by the path of its field: 422; what is no form of parts: 400; what
    /// goes beyond a limit: 413; parts of a type that is not read: 415.
    pub async fn read(mut self) -> std::result::Result<T, Problem> {
        let shape = Shape::of::<T>();
        let mut all = Vec::new();
        while let Some(part) = self.next().await {
            if all.len() == PARTS_MAX {
                let detail = format!("expected at most {PARTS_MAX} parts");
                return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE).with_detail(detail));
            }
            all.push(part?.whole().await?);
        }
        match &self.state {
            State::Incoming { formats, limits, .. } => de::record(all, &shape, formats, *limits),
            #[cfg(feature = "client")]
            State::Outgoing(_) => Err(not_incoming()),
        }
    }
}

impl<T: Shaped + 'static> Content for Multipart<T> {
    type Value = Multipart<T>;

    fn media() -> Media {
        Media::Multipart(Type::of::<T>())
    }
}

impl<T: Shaped + 'static> Receive for Multipart<T> {
    fn receive(content: IncomingContent, from: Decoding<'_>) -> Result<Multipart<T>> {
        let wrong = |message| Err(Error::new(Category::Syntax, message));
        let IncomingContent::Stream(arriving) = content else {
            return wrong("parts are read as they come");
        };
        let content_type = arriving.content_type().and_then(|it| it.to_str().ok());
        let Some(boundary) = content_type.and_then(boundary) else {
            return wrong("expected a Content-Type of multipart/form-data with a boundary");
        };
        let limits = multer::SizeLimit::new()
            .per_field(arriving.bounds().value_bytes as u64)
            .whole_stream(arriving.bounds().all_bytes as u64);
        let limits = multer::Constraints::new().size_limit(limits);
        let parts = multer::Multipart::with_constraints(arriving, boundary, limits);
        let formats = from.codecs.map(|codecs| codecs.parts().to_vec()).unwrap_or_default();
        let state = State::Incoming { parts, formats, limits: from.limits };
        Ok(Multipart { state, of: PhantomData })
    }
}

/// The boundary that a media type names (RFC 2046, section 5.1.1).
fn boundary(content_type: &str) -> Option<String> {
    let media_type = MediaType::parse(content_type).ok()?;
    let boundary = media_type.parameter("boundary")?;
    let is_one = !boundary.is_empty() && boundary.len() <= 70;
    (media_type.essence() == MULTIPART && is_one).then(|| boundary.to_owned())
}

/// Whether a type can be a form of parts: a record, whose fields have names.
///
/// # Errors
/// In words: what to do.
pub(crate) fn check(shape: &Shape) -> Result<()> {
    match shape.node(shape.root()) {
        Node::Record(_) | Node::Map { .. } => Ok(()),
        _ => {
            let message = "a form of parts is a record, whose fields have names";
            Err(Error::new(Category::Unsupported, message))
        }
    }
}

/// A form that is put together here has no parts to be read.
#[cfg(feature = "client")]
#[cold]
fn not_incoming() -> Problem {
    Problem::internal("this form is to be sent, and does not come in")
}

/// What a client is told of parts that cannot be read, the one of this name if it is known.
#[cold]
fn problem(error: multer::Error, name: Option<&str>) -> Problem {
    let too_large = |what: String, limit| {
        let detail = format!("{what} goes beyond the limit of {limit} bytes");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE).with_detail(detail)
    };
    match error {
        multer::Error::FieldSizeExceeded { limit, .. } => match name {
            Some(name) => too_large(format!("the part {name:?}"), limit),
            None => too_large("a part".to_owned(), limit),
        },
        multer::Error::StreamSizeExceeded { limit } => too_large("the body".to_owned(), limit),
        multer::Error::StreamReadFailed(cause) => match cause.downcast::<Problem>() {
            Ok(problem) => *problem,
            Err(_) => Problem::new(StatusCode::BAD_REQUEST)
                .with_detail("the connection closed before the end of the body"),
        },
        error => {
            let detail = format!("expected {MULTIPART}: {error}");
            Problem::new(StatusCode::BAD_REQUEST).with_detail(detail)
        }
    }
}

impl<T> fmt::Debug for Multipart<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Multipart")
    }
}
