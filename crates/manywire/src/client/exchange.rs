use bytes::BytesMut;
use http::header::{self, HeaderMap};
use http::{Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use manywire_codec::{Category, Result};
use manywire_format::{Coding, Format};

use super::error::TransportError;
use super::request::{Request, Target, content_type};
use super::retry::{may_be_repeated, pause, retry_after};
use super::{CallError, Client, formats};
use crate::codings::{self, InflateLimits};
use crate::content::{
    Arriving, Bounds, Encoding, Framing, Media, Outgoing, Received, Representation, Sender,
};
use crate::server::Body;

/// An answer: whole and without its codings, or as it comes.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) content: Received,
}

impl Client {
    /// Sends a request until it is answered, within the time of a call. The content of a stream is
    /// not waited for.
    pub(super) async fn exchange(&self, request: Request, is_stream: bool) -> Exchanged<Answer> {
        let timeout = self.timeout;
        let answered = tokio::time::timeout(timeout, async {
            let response = self.exchange_all(request).await?;
            match is_stream && response.status().is_success() {
                true => self.arriving(response),
                false => self.whole(response).await,
            }
        });
        answered.await.unwrap_or(Err(CallError::Timeout(timeout)))
    }

    /// An answer whose content is still to come.
    fn arriving(&self, response: Response<Incoming>) -> Exchanged<Answer> {
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
        let arriving = Arriving::new(body, bounds).with_codings(codings, inflate);
        let content = Received::Arriving(arriving.map_err(CallError::Answer)?);
        Ok(Answer { status: parts.status, headers: parts.headers, content })
    }

    /// Sends a request, in another format where the first is refused.
    async fn exchange_all(&self, request: Request) -> Exchanged<Response<Incoming>> {
        let Request { target, mut body } = request;
        let mut refused = Vec::new();
        let mut format = self.first_format(&target, body.as_ref())?;
        loop {
            let (content, fields) = self.written(&target, body.as_mut(), format)?;
            let is_stream = content.content().is_none();
            let answer = self.repeat(&target, &fields, content).await?;
            let is_refused = answer.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE;
            let Some(used) = format.filter(|_| !is_stream) else { return Ok(answer) };
            if !is_refused {
                if !refused.is_empty() {
                    self.formats.learn(used);
                }
                return Ok(answer);
            }
            // The server has not looked at the body, so it may be sent again by any method.
            refused.push(used);
            let accept = answer.headers().get(header::ACCEPT).and_then(|it| it.to_str().ok());
            let Some(next) = formats::next(&target.formats, &refused, accept) else {
                return Ok(answer);
            };
            format = Some(next);
            // Read to its end, so that the connection can be used again.
            self.whole(answer).await?;
        }
    }

    /// The format that the body is first sent in; formats that cannot hold it are passed over.
    fn first_format(&self, target: &Target, body: Option<&Outgoing>) -> Exchanged<Option<Format>> {
        let Some(Outgoing { media: media @ (Media::Formats(ty) | Media::Items(ty)), id, .. }) =
            body
        else {
            return Ok(None);
        };
        let is_whole = matches!(media, Media::Formats(_));
        let mut first = None;
        for format in &target.formats {
            if !is_whole && Framing::of(*format).is_empty() {
                let message = format_args!("{format} has no streams: list json, msgpack or cbor");
                let error = manywire_codec::Error::new(Category::Unsupported, message);
                _ = first.get_or_insert(error);
                continue;
            }
            match self.formats.codecs(*id, ty, *format) {
                Ok(_) => return Ok(Some(*format)),
                Err(error) => _ = first.get_or_insert(error),
            }
        }
        first.map_or(Ok(None), |error| Err(CallError::Body(error)))
    }

    /// The content in a format, and the fields that say so.
    fn written(
        &self,
        target: &Target,
        body: Option<&mut Outgoing>,
        format: Option<Format>,
    ) -> Exchanged<(Body, HeaderMap)> {
        let mut fields = target.headers.clone();
        let Some(body) = body else { return Ok((Body::default(), fields)) };
        let codecs = match (&body.media, format) {
            (Media::Formats(ty) | Media::Items(ty), Some(format)) => {
                Some(self.formats.codecs(body.id, ty, format).map_err(CallError::Body)?)
            }
            _ => None,
        };
        let representation = match (&body.media, format) {
            (Media::Formats(_), Some(format)) => Representation::Format(format),
            (Media::Items(_), Some(format)) => match Framing::of(format).first() {
                Some(framing) => Representation::Items(*framing),
                None => Representation::Raw,
            },
            (Media::Form(_), _) => Representation::Form,
            (Media::Text, _) => Representation::Text(crate::Charset::Utf8),
            _ => Representation::Raw,
        };
        let mut encoding =
            Encoding { representation, codecs: codecs.as_ref(), capacity_bytes: 256 };
        let content = body.encode(&mut encoding).map_err(CallError::Body)?.unwrap_or_default();
        if let Some(content_type) = content_type(&body.media, format) {
            fields.entry(header::CONTENT_TYPE).or_insert(content_type);
        }
        Ok((content, fields))
    }

    /// Sends what is written, again where that is safe.
    async fn repeat(
        &self,
        target: &Target,
        fields: &HeaderMap,
        content: Body,
    ) -> Exchanged<Response<Incoming>> {
        let whole = content.content().cloned();
        let mut content = Some(content);
        let mut attempt = 0;
        loop {
            // What was a stream is gone once it was sent.
            let may_repeat = attempt < self.retries && whole.is_some();
            let repeatable = may_be_repeated(&target.method);
            let content = content.take().or_else(|| whole.clone().map(Body::new));
            match self.send(target, fields, content.unwrap_or_default()).await {
                Ok(response) => {
                    let wait = retry_after(response.status(), response.headers());
                    match wait.filter(|_| may_repeat && repeatable) {
                        // Longer than the whole call may take: the answer is the answer.
                        Some(wait) if wait < self.timeout => tokio::time::sleep(wait).await,
                        _ => return Ok(response),
                    }
                }
                // Where no connection was made, nothing was sent.
                Err(error)
                    if may_repeat
                        && (repeatable || error.is_connect())
                        && !is_refused_for_good(&error) =>
                {
                    tracing::debug!(%error, attempt, "a call is made again");
                    tokio::time::sleep(pause(attempt)).await;
                }
                Err(error) => return Err(CallError::Connection(Box::new(error))),
            }
            attempt += 1;
        }
    }

    async fn send(
        &self,
        target: &Target,
        fields: &HeaderMap,
        content: Body,
    ) -> std::result::Result<Response<Incoming>, hyper_util::client::legacy::Error> {
        let mut sent = http::Request::new(content);
        *sent.method_mut() = target.method.clone();
        *sent.uri_mut() = target.uri.clone();
        *sent.headers_mut() = fields.clone();
        self.http.request(sent).await
    }

    /// Reads an answer to its end, within the limits.
    async fn whole(&self, response: Response<Incoming>) -> Exchanged<Answer> {
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

/// Whether trying again would end in the same way: the ends cannot agree on a connection.
fn is_refused_for_good(_error: &(dyn std::error::Error + 'static)) -> bool {
    #[cfg(feature = "client-tls")]
    return super::tls::is_refused(_error);
    #[cfg(not(feature = "client-tls"))]
    false
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

type Exchanged<T> = std::result::Result<T, TransportError>;
