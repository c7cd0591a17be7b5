//! Responses, written from the reply of a handler.

use bytes::Bytes;
use http::header::{HeaderMap, HeaderName};
use http::{HeaderValue, Method, Response, StatusCode, header};
use http_body::Body as _;
use manywire_format::Coding;

use super::conditions::{ByteRange, Conditions, Precondition, Validators};
use super::core::{Core, Negotiated, empty_body, is_without_content, remove_length};
use super::etags;
use super::etags::EntityTags;
use super::operation::{Operation, ServedOperation};
use super::refusal::Refusal;
use crate::body::Body;
use crate::codings::{self, StreamEncoder};
use crate::endpoint::Outcome;
use crate::negotiate::CodingChoice;

/// The reply of a handler, encoded.
struct HandlerResponse {
    content: Body,
    choice: usize,
    status: StatusCode,
    headers: Option<Box<HeaderMap>>,
}

impl Core {
    /// Returns the response of an endpoint.
    #[inline]
    pub(super) fn finish(
        &self,
        negotiated: Negotiated,
        outcome: Outcome,
        conditions: Option<&Conditions>,
    ) -> Response<Body> {
        let Some(ServedOperation { operation, .. }) = self.served.get(negotiated.endpoint_index)
        else {
            return Response::default();
        };
        let is_get = negotiated.is_head || operation.responder.method == Method::GET;
        self.respond(operation, is_get, negotiated, outcome, conditions)
    }

    /// Returns the response of an operation, which need not be in the routing table. `is_get` says
    /// whether the method is GET or HEAD.
    #[inline]
    pub(super) fn respond(
        &self,
        operation: &Operation,
        is_get: bool,
        negotiated: Negotiated,
        outcome: Outcome,
        conditions: Option<&Conditions>,
    ) -> Response<Body> {
        match outcome {
            Outcome::Answer { content, choice, status, headers } => {
                let status = status.unwrap_or(operation.status);
                let is_uncoded = negotiated.coding.coding.is_none()
                    || negotiated.coding.identity && self.is_short(&content);
                let is_untagged = !is_get || self.entity_tags == EntityTags::None;
                // The common case: no header fields beyond the precomputed ones, and no conditional
                // request.
                if is_uncoded
                    && is_untagged
                    && !is_without_content(status)
                    && !negotiated.is_head
                    && headers.is_none()
                    && conditions.is_none()
                    && let Some(content_type) = operation.responder.answers.content_type(choice)
                {
                    let mut response = Response::new(content);
                    *response.status_mut() = status;
                    // Two inserts, though cloning a prepared map would take half as long: hyper
                    // reads the next request into this map, and a clone has no capacity for it.
                    let fields = response.headers_mut();
                    fields.insert(header::CONTENT_TYPE, content_type.clone());
                    fields.insert(header::VARY, operation.vary.clone());
                    return response;
                }
                let answer = HandlerResponse { content, choice, status, headers };
                self.respond_with_extras(operation, is_get, negotiated, answer, conditions)
            }
            Outcome::Problem(problem) => {
                self.problem(&problem, None, negotiated.problem, negotiated.is_head)
            }
        }
    }

