//! Sends a request: in the first format, with retries, and in another format after 415.

use std::sync::Arc;
use std::time::Duration;

use http::header::HeaderMap;
use http::{Method, Response, StatusCode, header};
use manywire_codec::Category;

use super::error::TransportResult;
use super::request::{Request, RequestHead, content_type};
use super::response::ClientResponse;
use super::tls::is_tls_error;
use super::transport::{ResponseBody, SendError};
use super::{CallError, Client, formats};
use crate::body::Body;
use crate::charset::Charset;
use crate::content::Codecs;
use crate::content::own::AnyFormat;
use crate::content::{Encoding, Media, Outgoing, Representation, names_with_streams};

impl Client {
    /// Sends a request and returns the response, within the timeout of a call. For a stream, the
    /// timeout does not include the content.
    pub(super) async fn exchange(
        &self,
        request: Request,
        is_stream: bool,
    ) -> TransportResult<ClientResponse> {
        let timeout = self.timeout;
        let method = request.head.method.clone();
        let answered = tokio::time::timeout(timeout, async {
            let response = self.negotiate_format(request).await?;
            match is_stream && response.status().is_success() {
                true => self.receive_stream(response),
                false => self.receive_whole(response, &method).await,
            }
        });
        answered.await.unwrap_or(Err(CallError::Timeout(timeout)))
    }

    /// Sends a request, and sends it again in another format after 415.
    async fn negotiate_format(&self, request: Request) -> TransportResult<Response<ResponseBody>> {
        let Request { head, mut body } = request;
        let mut refused = Vec::new();
        let mut format = self.first_format(&head, body.as_ref())?;
        let mut written = self.write_body(&head, body.as_mut(), format)?.unwrap_or_default();
        loop {
            let answer = self.send_with_retries(&head, body.as_mut(), format, written).await?;
            let Some(used) = format else { return Ok(answer) };
            if answer.status() != StatusCode::UNSUPPORTED_MEDIA_TYPE {
                if !refused.is_empty() {
                    self.formats.learn(used);
                }
                return Ok(answer);
            }
            // The server has not processed the body, so any method may be sent again. A format that
            // cannot represent the type of the body counts as refused as well.
            if let Some(body) = body.as_ref().filter(|_| refused.is_empty()) {
                let cannot = |format: &AnyFormat| self.check_format(body, *format).is_err();
                refused.extend(head.formats.iter().copied().filter(cannot));
            }
            refused.push(used);
            let accept = answer.headers().get(header::ACCEPT).and_then(|it| it.to_str().ok());
            let Some(next) = formats::next_format(&head.formats, &refused, accept) else {
                return Ok(answer);
            };
            format = Some(next);
            let again = self.write_body(&head, body.as_mut(), format)?;
            // The response is read to its end so that the connection can be reused.
            let answer = self.receive_whole(answer, &head.method).await?;
            let Some(again) = again else {
                // The next call uses what this call has learned.
                self.formats.learn(next);
                return Err(CallError::SentOnce {
                    cause: Box::new(self.failure(answer, &head.formats)),
                    next: Some(next),
                });
            };
            written = again;
        }
    }

    /// Returns the first format for the body. Formats that cannot represent the body are skipped.
    fn first_format(
        &self,
        head: &RequestHead,
        body: Option<&Outgoing>,
    ) -> TransportResult<Option<AnyFormat>> {
        let Some(body) = body else { return Ok(None) };
        if !matches!(body.media, Media::Formats(_) | Media::Items(_) | Media::Multipart(_)) {
            return Ok(None);
        }
        let mut first = None;
        for format in &head.formats {
            match self.check_format(body, *format) {
                Ok(()) => return Ok(Some(*format)),
                Err(error) => _ = first.get_or_insert(error),
            }
        }
        first.map_or(Ok(None), |error| Err(CallError::Body(error)))
    }

    /// Checks that a format can represent the body.
    fn check_format(&self, body: &Outgoing, format: AnyFormat) -> manywire_codec::Result<()> {
        match &body.media {
            Media::Items(_) if format.framings().next().is_none() => Err(no_streams(format)),
            Media::Formats(ty) | Media::Items(ty) => {
                self.formats.codecs(body.id, ty, format).map(drop)
            }
            // Each part of a form has its own format.
            _ => Ok(()),
        }
    }

