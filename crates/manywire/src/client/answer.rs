//! Answers as they come in: whole, or to be read on.

use bytes::BytesMut;
use http::header::{self, HeaderMap};
use http::{Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use manywire_codec::Result;
use manywire_format::Coding;

use super::exchange::Exchanged;
use super::{CallError, Client};
use crate::codings::{self, InflateLimits};
use crate::content::{Arriving, Bounds, Received, Sender};

/// An answer: whole and without its codings, or as it comes.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) content: Received,
}

impl Client {
    /// An answer whose content is still to come.
    ///
    /// # Errors
    /// Codings that are not read here.
    pub(super) fn arriving(&self, response: Response<Incoming>) -> Exchanged<Answer> {
        let (parts, body) = response.into_parts();
        let codings = codings(&parts.headers).map_err(CallError::Answer)?;
        let bounds = Bounds {
            value_bytes: self.limits.body_bytes,
            all_bytes: self.limits.multipart_bytes,
            idle_timeout: self.limits.body_idle_timeout,
            sender: Sender::Server,
        };
        // Nothing is kept of what is decoded but the value that is read, so that what a coded byte
        // stands for does no harm: values that are all alike may be what was asked for.
        let inflate = InflateLimits {
            ratio: None,
            coded_bytes: usize::MAX,
            time: self.limits.inflate_timeout,
            is_endless: true,
        };
        let content_type = parts.headers.get(header::CONTENT_TYPE);
        let arriving = Arriving::new(body, bounds).with_content_type(content_type);
        let arriving = arriving.with_codings(codings, inflate);
        let content = Received::Arriving(arriving.map_err(CallError::Answer)?);
        Ok(Answer { status: parts.status, headers: parts.headers, content })
    }

    /// Reads an answer to its end, within the limits.
    pub(super) async fn whole(&self, response: Response<Incoming>) -> Exchanged<Answer> {
        let (parts, mut body) = response.into_parts();
        let limit_bytes = self.limits.body_bytes;
        let mut content = BytesMut::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| CallError::Connection(Box::new(error)))?;
            let Ok(data) = frame.into_data() else { continue };
            if content.len().saturating_add(data.len()) > limit_bytes {
                return Err(CallError::TooLarge { limit_bytes });
            }
            content.extend_from_slice(&data);
        }
        let mut content = content.freeze();
        for coding in codings(&parts.headers).map_err(CallError::Answer)? {
            let decoded = codings::decode(coding, &content, &self.limits);
            content = decoded.map_err(CallError::Answer)?.into();
        }
        let content = Received::Whole(content);
        Ok(Answer { status: parts.status, headers: parts.headers, content })
    }
}

/// How many codings an answer may have; more are nobody's honest intention.
const CODINGS_MAX: usize = 2;

/// The codings of an answer, the last applied first.
fn codings(headers: &HeaderMap) -> Result<Vec<Coding>> {
    let lines: Vec<&str> = headers
        .get_all(header::CONTENT_ENCODING)
        .iter()
        .map(|line| line.to_str().unwrap_or("unknown"))
        .collect();
    let names = lines.iter().rev().flat_map(|line| line.rsplit(',')).map(str::trim);
    let names: Vec<&str> =
        names.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity")).collect();
    let unknown = |name: &str| {
        let message = format_args!("the content coding {name:?} is not read here");
        manywire_codec::Error::new(manywire_codec::Category::Unsupported, message)
    };
    if let Some(name) = names.get(CODINGS_MAX) {
        return Err(unknown(name));
    }
    names
        .into_iter()
        .map(|name| {
            let known = name.parse::<Coding>().ok().filter(|it| codings::read().any(|r| r == *it));
            known.ok_or_else(|| unknown(name))
        })
        .collect()
}