    /// Returns a response outside the common case: with a coding, an entity tag, header fields of
    /// the handler, or without content.
    #[inline(never)]
    fn respond_with_extras(
        &self,
        operation: &Operation,
        is_get: bool,
        negotiated: Negotiated,
        answer: HandlerResponse,
        conditions: Option<&Conditions>,
    ) -> Response<Body> {
        let HandlerResponse { content, choice, status, mut headers } = answer;
        let answers = &operation.responder.answers;
        let content_type = answers.content_type(choice);
        let mut accepted = negotiated.coding;
        if let Some(headers) = &mut headers {
            remove_length(headers);
            match answers.is_bytes(choice) && headers.contains_key(header::CONTENT_ENCODING) {
                // The bytes are in a coding already.
                true => accepted = CodingChoice { coding: None, identity: true },
                false => _ = headers.remove(header::CONTENT_ENCODING),
            }
        }
        if is_without_content(status) {
            return without_content(operation, status, headers, None);
        }
        let (tags, conditions) = match is_get && status == StatusCode::OK {
            true => (self.entity_tags, conditions),
            false => (EntityTags::None, None),
        };
        let last_modified = conditions
            .and(headers.as_ref())
            .and_then(|headers| headers.get(header::LAST_MODIFIED))
            .cloned();
        let mut tag = None;
        if tags != EntityTags::None || conditions.is_some() {
            tag = headers.as_ref().and_then(|headers| headers.get(header::ETAG)).cloned();
        }
        if let (EntityTags::Weak, None, Some(whole)) = (tags, &tag, content.content()) {
            let coding = accepted.coding.and_then(|coding| self.codings.get(coding));
            tag = etags::tag(true, whole, content_type, coding.map_or("", |coding| coding.name()));
        }
        // A strong tag is known only when the content is coded.
        let is_tag_known =
            tag.is_some() || tags != EntityTags::Strong || content.content().is_none();
        let evaluate = |tag: &Option<HeaderValue>| {
            let conditions = conditions?;
            // Without tags and dates, there is nothing to compare.
            let is_comparable =
                tags != EntityTags::None || tag.is_some() || last_modified.is_some();
            let current = Validators {
                exists: true,
                tag: tag.as_ref(),
                last_modified: last_modified.as_ref(),
            };
            is_comparable.then(|| conditions.evaluate(current, true))
        };
        let refuse = |field: HeaderName, tag: Option<HeaderValue>| {
            let refusal = Refusal::PreconditionFailed { field, tag };
            let (problem, beside) = refusal.problem();
            self.problem(&problem, beside, negotiated.problem, negotiated.is_head)
        };
        if is_tag_known {
            match evaluate(&tag) {
                Some(Precondition::NotModified) => return not_modified(operation, headers, tag),
                Some(Precondition::Failed(field)) => return refuse(field, tag),
                Some(Precondition::Holds) | None => {}
            }
        }
        let encoded = self.encode_whole(accepted, answers.is_compressible, &content);
        let (coding, content) = match encoded {
            Some((coding, content)) => (Some(coding), Body::new(content)),
            None if content.is_stream() => {
                self.encode_stream(accepted, answers.is_compressible, content)
            }
            None => (None, content),
        };
        if let (EntityTags::Strong, None, Some(whole)) = (tags, &tag, content.content()) {
            let coding = coding.map_or("", |coding| coding.name());
            tag = etags::tag(false, whole, content_type, coding);
            match evaluate(&tag) {
                Some(Precondition::NotModified) => return not_modified(operation, headers, tag),
                Some(Precondition::Failed(field)) => return refuse(field, tag),
                Some(Precondition::Holds) | None => {}
            }
        }
        // Ranges apply only to GET (section 14.2), and only to content whose size is known.
        let range_bytes = conditions
            .filter(|_| !negotiated.is_head)
            .and_then(|conditions| Some((conditions, content.size_hint().exact()?)));
        let range = range_bytes.map_or(ByteRange::Whole, |(conditions, bytes)| {
            let current = Validators {
                exists: true,
                tag: tag.as_ref(),
                last_modified: last_modified.as_ref(),
            };
            conditions.range(current, bytes)
        });
        let takes_ranges = is_get
            && status == StatusCode::OK
            && (tags != EntityTags::None || content.is_stream())
            && content.size_hint().exact().is_some();
        let mut status = status;
        let mut content_range = None;
        let content = match (range, range_bytes) {
            (ByteRange::Part { first, last }, Some((_, bytes))) => {
                status = StatusCode::PARTIAL_CONTENT;
                content_range = HeaderValue::try_from(format!("bytes {first}-{last}/{bytes}")).ok();
                content.part(first, last - first + 1)
            }
            (ByteRange::Unsatisfiable, Some((_, bytes))) => {
                let (problem, beside) = Refusal::RangeNotSatisfiable { bytes }.problem();
                return self.problem(&problem, beside, negotiated.problem, negotiated.is_head);
            }
            _ => content,
        };
        // The size is set here for HEAD, because only the HTTP/1 server would add it: HTTP/2 and
        // frameworks that mount the service would not.
        let size_bytes = if negotiated.is_head { content.size_hint().exact() } else { None };
        let body = if negotiated.is_head { Body::only_size(size_bytes) } else { content };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let fields = response.headers_mut();
        if let Some(headers) = headers {
            *fields = *headers;
        }
        if let Some(content_type) = content_type
            && (answers.is_compressible || !fields.contains_key(header::CONTENT_TYPE))
        {
            fields.insert(header::CONTENT_TYPE, content_type.clone());
        }
        fields.append(header::VARY, operation.vary.clone());
        if let Some(coding) = coding {
            fields.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
        }
        if let Some(bytes) = size_bytes {
            fields.insert(header::CONTENT_LENGTH, HeaderValue::from(bytes));
        }
        if let Some(tag) = tag {
            fields.insert(header::ETAG, tag);
        }
        if takes_ranges {
            fields.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        }
        if let Some(content_range) = content_range {
            fields.insert(header::CONTENT_RANGE, content_range);
        }
        response
    }

