//! Responses: written from what a handler returned, or from a problem.

use bytes::Bytes;
use http::header::{HeaderMap, HeaderName};
use http::request::Parts;
use http::{HeaderValue, Method, Response, StatusCode, header};
use http_body::Body as _;
use manywire_format::Coding;

use super::body::Body;
use super::core::{Agreed, Core, Served};
use super::etags;
use super::etags::{EntityTags, Known};
use super::headers::Fields;
use super::operation::Operation;
use super::refusal::Refusal;
use crate::codings;
use crate::endpoint::Outcome;
use crate::negotiate::CodingChoice;
use crate::problem::{Problem, ProblemFormat};

/// What a handler answered with.
struct Written {
    content: Body,
    choice: usize,
    status: StatusCode,
    headers: Option<Box<HeaderMap>>,
}

impl Core {
    /// What is sent.
    #[inline]
    pub(super) fn finish(
        &self,
        agreed: Agreed,
        outcome: Outcome,
        known: Option<&Known>,
    ) -> Response<Body> {
        let Some(Served { operation, .. }) = self.served.get(agreed.target) else {
            return Response::default();
        };
        let is_get = agreed.is_head || operation.method == Method::GET;
        self.send(operation, is_get, agreed, outcome, known)
    }

    /// What is sent of an operation, of the index or not. `is_get` is whether it was asked for by
    /// GET or HEAD.
    #[inline]
    pub(super) fn send(
        &self,
        operation: &Operation,
        is_get: bool,
        agreed: Agreed,
        outcome: Outcome,
        known: Option<&Known>,
    ) -> Response<Body> {
        match outcome {
            Outcome::Answer { content, choice, status, headers } => {
                let status = status.unwrap_or(operation.status);
                let is_uncoded = agreed.coding.coding.is_none()
                    || agreed.coding.identity && self.is_short(&content);
                let is_untagged = !is_get || self.entity_tags == EntityTags::None;
                // What nearly every answer is: nothing to add to what was known beforehand, and
                // nothing that a client could have already.
                if is_uncoded
                    && is_untagged
                    && !agreed.is_head
                    && headers.is_none()
                    && let Some(content_type) = operation.answers.content_type(choice)
                {
                    let mut response = Response::new(content);
                    *response.status_mut() = status;
                    // One by one, though a copy of a map made beforehand would take half as much:
                    // hyper reads the next request into this map, and a copy has no room for it.
                    let fields = response.headers_mut();
                    fields.insert(header::CONTENT_TYPE, content_type.clone());
                    fields.insert(header::VARY, operation.vary.clone());
                    return response;
                }
                let answer = Written { content, choice, status, headers };
                self.send_apart(operation, is_get, agreed, answer, known)
            }
            Outcome::Problem(problem) => {
                self.problem(&problem, None, agreed.problem, agreed.is_head)
            }
        }
    }

    /// What is sent of an answer that is not as others are: coded, tagged, known to its client,
    /// with fields of its own, or without its content.
    #[inline(never)]
    fn send_apart(
        &self,
        operation: &Operation,
        is_get: bool,
        agreed: Agreed,
        answer: Written,
        known: Option<&Known>,
    ) -> Response<Body> {
        let Written { content, choice, status, headers } = answer;
        let answers = &operation.answers;
        let content_type = answers.content_type(choice);
        let (tags, known) = match is_get && status == StatusCode::OK {
            true => (self.entity_tags, known),
            false => (EntityTags::None, None),
        };
        let is_known =
            |tag: Option<&HeaderValue>| known.zip(tag).is_some_and(|(known, tag)| known.has(tag));
        let mut tag = None;
        if tags != EntityTags::None || known.is_some() {
            tag = headers.as_ref().and_then(|headers| headers.get(header::ETAG)).cloned();
        }
        if let (EntityTags::Weak, None, Some(whole)) = (tags, &tag, content.content()) {
            let coding = agreed.coding.coding.and_then(|coding| self.codings.get(coding));
            tag = etags::tag(true, whole, content_type, coding.map_or("", |coding| coding.name()));
        }
        if is_known(tag.as_ref()) {
            return not_modified(operation, headers, tag);
        }
        let coded = self.coded(agreed.coding, answers.is_compressible, &content);
        let (coding, content) = match coded {
            Some((coding, content)) => (Some(coding), Body::new(content)),
            None if content.is_stream() => {
                self.coded_stream(agreed.coding, answers.is_compressible, content)
            }
            None => (None, content),
        };
        if let (EntityTags::Strong, None, Some(whole)) = (tags, &tag, content.content()) {
            let coding = coding.map_or("", |coding| coding.name());
            tag = etags::tag(false, whole, content_type, coding);
            if is_known(tag.as_ref()) {
                return not_modified(operation, headers, tag);
            }
        }
        // HTTP/1 would say the size by itself, HTTP/2 and whoever mounts this would not.
        let size_bytes = if agreed.is_head { content.size_hint().exact() } else { None };
        let body = if agreed.is_head { Body::only_size(size_bytes) } else { content };
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
        response
    }

