//! Multipart forms, whose parts each have their own type.

mod de;
mod disposition;
mod file;
#[cfg(feature = "client")]
mod outgoing;
mod part;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use http::StatusCode;
use manywire_codec::{Category, Error, Limits, Result};
use manywire_format::MediaType;
use manywire_shape::{Check, Shape, Shaped};
use serde::de::DeserializeOwned;

use super::{Codecs, Content, Decoding, IncomingContent, MULTIPART, Media, Receive, Type};
use crate::problem::Problem;
pub use file::File;
#[cfg(feature = "client")]
pub use outgoing::FileStream;
pub use part::Part;

/// A multipart form, `multipart/form-data` (RFC 7578): fields of any type, and files.
///
/// `T` is a record with a field for each part. A handler decodes it whole:
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
/// or part by part while the parts arrive, each in chunks, without temporary files:
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
/// The `Content-Type` of a part is a format of the endpoint, or text, which is also the default.
/// Other types are rejected with 415, except for files and bytes.
/// [`Limits::body_bytes`](crate::Limits::body_bytes) limits one part,
/// [`Limits::multipart_bytes`](crate::Limits::multipart_bytes) all parts together. Content codings
/// of the whole form are removed while it arrives.
///
/// A client creates a form from a record with `Multipart::of`, or part by part:
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
    /// The form is being received.
    Incoming { parts: multer::Multipart<'static>, codecs: Arc<Codecs>, limits: Limits },
    /// The form is being built, and will be sent.
    #[cfg(feature = "client")]
    Outgoing(outgoing::OutgoingForm),
}

/// The largest number of parts in one record, which bounds the cost of looking up names.
const PARTS_MAX: usize = 1_024;

impl<T> Multipart<T> {
    /// Returns the next part, or `None` after the last. Skips the rest of the previous part.
    pub async fn next(&mut self) -> Option<std::result::Result<Part<'_>, Problem>> {
        let (parts, codecs, limits) = match &mut self.state {
            State::Incoming { parts, codecs, limits } => (parts, codecs, *limits),
            #[cfg(feature = "client")]
            State::Outgoing(_) => return Some(Err(not_incoming())),
        };
        match parts.next_field().await {
            Ok(field) => Some(Part::new(field?, Arc::clone(codecs), limits)),
            Err(error) => Some(Err(problem(error, None))),
        }
    }
}

impl<T: DeserializeOwned + Shaped> Multipart<T> {
    /// Decodes all parts into a record.
    ///
    /// # Errors
    /// Fails with 422 and each fault or violated constraint by the path of its field; with 400 for
    /// an invalid form; with 413 beyond a limit; with 415 for parts of an unsupported type.
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
            State::Incoming { codecs, limits, .. } => {
                let record: T = de::record(all, &shape, codecs, *limits)?;
                if shape.constraints().is_empty() {
                    return Ok(record);
                }
                let violations = Check::run(|check| record.check(check));
                match violations.is_empty() {
                    true => Ok(record),
                    false => Err(Problem::of_violations(violations)),
                }
            }
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
            return wrong("expected a streaming body, found a complete one");
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
        let codecs = from.codecs.cloned().unwrap_or_default();
        let state = State::Incoming { parts, codecs, limits: from.limits };
        Ok(Multipart { state, of: PhantomData })
    }
}

/// Returns the boundary parameter of a media type (RFC 2046, section 5.1.1).
fn boundary(content_type: &str) -> Option<String> {
    let media_type = MediaType::parse(content_type).ok()?;
    let boundary = media_type.parameter("boundary")?;
    let is_one = !boundary.is_empty() && boundary.len() <= 70;
    (media_type.essence() == MULTIPART && is_one).then(|| boundary.to_owned())
}

/// The error for reading a form that was built to be sent.
#[cfg(feature = "client")]
#[cold]
fn not_incoming() -> Problem {
    Problem::internal("this form was built to be sent, so it has no parts to read")
}

/// Returns the problem for a form that cannot be read, with the name of the part if it is known.
#[cold]
fn problem(error: multer::Error, name: Option<&str>) -> Problem {
    let too_large = |what: String, limit| {
        let detail = format!("{what} exceeds the limit of {limit} bytes");
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
