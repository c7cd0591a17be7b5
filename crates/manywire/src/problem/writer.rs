use std::sync::Arc;

use bytes::Bytes;
use http::HeaderValue;
use manywire_codec::Result;
use manywire_format::{Format, MediaType};

use super::Problem;
use crate::content::{Codecs, Encoding, Representation, Type, content_type, offer};
use crate::negotiate::Offers;
use crate::numbers::Numbers;

/// Problems in each format of an API, chosen and written.
#[derive(Debug)]
pub(crate) struct ProblemWriter {
    formats: Vec<Format>,
    offers: Offers,
    codecs: Arc<Codecs>,
}

/// Room for an ordinary problem.
const CAPACITY_BYTES: usize = 512;

impl ProblemWriter {
    /// A writer for the formats of an API, which are offered to whoever asks, and for those that
    /// only some endpoint has, whose clients have problems in them. JSON is always offered.
    ///
    /// # Errors
    /// When a format was not compiled in.
    pub(crate) fn new(
        formats: &[Format],
        of_endpoints: &[Format],
        numbers: &Numbers,
    ) -> Result<ProblemWriter> {
        let mut formats = formats.to_vec();
        if !formats.contains(&Format::Json) {
            formats.push(Format::Json);
        }
        let all = [&formats, of_endpoints].concat();
        let codecs = Arc::new(Codecs::of(&Type::of::<Problem>(), &all, numbers)?);
        let offers =
            // A client that reads a format reads problems in it.
            Offers::new(formats.iter().map(|format| offer(*format).or(media_type(*format))));
        Ok(ProblemWriter { formats, offers, codecs })
    }

    /// The format for a client: JSON where it accepts none of them (RFC 9457 wants a problem to be
    /// read, and RFC 9110 lets a server answer an error in what was not asked for).
    pub(crate) fn choose(&self, accept: Option<&[u8]>) -> Format {
        let index = self.offers.choose(accept);
        index.and_then(|index| self.formats.get(index)).copied().unwrap_or(Format::Json)
    }

    /// A problem as content, and the media type it is.
    pub(crate) fn write(&self, problem: &Problem, format: Format) -> (Bytes, HeaderValue) {
        let encoding = |format| Encoding {
            representation: Representation::Format(format),
            codecs: Some(&self.codecs),
            capacity_bytes: CAPACITY_BYTES,
        };
        match encoding(format).value(problem) {
            Ok(bytes) => (bytes, content_type(&media_type(format))),
            Err(error) => {
                tracing::error!(%error, %format, "a problem could not be written");
                let bytes = encoding(Format::Json).value(problem).unwrap_or_default();
                (bytes, content_type(&media_type(Format::Json)))
            }
        }
    }
}

/// What a problem in a format is called: RFC 9457 registers a name for JSON, and CBOR has one by
/// its suffix; other formats have none but their own.
pub(crate) fn media_type(format: Format) -> MediaType {
    let registered = match format {
        Format::Json => "application/problem+json",
        Format::Cbor => "application/problem+cbor",
        _ => return offer(format).media_type().clone(),
    };
    MediaType::parse(registered).unwrap_or_else(|_| MediaType::from(format))
}