    /// Returns whether the content is in memory and too short for a coding.
    #[inline]
    fn is_short(&self, content: &Body) -> bool {
        content.content().is_some_and(|content| content.len() < self.coded_bytes_min)
    }

    /// Encodes content in memory with the negotiated coding. Returns `None` for a stream or empty
    /// content, without a negotiated coding, if the encoder fails, and, if the client accepts
    /// `identity`, for content that is short, not compressible, or not smaller when encoded.
    #[inline]
    fn encode_whole(
        &self,
        negotiated: CodingChoice,
        is_compressible: bool,
        content: &Body,
    ) -> Option<(Coding, Bytes)> {
        // Empty content stays as it is, and streams are encoded while they are sent.
        let content = content.content().filter(|content| !content.is_empty())?;
        let coding = *self.codings.get(negotiated.coding?)?;
        let is_worth_it = is_compressible && content.len() >= self.coded_bytes_min;
        if negotiated.identity && !is_worth_it {
            return None;
        }
        let encoded = codings::encode(coding, content)?;
        (!negotiated.identity || encoded.len() < content.len()).then(|| (coding, encoded.into()))
    }

    /// Encodes a stream with the negotiated coding, and flushes each value as soon as it is written.
    /// The length is unknown.
    #[inline(never)]
    fn encode_stream(
        &self,
        negotiated: CodingChoice,
        is_compressible: bool,
        content: Body,
    ) -> (Option<Coding>, Body) {
        let coding = negotiated.coding.and_then(|coding| self.codings.get(coding)).copied();
        match coding {
            Some(coding) if is_compressible || !negotiated.identity => {
                (Some(coding), content.map_stream(|chunks| StreamEncoder::new(chunks, coding)))
            }
            _ => (None, content),
        }
    }
}

/// Returns 304 with the header fields of the full response, except those that describe content.
#[cold]
fn not_modified(
    operation: &Operation,
    headers: Option<Box<HeaderMap>>,
    tag: Option<HeaderValue>,
) -> Response<Body> {
    without_content(operation, StatusCode::NOT_MODIFIED, headers, tag)
}

/// Returns a response whose status has no content, with the header fields of the handler, except
/// those that describe content.
#[inline(never)]
fn without_content(
    operation: &Operation,
    status: StatusCode,
    headers: Option<Box<HeaderMap>>,
    tag: Option<HeaderValue>,
) -> Response<Body> {
    let mut response = Response::new(empty_body(status).unwrap_or_default());
    *response.status_mut() = status;
    let fields = response.headers_mut();
    if let Some(headers) = headers {
        *fields = *headers;
        etags::remove_content_headers(fields);
    }
    fields.append(header::VARY, operation.vary.clone());
    if let Some(tag) = tag {
        fields.insert(header::ETAG, tag);
    }
    response
}
