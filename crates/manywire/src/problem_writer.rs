//! Chooses the format of a problem, and encodes it.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderValue;
use manywire_codec::Result;
use manywire_format::{Format, MediaType};

use crate::content::own::AnyFormat;
use crate::content::{Codecs, Encoding, Type, content_type};
use crate::field_numbers::FieldNumbers;
use crate::negotiate::Offers;
use crate::problem::Problem;

/// Encodes problems in the formats of an API.
#[derive(Debug)]
pub(crate) struct ProblemWriter {
    formats: ProblemFormats,
    offers: Offers,
    codecs: Arc<Codecs>,
}

/// The formats of problems, in their order.
#[derive(Clone, Debug)]
pub(crate) struct ProblemFormats {
    all: Vec<AnyFormat>,
    /// The number of formats, from the first, that are offered to every client.
    offered: usize,
    json: ProblemFormat,
}

/// The index of a client's format among the [`ProblemFormats`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProblemFormat(u8);

impl ProblemFormats {
    /// Returns the formats of an API, which are offered to every client, and those of single
    /// endpoints, which are used for their clients only. JSON is always offered.
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

    /// Returns the index of a format.
    pub(crate) fn of(&self, format: AnyFormat) -> Option<ProblemFormat> {
        position(&self.all, format)
    }
}

fn position(all: &[AnyFormat], format: AnyFormat) -> Option<ProblemFormat> {
    let place = all.iter().position(|known| *known == format)?;
    u8::try_from(place).ok().map(ProblemFormat)
}

/// The initial capacity, enough for an ordinary problem.
const CAPACITY_BYTES: usize = 512;

impl ProblemWriter {
    /// Creates a writer for these formats.
    ///
    /// # Errors
    /// Fails if a format is not compiled in, or cannot represent problems.
    pub(crate) fn new(formats: ProblemFormats, numbers: &FieldNumbers) -> Result<ProblemWriter> {
        let codecs = Codecs::new(&Type::of::<Problem>(), &formats.all, numbers)?;
        Ok(ProblemWriter::with_codecs(formats, codecs))
    }

    /// Creates a writer for JSON, which needs no codecs.
    #[cfg(feature = "server")]
    pub(crate) fn json() -> ProblemWriter {
        ProblemWriter::with_codecs(ProblemFormats::new(&[], &[]), Codecs::default())
    }

    fn with_codecs(formats: ProblemFormats, codecs: Codecs) -> ProblemWriter {
        let offered = formats.all.iter().take(formats.offered);
        // A client that accepts a format also accepts problems in it.
        let offers = Offers::new(offered.map(|format| format.offer().or(media_type(*format))));
        ProblemWriter { formats, offers, codecs: Arc::new(codecs) }
    }

    /// Returns the media type of problems in each format, and the name of the format.
    pub(crate) fn names(&self) -> impl Iterator<Item = (HeaderValue, &'static str)> {
        let formats = self.formats.all.iter();
        formats.map(|format| (content_type(&media_type(*format)), format.name()))
    }

    /// Returns the format for a client: JSON if it accepts none of the offered ones. RFC 9457
    /// intends problems to be read, and RFC 9110 allows an error in a format that was not
    /// requested.
    #[inline]
    pub(crate) fn choose(&self, accept: Option<&[u8]>) -> ProblemFormat {
        // There are at most 254 offers.
        let index = self.offers.choose(accept);
        index.map_or(self.formats.json, |index| ProblemFormat(index as u8))
    }

    /// Encodes a problem, and returns its media type.
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

/// Returns the media type of problems in a format: `application/problem+json` for JSON (RFC 9457,
/// section 6.1), `application/problem+…` for each format with a structured syntax suffix, and
/// otherwise the media type of the format.
pub(crate) fn media_type(format: AnyFormat) -> MediaType {
    let suffix = format.built_in().and_then(|format| format.row().suffix);
    let with_suffix = |suffix| MediaType::parse(&format!("application/problem+{suffix}")).ok();
    suffix.and_then(with_suffix).unwrap_or_else(|| format.offer().media_type().clone())
}
