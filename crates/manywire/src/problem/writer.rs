//! Chooses the format of a problem, and encodes it.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderValue;
use manywire_codec::Result;
use manywire_format::{Format, MediaType};

use super::Problem;
use crate::content::own::AnyFormat;
use crate::content::{Codecs, Encoding, Type, content_type};
use crate::field_numbers::FieldNumbers;
use crate::negotiate::Offers;

/// Problems in each format of an API, chosen and written.
#[derive(Debug)]
pub(crate) struct ProblemWriter {
    formats: ProblemFormats,
    offers: Offers,
    codecs: Arc<Codecs>,
}

/// The formats that problems are written in, in their order.
#[derive(Clone, Debug)]
pub(crate) struct ProblemFormats {
    all: Vec<AnyFormat>,
    /// How many of them, from the first, whoever asks may have.
    offered: usize,
    json: ProblemFormat,
}

/// Which of the [`ProblemFormats`] a client has its problems in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProblemFormat(u8);

impl ProblemFormats {
    /// The formats of an API, which are offered to whoever asks, and those that only some endpoint
    /// has, whose clients have problems in them. JSON is always offered.
    pub(crate) fn new(formats: &[AnyFormat], of_endpoints: &[AnyFormat]) -> ProblemFormats {
        let json = AnyFormat::from(Format::Json);
        let mut all: Vec<AnyFormat> = Vec::new();
        let mut add = |formats: &[AnyFormat]| {
            for format in formats {
                if !all.contains(format) {
                    all.push(*format);
                }
            }
            all.len()
        };
        add(formats);
        let offered = add(&[json]);
        add(of_endpoints);
        let json = position(&all, json).unwrap_or(ProblemFormat(0));
        ProblemFormats { all, offered, json }
    }

    /// Where a format stands among them.
    pub(crate) fn of(&self, format: AnyFormat) -> Option<ProblemFormat> {
        position(&self.all, format)
    }
}

fn position(all: &[AnyFormat], format: AnyFormat) -> Option<ProblemFormat> {
    let place = all.iter().position(|known| *known == format)?;
    u8::try_from(place).ok().map(ProblemFormat)
}

/// Room for an ordinary problem.
const CAPACITY_BYTES: usize = 512;

impl ProblemWriter {
    /// A writer for these formats.
    ///
    /// # Errors
    /// When a format was not compiled in, or has no place for problems.
    pub(crate) fn new(formats: ProblemFormats, numbers: &FieldNumbers) -> Result<ProblemWriter> {
        let codecs = Arc::new(Codecs::new(&Type::of::<Problem>(), &formats.all, numbers)?);
        let offered = formats.all.iter().take(formats.offered);
        // A client that reads a format reads problems in it.
        let offers = Offers::new(offered.map(|format| format.offer().or(media_type(*format))));
        Ok(ProblemWriter { formats, offers, codecs })
    }

    /// What problems say that they are, and the name of the format that this is.
    #[cfg(feature = "metrics")]
    pub(crate) fn names(&self) -> impl Iterator<Item = (HeaderValue, &'static str)> {
        let formats = self.formats.all.iter();
        formats.map(|format| (content_type(&media_type(*format)), format.name()))
    }

    /// The format for a client: JSON where it accepts none of them (RFC 9457 wants a problem to be
    /// read, and RFC 9110 lets a server answer an error in what was not asked for).
    #[inline]
    pub(crate) fn choose(&self, accept: Option<&[u8]>) -> ProblemFormat {
        // Offers are chosen among at most 254.
        let index = self.offers.choose(accept);
        index.map_or(self.formats.json, |index| ProblemFormat(index as u8))
    }

    /// A problem as content, and the media type it is.
    pub(crate) fn write(&self, problem: &Problem, format: ProblemFormat) -> (Bytes, HeaderValue) {
        let format = self.formats.all.get(usize::from(format.0)).copied();
        let format = format.unwrap_or(Format::Json.into());
        let encoding = |format| Encoding {
            representation: self.codecs.representation(format),
            codecs: Some(&self.codecs),
            capacity_bytes: CAPACITY_BYTES,
        };
        match encoding(format).value(problem) {
            Ok(bytes) => (bytes, content_type(&media_type(format))),
            Err(error) => {
                tracing::error!(%error, %format, "a problem could not be written");
                let json = AnyFormat::from(Format::Json);
                let bytes = encoding(json).value(problem).unwrap_or_default();
                (bytes, content_type(&media_type(json)))
            }
        }
    }
}

/// What a problem in a format is called: RFC 9457 registers a name for JSON, and CBOR has one by
/// its suffix; other formats have none but their own.
pub(crate) fn media_type(format: AnyFormat) -> MediaType {
    let registered = match format.built_in() {
        Some(Format::Json) => "application/problem+json",
        Some(Format::Cbor) => "application/problem+cbor",
        _ => return format.offer().media_type().clone(),
    };
    MediaType::parse(registered).unwrap_or_else(|_| format.media_type())
}
