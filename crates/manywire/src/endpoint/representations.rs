//! [`Representations`]: the media types that an endpoint can respond with, and the choice among
//! them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::HeaderValue;
use manywire_codec::{Category, Error, Result};
use manywire_format::{Format, MediaType};

use crate::charset::Charset;
use crate::content::own::AnyFormat;
use crate::content::{
    AnyFraming, Codecs, Encoding, FORM, Media, Representation, check_form, content_type,
    names_with_streams, supported_formats,
};
use crate::field_numbers::FieldNumbers;
use crate::negotiate::{Offer, Offers, choose_charset};
use crate::problem_writer::{ProblemFormat, ProblemFormats};

/// The representations that an endpoint can send.
#[derive(Debug)]
pub(crate) struct Representations {
    list: Vec<OfferedRepresentation>,
    offers: Offers,
    codecs: Option<Arc<Codecs>>,
    is_text: bool,
    /// Indicates whether content codings are useful: for text and for the formats. Raw bytes are
    /// left uncoded, since most of them are images and archives.
    pub(crate) is_compressible: bool,
}

#[derive(Debug)]
struct OfferedRepresentation {
    representation: Representation,
    content_type: HeaderValue,
    /// The format of problems for clients that negotiated this representation.
    problem: Option<ProblemFormat>,
    name: &'static str,
    average: SizeAverage,
}

/// The moving average of response sizes, in bytes.
#[derive(Debug, Default)]
struct SizeAverage(AtomicUsize);

/// The maximum initial capacity, in bytes. A larger response grows its buffer as it is written: one
/// large response must not make every later one allocate as much.
const CAPACITY_BYTES_MAX: usize = 64 << 10;

/// The initial capacity before the first response.
const CAPACITY_BYTES_FIRST: usize = 128;

impl SizeAverage {
    /// Adds a size with a weight of one eighth, so that recent sizes matter and a single outlier
    /// does not.
    fn record(&self, bytes: usize) {
        let known = self.0.load(Ordering::Relaxed);
        // A concurrent update may be lost here, which does no harm.
        let next = if known == 0 { bytes } else { known - known / 8 + bytes / 8 };
        if next != known {
            self.0.store(next, Ordering::Relaxed);
        }
    }

    /// Returns the average and an eighth more, so that sizes that vary a little still fit.
    fn capacity(&self) -> usize {
        match self.0.load(Ordering::Relaxed) {
            0 => CAPACITY_BYTES_FIRST,
            known => (known + known / 8 + 8).min(CAPACITY_BYTES_MAX),
        }
    }
}

/// A representation before it is compiled.
struct Candidate {
    representation: Representation,
    offer: Offer,
    /// The format of the content; for a stream, the format of its values.
    format: Option<AnyFormat>,
}

impl Candidate {
    /// Creates a representation with a fixed media type and no format.
    fn without_format(representation: Representation, media_type: MediaType) -> Candidate {
        Candidate { representation, offer: Offer::from(media_type), format: None }
    }

    /// Returns the name under which metrics count the representation.
    fn name(&self) -> &'static str {
        let media_type = self.offer.media_type();
        match (self.format, self.representation) {
            (Some(format), _) => format.name(),
            (None, Representation::Form | Representation::Multipart) => "form",
            (None, Representation::Text(_)) => "text",
            (None, _) => {
                let other = if media_type.kind() == "text" { "text" } else { "bytes" };
                media_type.format().map_or(other, Format::name)
            }
        }
    }
}

impl Representations {
    /// Compiles the representations of content in these formats.
    ///
    /// # Errors
    /// Returns an error for a format that cannot represent the content, or that is not compiled in.
    pub(crate) fn new(
        media: &Media,
        formats: &[AnyFormat],
        problems: &ProblemFormats,
        numbers: &FieldNumbers,
    ) -> Result<Representations> {
        let mut codecs = None;
        let mut is_text = false;
        let mut is_compressible = true;
        let offered: Vec<Candidate> = match media {
            Media::Formats(ty) => {
                let formats = supported_formats(ty, formats)?;
                let all = Codecs::new(ty, &formats, numbers)?;
                let offered = |format: &AnyFormat| Candidate {
                    representation: all.representation(*format),
                    offer: format.offer(),
                    format: Some(*format),
                };
                let offered = formats.iter().map(offered).collect();
                codecs = Some(Arc::new(all));
                offered
            }
            Media::Items(ty) => {
                let formats = supported_formats(ty, formats)?;
                let framings: Vec<AnyFraming> =
                    formats.iter().flat_map(|format| format.framings()).collect();
                if framings.is_empty() {
                    return Err(no_framing(&formats));
                }
                let framed: Vec<AnyFormat> =
                    framings.iter().map(|framing| framing.format()).collect();
                let all = Codecs::new(ty, &framed, numbers)?;
                let offered = |framing: AnyFraming| Candidate {
                    representation: all.stream(framing),
                    offer: framing.offer(),
                    format: Some(framing.format()),
                };
                let offered = framings.into_iter().map(offered).collect();
                codecs = Some(Arc::new(all));
                offered
            }
            Media::Form(ty) => {
                check_form(&ty.shape())?;
                vec![Candidate::without_format(Representation::Form, media_type(FORM))]
            }
            // Responses are never forms of parts.
            Media::Multipart(_) => Vec::new(),
            Media::Text => {
                is_text = true;
                let text = Charset::OFFERED.map(|charset| {
                    let plain = media_type("text/plain").with_parameter("charset", charset.name());
                    Candidate::without_format(Representation::Text(charset), plain)
                });
                text.into()
            }
            Media::Raw | Media::RawStream => {
                is_compressible = false;
                let octets = media_type("application/octet-stream");
                vec![Candidate::without_format(Representation::Raw, octets)]
            }
            Media::Named(name) => {
                vec![Candidate::without_format(Representation::Raw, media_type(name))]
            }
            Media::OneOf(names) => {
                let named = |(place, name): (u8, &&'static str)| {
                    Candidate::without_format(Representation::Named(place), media_type(name))
                };
                (0..).zip(*names).map(named).collect()
            }
            Media::Nothing => Vec::new(),
        };
        let kind = |offered: &Candidate| OfferedRepresentation {
            representation: offered.representation,
            content_type: content_type(offered.offer.media_type()),
            problem: offered.format.and_then(|format| problems.of(format)),
            name: offered.name(),
            average: SizeAverage::default(),
        };
        let list = offered.iter().map(kind).collect();
        let offers: Vec<_> = offered.into_iter().map(|offered| offered.offer).collect();
        Ok(Representations { list, offers: Offers::new(offers), codecs, is_text, is_compressible })
    }