    /// Returns the body in a format, with the request headers. Returns nothing if the body was sent
    /// already and cannot be created again.
    fn write_body(
        &self,
        head: &RequestHead,
        body: Option<&mut Outgoing>,
        format: Option<AnyFormat>,
    ) -> TransportResult<Option<(Body, HeaderMap)>> {
        let mut fields = head.headers.clone();
        let Some(body) = body else { return Ok(Some((Body::default(), fields))) };
        let codecs_of = |ty, format| self.formats.codecs(body.id, ty, format);
        let (representation, codecs) = match (&body.media, format) {
            (Media::Formats(ty), Some(format)) => {
                let codecs = codecs_of(ty, format).map_err(CallError::Body)?;
                (codecs.representation(format), Some(codecs))
            }
            (Media::Items(ty), Some(format)) => {
                let codecs = codecs_of(ty, format).map_err(CallError::Body)?;
                let framing = format.framings().next();
                (framing.map_or(Representation::Raw, |it| codecs.stream(it)), Some(codecs))
            }
            (Media::Multipart(ty), Some(format)) => {
                let numbers = self.formats.numbers(ty).map_err(CallError::Body)?;
                let codecs = Codecs::for_parts(&[format], &numbers);
                (Representation::Multipart, Some(Arc::new(codecs)))
            }
            (Media::Multipart(_), None) => (Representation::Multipart, None),
            (Media::Form(_), _) => (Representation::Form, None),
            (Media::Text, _) => (Representation::Text(Charset::Utf8), None),
            _ => (Representation::Raw, None),
        };
        let mut encoding =
            Encoding { representation, codecs: codecs.as_ref(), capacity_bytes: 256 };
        let content = body.encode(&mut encoding).map_err(CallError::Body)?;
        let Some(content) = content else { return Ok(None) };
        let own = body.content_type.clone();
        if let Some(content_type) = own.or_else(|| content_type(&body.media, format)) {
            fields.entry(header::CONTENT_TYPE).or_insert(content_type);
        }
        Ok(Some((content, fields)))
    }

    /// Sends a request, and retries it if that is safe.
    async fn send_with_retries(
        &self,
        head: &RequestHead,
        mut body: Option<&mut Outgoing>,
        format: Option<AnyFormat>,
        (content, fields): (Body, HeaderMap),
    ) -> TransportResult<Response<ResponseBody>> {
        // Retries reuse buffered bodies and rebuild streams.
        let whole = content.content().cloned();
        let mut again = || match &whole {
            Some(whole) => Ok(Some(Body::new(whole.clone()))),
            None => {
                let written = self.write_body(head, body.as_deref_mut(), format)?;
                Ok(written.map(|(content, _)| content))
            }
        };
        let is_repeatable = is_idempotent(&head.method);
        let mut content = content;
        let mut attempt = 0;
        loop {
            let may_repeat = attempt < self.retries;
            match self.send(head, &fields, content).await {
                Ok(response) => {
                    let wait = retry_after(response.status(), response.headers());
                    // If the delay is not shorter than the timeout of the call, the caller receives
                    // this response.
                    let wait =
                        wait.filter(|wait| may_repeat && is_repeatable && *wait < self.timeout);
                    let Some(wait) = wait else { return Ok(response) };
                    let Some(anew) = again()? else { return Ok(response) };
                    content = anew;
                    tokio::time::sleep(wait).await;
                }
                // If no connection was established, nothing was sent, so every method may be
                // retried.
                Err(error)
                    if may_repeat
                        && (is_repeatable || error.is_connect)
                        && !is_tls_error(&*error.source) =>
                {
                    let Some(anew) = again()? else {
                        let cause = Box::new(CallError::Connection(error.source));
                        return Err(CallError::SentOnce { cause, next: None });
                    };
                    content = anew;
                    let error = error.source;
                    tracing::debug!(%error, attempt, "retrying a request");
                    tokio::time::sleep(retry_delay(attempt)).await;
                }
                Err(error) => return Err(CallError::Connection(error.source)),
            }
            attempt += 1;
        }
    }

    async fn send(
        &self,
        head: &RequestHead,
        fields: &HeaderMap,
        content: Body,
    ) -> std::result::Result<Response<ResponseBody>, SendError> {
        let mut sent = http::Request::new(content);
        *sent.method_mut() = head.method.clone();
        *sent.uri_mut() = head.uri.clone();
        *sent.headers_mut() = fields.clone();
        self.transport.send(sent).await
    }
}

/// Builds the error for a stream in a format that has no framing for streams.
#[cold]
fn no_streams(format: AnyFormat) -> manywire_codec::Error {
    let framed = names_with_streams();
    manywire_codec::Error::new(
        Category::Unsupported,
        format_args!("{format} has no streams: add one of {framed} to `Client::formats`"),
    )
}

/// The delay before the first retry. The delay doubles with each further retry.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// Returns whether a method is idempotent (RFC 9110, section 9.2.2).
fn is_idempotent(method: &Method) -> bool {
    matches!(
        *method,
        Method::GET | Method::HEAD | Method::PUT | Method::DELETE | Method::OPTIONS | Method::TRACE
    )
}

/// Returns the delay before a retry.
fn retry_delay(attempt: u32) -> Duration {
    RETRY_DELAY.saturating_mul(1 << attempt.min(10))
}

/// Returns the delay that `Retry-After` of a response with 503 or 429 states in seconds, or `None`
/// for another status or form.
fn retry_after(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    if !matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
        return None;
    }
    // The other form is a date (RFC 9110, section 10.2.3). It is ignored because clocks differ.
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse::<u32>().ok()?;
    Some(Duration::from_secs(seconds.into()))
}