    /// Whether content is whole, and too little to be worth a coding.
    #[inline]
    fn is_short(&self, content: &Body) -> bool {
        content.content().is_some_and(|content| content.len() < self.coded_bytes_min)
    }

    /// The content in a coding, where that is agreed on and worth it.
    #[inline]
    fn coded(
        &self,
        agreed: CodingChoice,
        is_compressible: bool,
        content: &Body,
    ) -> Option<(Coding, Bytes)> {
        // Nothing is left alone; streams are coded as they are made.
        let content = content.content().filter(|content| !content.is_empty())?;
        let coding = *self.codings.get(agreed.coding?)?;
        let is_worth_it = is_compressible && content.len() >= self.coded_bytes_min;
        if agreed.identity && !is_worth_it {
            return None;
        }
        let coded = codings::encode(coding, content)?;
        (!agreed.identity || coded.len() < content.len()).then(|| (coding, coded.into()))
    }

    /// A stream in a coding, where that is agreed on. How long it will be nobody knows.
    #[inline(never)]
    fn coded_stream(
        &self,
        agreed: CodingChoice,
        is_compressible: bool,
        content: Body,
    ) -> (Option<Coding>, Body) {
        let coding = agreed.coding.and_then(|coding| self.codings.get(coding)).copied();
        match coding {
            Some(coding) if is_compressible || !agreed.identity => {
                (Some(coding), content.in_coding(coding))
            }
            _ => (None, content),
        }
    }
}

/// The answer to a client that has the representation already: what it would have been, but for
/// what describes content.
#[cold]
#[inline(never)]
fn not_modified(
    operation: &Operation,
    headers: Option<Box<HeaderMap>>,
    tag: Option<HeaderValue>,
) -> Response<Body> {
    let mut response = Response::new(Body::only_size(None));
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    let fields = response.headers_mut();
    if let Some(headers) = headers {
        *fields = *headers;
        etags::without_content(fields);
    }
    fields.append(header::VARY, operation.vary.clone());
    if let Some(tag) = tag {
        fields.insert(header::ETAG, tag);
    }
    response
}

/// The answer to OPTIONS.
pub(super) fn no_content(allow: Option<&HeaderValue>) -> Response<Body> {
    let mut response = Response::new(Body::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    if let Some(allow) = allow {
        response.headers_mut().insert(header::ALLOW, allow.clone());
    }
    response
}

/// Where the client should have asked, with the method and body it used.
pub(super) fn redirect(parts: &Parts) -> Response<Body> {
    let mut response = Response::new(Body::default());
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    let location = parts.uri.path_and_query().map(|target| target.as_str()).unwrap_or("/");
    // A path that begins with two slashes would name another host.
    if let Ok(location) = HeaderValue::from_str(&format!("/{}", location.trim_start_matches('/'))) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

impl Core {
    /// Refuses a request of which nothing is agreed on yet.
    #[cold]
    #[inline(never)]
    pub(super) fn refuse(&self, refusal: Refusal<'_>, parts: &Parts) -> Response<Body> {
        #[cfg(feature = "metrics")]
        if let Some(metrics) = &self.metrics {
            metrics.refused(&refusal, self.target(parts));
        }
        let format = self.problems.choose(Fields::of(&parts.headers).accept.as_deref());
        let (problem, beside) = refusal.problem();
        self.problem(&problem, beside, format, parts.method == Method::HEAD)
    }

    /// Refuses a request in the format that its client is to have.
    #[cold]
    #[inline(never)]
    pub(super) fn refuse_agreed(&self, refusal: Refusal<'_>, agreed: Agreed) -> Response<Body> {
        #[cfg(feature = "metrics")]
        if let Some(metrics) = &self.metrics {
            metrics.refused(&refusal, Some(agreed.target));
        }
        let (problem, beside) = refusal.problem();
        self.problem(&problem, beside, agreed.problem, agreed.is_head)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn problem(
        &self,
        problem: &Problem,
        beside: Option<(HeaderName, HeaderValue)>,
        format: ProblemFormat,
        is_head: bool,
    ) -> Response<Body> {
        let (content, content_type) = self.problems.write(problem, format);
        let body = if is_head {
            Body::only_size(Some(content.len() as u64))
        } else {
            Body::new(content.clone())
        };
        let mut response = Response::new(body);
        *response.status_mut() = problem.status();
        let fields = response.headers_mut();
        fields.insert(header::CONTENT_TYPE, content_type);
        fields.insert(header::VARY, HeaderValue::from_static("accept"));
        if is_head {
            fields.insert(header::CONTENT_LENGTH, HeaderValue::from(content.len()));
        }
        fields.extend(beside);
        response
    }
}