    /// Returns whether the endpoint sends no content.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns whether the content is raw bytes, whose media type is unknown before the handler
    /// runs.
    fn is_raw(&self) -> bool {
        !self.is_compressible
    }

    /// Returns whether a representation is bytes that the handler returns.
    pub(crate) fn is_bytes(&self, choice: usize) -> bool {
        let representation = self.list.get(choice).map(|kind| kind.representation);
        matches!(representation, Some(Representation::Raw | Representation::Named(_)))
    }

    /// Chooses a representation by `Accept`, and for text by `Accept-Charset`. Returns nothing if
    /// the client accepts none.
    #[inline]
    pub(crate) fn choose(
        &self,
        accept: Option<&[u8]>,
        accept_charset: Option<&[u8]>,
    ) -> Option<usize> {
        if self.is_raw() {
            return Some(0);
        }
        let choice = self.offers.choose(accept)?;
        // Any other choice comes from a charset parameter in `Accept`, which takes precedence.
        if self.is_text && choice == 0 && accept_charset.is_some() {
            return choose_charset(accept_charset, &Charset::OFFERED.map(Charset::name));
        }
        Some(choice)
    }

    /// Returns the context for encoding a representation.
    #[inline]
    pub(crate) fn encoding(&self, choice: usize) -> Encoding<'_> {
        let kind = self.list.get(choice);
        Encoding {
            representation: kind.map_or(Representation::Raw, |kind| kind.representation),
            codecs: self.codecs.as_ref(),
            capacity_bytes: kind.map_or(0, |kind| kind.average.capacity()),
        }
    }

    /// Records the size of a response, and returns the index of the representation that was
    /// written.
    #[inline]
    pub(crate) fn record(&self, choice: usize, is: Representation, bytes: usize) -> usize {
        match self.list.get(choice) {
            Some(kind) if kind.representation == is => {
                kind.average.record(bytes);
                choice
            }
            _ => self.list.iter().position(|kind| kind.representation == is).unwrap_or(choice),
        }
    }

    pub(crate) fn content_type(&self, choice: usize) -> Option<&HeaderValue> {
        self.list.get(choice).map(|kind| &kind.content_type)
    }

    /// Returns the format of problems for clients that negotiated this representation.
    #[inline]
    pub(crate) fn problem(&self, choice: usize) -> Option<ProblemFormat> {
        self.list.get(choice)?.problem
    }

    /// Returns the `Content-Type` of each representation with the name of its format; for a stream,
    /// the format of its values.
    pub(crate) fn names(&self) -> impl Iterator<Item = (HeaderValue, &'static str)> {
        self.list.iter().map(|kind| (kind.content_type.clone(), kind.name))
    }

    /// Returns the media types in their order.
    pub(crate) fn media_types(&self) -> Vec<String> {
        self.offers.as_slice().iter().map(|offer| offer.media_type().to_string()).collect()
    }
}

fn media_type(text: &'static str) -> MediaType {
    MediaType::parse(text).unwrap_or_else(|_| MediaType::from(Format::Json))
}

/// Returns the error for a stream of values if none of the formats has a framing.
#[cold]
pub(crate) fn no_framing(formats: &[AnyFormat]) -> Error {
    let found: Vec<&str> = formats.iter().map(|format| format.name()).collect();
    let (framed, found) = (names_with_streams(), found.join(", "));
    let message = format_args!(
        "a stream needs one of {framed} among the formats, or an own format with a sequence, found \
         {found}"
    );
    Error::new(Category::Unsupported, message)
}
