//! The path of a request: routing with its own responses (OPTIONS, redirects), negotiation, starting
//! the handler, and the problems of requests that do not get that far.

use std::borrow::Cow;
use std::future::ready;

use http::header::{Entry, HeaderMap, HeaderName};
use http::request::Parts;
use http::{HeaderValue, Method, Response, StatusCode, header};
use manywire_format::Coding;

use super::etags::EntityTags;
use super::headers::RequestHeaders;
use super::operation::{Operation, ServedOperation};
use super::refusal::Refusal;
use super::request_body::BodyKind;
use super::router::{RouteLeaf, Router};
use crate::body::Body;
use crate::content::IncomingContent;
use crate::endpoint::HandlerFuture;
use crate::input::{Authenticated, Authentication, Captures, InputReader};
use crate::limits::Limits;
use crate::negotiate::{CodingChoice, CodingOffers};
use crate::percent::{is_normal, normalize};
use crate::problem::Problem;
use crate::problem_writer::{ProblemFormat, ProblemWriter};

/// An API that is ready to serve. It never changes, so all connections share it.
pub(super) struct Core {
    pub(super) router: Router,
    pub(super) served: Vec<ServedOperation>,
    /// The paths that a 404 response lists.
    pub(super) paths: Vec<String>,
    pub(super) problems: ProblemWriter,
    pub(super) codings: Vec<Coding>,
    pub(super) coding_offers: CodingOffers,
    pub(super) coded_bytes_min: usize,
    pub(super) limits: Limits,
    pub(super) trailing_slash: TrailingSlash,
    pub(super) entity_tags: EntityTags,
    pub(super) metrics: super::metrics::SharedMetrics,
}

/// The policy for a path that differs from an endpoint's path only by a trailing slash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrailingSlash {
    /// The path is a different path: 404.
    #[default]
    Distinct,
    /// The path leads to the endpoint, too.
    Ignore,
    /// The client is redirected to the endpoint's own path with status 308.
    Redirect,
}

/// A response without a handler. It is boxed because it is rare, and large: every request would
/// carry room for it.
pub(super) type EarlyResponse = Box<Response<Body>>;

/// The result of negotiation, kept until the response is written.
#[derive(Clone, Copy)]
pub(super) struct Negotiated {
    pub(super) endpoint_index: usize,
    pub(super) choice: usize,
    pub(super) coding: CodingChoice,
    pub(super) problem: ProblemFormat,
    pub(super) is_head: bool,
    /// Indicates whether the request has preconditions or a range.
    pub(super) is_conditional: bool,
}

/// A request that an endpoint will respond to.
#[derive(Clone, Copy)]
pub(super) struct MatchedRequest {
    pub(super) negotiated: Negotiated,
    pub(super) captures: Captures,
    /// The type of the body, if the endpoint takes one.
    pub(super) body: Option<BodyKind>,
    /// Indicates whether credentials are checked before the body is read.
    pub(super) is_secured: bool,
}

impl Core {
    /// Finds the endpoint and negotiates the response. Refuses a request with too many header
    /// fields, with transfer codings other than `chunked`, or, if `needs_host` is set, without
    /// exactly one `Host`. These refusals come before 404, 405, 406 and 415.
    ///
    /// # Errors
    /// Returns the response if the request does not reach a handler.
    #[inline]
    pub(super) fn route(
        &self,
        parts: &mut Parts,
        needs_host: bool,
    ) -> Result<MatchedRequest, EarlyResponse> {
        match self.router.find(parts.uri.path()) {
            // A path with captures may be an unnormalized spelling of another endpoint's literal
            // path. The normalized path decides the endpoint, and not the spelling that a client
            // chose.
            Some((leaf, mut captures)) if leaf.is_literal || is_normal(parts.uri.path()) => {
                captures.is_plain = true;
                self.route_at(leaf, captures, parts, needs_host)
            }
            _ => self.route_normalized(parts, needs_host),
        }
    }

    /// Routes a path by its normalized form: one that matches no pattern, or one that has a
    /// percent-encoding or an invalid character and matches a pattern with captures. Also applies
    /// the policy for trailing slashes.
    #[cold]
    #[inline(never)]
    fn route_normalized(
        &self,
        parts: &mut Parts,
        needs_host: bool,
    ) -> Result<MatchedRequest, EarlyResponse> {
        let fields = RequestHeaders::read(&parts.headers);
        if let Err(refusal) = check_head(&fields, parts, needs_host, &self.limits) {
            return Err(self.refuse(refusal, parts));
        }
        if let Ok(Cow::Owned(path)) = normalize(parts.uri.path())
            && path != parts.uri.path()
        {
            with_path(parts, &path);
        }
        if let Some((leaf, captures)) = self.router.find(parts.uri.path()) {
            return self.route_at(leaf, captures, parts, false);
        }
        let path = parts.uri.path().to_owned();
        if path == "*" && parts.method == Method::OPTIONS {
            return Err(Box::new(no_content(None)));
        }
        let (other, adds_slash) = match path.strip_suffix('/') {
            Some(without) => (without.to_owned(), false),
            None => (format!("{path}/"), true),
        };
        let leads_on = self.trailing_slash != TrailingSlash::Distinct
            && !other.is_empty()
            && self.router.find(&other).is_some();
        if leads_on && with_path(parts, &other) {
            if self.trailing_slash == TrailingSlash::Redirect {
                return Err(Box::new(redirect(parts, adds_slash)));
            }
            if let Some((leaf, captures)) = self.router.find(parts.uri.path()) {
                return self.route_at(leaf, captures, parts, false);
            }
        }
        Err(self.refuse(Refusal::NotFound { available: &self.paths }, parts))
    }

    #[inline]
    fn route_at(
        &self,
        leaf: &RouteLeaf,
        captures: Captures,
        parts: &Parts,
        needs_host: bool,
    ) -> Result<MatchedRequest, EarlyResponse> {
        let fields = RequestHeaders::read(&parts.headers);
        if let Err(refusal) = check_head(&fields, parts, needs_host, &self.limits) {
            return Err(self.refuse(refusal, parts));
        }
        let Some(endpoint_index) = leaf.endpoint_index(&parts.method) else {
            if parts.method == Method::OPTIONS {
                return Err(Box::new(no_content(Some(&leaf.allow))));
            }
            return Err(self.refuse(Refusal::MethodNotAllowed { allow: &leaf.allow }, parts));
        };
        let Some(served) = self.served.get(endpoint_index) else {
            return Err(self.refuse(Refusal::NotFound { available: &self.paths }, parts));
        };
        let operation = &served.operation;
        let is_head = parts.method == Method::HEAD;
        let negotiated = match self.negotiate(operation, endpoint_index, &fields, is_head) {
            Ok(negotiated) => negotiated,
            Err(refusal) => return Err(self.refuse(refusal, parts)),
        };
        let body = match &operation.body {
            None => None,
            Some(accepted) => match accepted.kind(&fields) {
                Ok(kind) => Some(kind),
                Err(refusal) => return Err(self.refuse_negotiated(refusal, negotiated)),
            },
        };
        let is_secured = served.authenticator.is_some();
        Ok(MatchedRequest { negotiated, captures, body, is_secured })
    }

    /// Negotiates the format and coding of an operation's response.
    ///
    /// # Errors
    /// Returns a refusal if the client accepts nothing that the operation can send.
    #[inline]
    pub(super) fn negotiate(
        &self,
        operation: &Operation,
        endpoint_index: usize,
        fields: &RequestHeaders<'_>,
        is_head: bool,
    ) -> Result<Negotiated, Refusal<'static>> {
        let accept = fields.accept.as_deref();
        let answers = &operation.responder.answers;
        let (choice, problem) = if answers.is_empty() {
            (0, self.problems.choose(accept))
        } else {
            let charset = fields.accept_charset.as_deref();
            let Some(choice) = answers.choose(accept, charset) else {
                let available = answers.media_types();
                return Err(Refusal::NotAcceptable { available });
            };
            let format = answers.problem(choice);
            (choice, format.unwrap_or_else(|| self.problems.choose(accept)))
        };
        let coding = self.negotiate_coding(fields)?;
        let is_conditional = fields.is_conditional;
        Ok(Negotiated { endpoint_index, choice, coding, problem, is_head, is_conditional })
    }

    /// Negotiates the content coding.
    ///
    /// # Errors
    /// Returns a refusal if the client accepts none of the codings, nor content without one.
    #[inline]
    pub(super) fn negotiate_coding(
        &self,
        fields: &RequestHeaders<'_>,
    ) -> Result<CodingChoice, Refusal<'static>> {
        let coding = self.coding_offers.choose(fields.accept_encoding.as_deref());
        if coding.is_unacceptable() {
            let mut available: Vec<String> = self.codings.iter().map(Coding::to_string).collect();
            available.push("identity".to_owned());
            return Err(Refusal::CodingNotAcceptable { available });
        }
        Ok(coding)
    }

    /// Starts the check of the credentials of a request, and marks the fields that hold them as
    /// sensitive: `Debug` does not show them.
    ///
    /// # Errors
    /// Returns the response to a request without credentials, or with malformed ones.
    #[cold]
    pub(super) fn authenticate(
        &self,
        negotiated: Negotiated,
        parts: &mut Parts,
    ) -> Result<Authentication, EarlyResponse> {
        let served = self.served.get(negotiated.endpoint_index);
        let Some(authenticator) = served.and_then(|served| served.authenticator.as_deref()) else {
            return Ok(Box::pin(ready(Ok(Box::new(()) as Authenticated))));
        };
        for scheme in authenticator.schemes() {
            let Some(name) = scheme.field() else { continue };
            if let Ok(Entry::Occupied(mut fields)) = parts.headers.try_entry(name) {
                fields.iter_mut().for_each(|field| field.set_sensitive(true));
            }
        }
        authenticator.authenticate(parts).map_err(|problem| {
            Box::new(self.problem(&problem, None, negotiated.problem, negotiated.is_head))
        })
    }

    /// Matches a request to the GET handler at its path, whose response is compared with the
    /// preconditions of another method. Returns `None` if there is no such handler, or if the
    /// handler has no representation for this request.
    #[cold]
    pub(super) fn match_current(
        &self,
        matched: &MatchedRequest,
        parts: &Parts,
    ) -> Option<MatchedRequest> {
        let (leaf, _) = self.router.find(parts.uri.path())?;
        let endpoint_index = leaf.endpoint_index(&Method::GET)?;
        let served = self.served.get(endpoint_index)?;
        let operation = &served.operation;
        let fields = RequestHeaders::read(&parts.headers);
        let negotiated = self
            .negotiate(operation, endpoint_index, &fields, false)
            .or_else(|_| {
                // `Accept` may only be meant for the response to the other method.
                let any = RequestHeaders { accept: None, accept_charset: None, ..fields };
                self.negotiate(operation, endpoint_index, &any, false)
            })
            .ok()?;
        let is_secured = served.authenticator.is_some();
        Some(MatchedRequest { negotiated, body: None, is_secured, ..*matched })
    }

    /// Starts the handler, with the body if the endpoint takes one, and with the result of the
    /// check of the credentials.
    ///
    /// # Errors
    /// Returns the response if the body cannot be decoded or an input is invalid.
    #[inline]
    pub(super) fn start(
        &self,
        matched: &MatchedRequest,
        parts: &Parts,
        mut body: IncomingContent,
        authenticated: Option<Authenticated>,
    ) -> Result<HandlerFuture, EarlyResponse> {
        let MatchedRequest { negotiated, captures, body: kind, .. } = matched;
        let Some(ServedOperation { operation, handler, .. }) =
            self.served.get(negotiated.endpoint_index)
        else {
            return Err(self.refuse(Refusal::NotFound { available: &self.paths }, parts));
        };
        let mut decoding = None;
        if let (Some(kind), Some(accepted)) = (kind, &operation.body) {
            // Decodes in place, because moving `body` is expensive: its stream variant is large.
            if let IncomingContent::Whole(whole) = &mut body {
                match kind.decode(std::mem::take(whole), &self.limits) {
                    Ok(decoded) => *whole = decoded,
                    Err(refusal) => {
                        return Err(self.refuse_negotiated(refusal, *negotiated));
                    }
                }
            }
            decoding = Some(accepted.decoding(*kind, &self.limits));
        }
        let reading = InputReader::new(parts, *captures, body, decoding);
        let reading = reading.with_authenticated(authenticated);
        handler.start(reading, &operation.responder, negotiated.choice).map_err(|problem| {
            Box::new(self.problem(&problem, None, negotiated.problem, negotiated.is_head))
        })
    }
}

impl Core {
    /// Returns the response to a request that is refused before negotiation.
    #[cold]
    #[inline(never)]
    pub(super) fn refuse(&self, refusal: Refusal<'_>, parts: &Parts) -> EarlyResponse {
        if let Some(metrics) = &self.metrics {
            metrics.refused(&refusal, self.router.endpoint_index(parts));
        }
        let format = self.problems.choose(RequestHeaders::read(&parts.headers).accept.as_deref());
        let (problem, beside) = refusal.problem();
        Box::new(self.problem(&problem, beside, format, parts.method == Method::HEAD))
    }

    /// Returns the response to a request that is refused after negotiation.
    #[cold]
    #[inline(never)]
    pub(super) fn refuse_negotiated(
        &self,
        refusal: Refusal<'_>,
        negotiated: Negotiated,
    ) -> EarlyResponse {
        if let Some(metrics) = &self.metrics {
            metrics.refused(&refusal, Some(negotiated.endpoint_index));
        }
        let (problem, beside) = refusal.problem();
        Box::new(self.problem(&problem, beside, negotiated.problem, negotiated.is_head))
    }

    /// Returns the response with a problem in this format. `beside` is a header field that the
    /// problem does not have.
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
        let status = problem.status();
        let size_bytes = content.len() as u64;
        let body = match (empty_body(status), is_head) {
            (Some(empty), _) => empty,
            (None, true) => Body::only_size(Some(size_bytes)),
            (None, false) => Body::new(content),
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let fields = response.headers_mut();
        *fields = problem.headers().clone();
        remove_length(fields);
        fields.remove(header::CONTENT_ENCODING);
        if !is_without_content(status) {
            fields.insert(header::CONTENT_TYPE, content_type);
            if is_head {
                fields.insert(header::CONTENT_LENGTH, HeaderValue::from(size_bytes));
            }
        }
        fields.append(header::VARY, HeaderValue::from_static("accept"));
        fields.extend(beside);
        response
    }
}

/// Returns whether a response with this status has no content (sections 15.3.5, 15.3.6 and 15.4.5).
#[inline]
pub(super) fn is_without_content(status: StatusCode) -> bool {
    matches!(status, StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT | StatusCode::NOT_MODIFIED)
}

/// Returns the body of a response whose status has no content, or `None` if it may have some. Only
/// a 205 has a size: a 204 must not have one, and that of a 304 would be the size of the content
/// that it stands for (section 8.6).
pub(super) fn empty_body(status: StatusCode) -> Option<Body> {
    is_without_content(status).then(|| match status {
        StatusCode::RESET_CONTENT => Body::default(),
        _ => Body::only_size(None),
    })
}

/// Removes the fields of a handler by which a client finds the end of a message. They can only be
/// those of another message, such as a response that the handler passes on.
pub(super) fn remove_length(fields: &mut HeaderMap) {
    fields.remove(header::CONTENT_LENGTH);
    fields.remove(header::TRANSFER_ENCODING);
}

/// Checks the number of header fields, and those that decide where a request ends and which service
/// it is for.
///
/// # Errors
/// Returns a refusal.
#[inline]
pub(super) fn check_head(
    fields: &RequestHeaders<'_>,
    parts: &Parts,
    needs_host: bool,
    limits: &Limits,
) -> Result<(), Refusal<'static>> {
    if needs_host && fields.hosts != 1 {
        return Err(Refusal::InvalidHost);
    }
    // hyper counts the fields of HTTP/1, and not those of HTTP/2.
    if parts.headers.len() > limits.header_fields {
        return Err(Refusal::TooManyHeaderFields { limit: limits.header_fields });
    }
    fields.transfer.check(&parts.headers)
}

/// Replaces the path of a request. Returns false if the new path is invalid.
fn with_path(parts: &mut Parts, path: &str) -> bool {
    let text = match parts.uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let Ok(path_and_query) = text.parse() else { return false };
    let mut uri = parts.uri.clone().into_parts();
    uri.path_and_query = Some(path_and_query);
    let Ok(uri) = http::Uri::from_parts(uri) else { return false };
    parts.uri = uri;
    true
}

/// Returns the response to OPTIONS.
fn no_content(allow: Option<&HeaderValue>) -> Response<Body> {
    let status = StatusCode::NO_CONTENT;
    let mut response = Response::new(empty_body(status).unwrap_or_default());
    *response.status_mut() = status;
    if let Some(allow) = allow {
        response.headers_mut().insert(header::ALLOW, allow.clone());
    }
    response
}

/// Returns a redirect to the path in `parts`, which is that of the request with a further slash at
/// its end if `adds_slash` is set, and without the last one otherwise. The status, 308, keeps the
/// method and the body.
///
/// The location is relative to the last segment: a framework that mounts the API removes a prefix
/// from the path, and a path that begins with two slashes would name another host.
fn redirect(parts: &Parts, adds_slash: bool) -> Response<Body> {
    let mut response = Response::new(Body::default());
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    let path = parts.uri.path();
    let (base, segments) = match path.strip_suffix('/') {
        Some(without) if adds_slash => ("./", without),
        // The path may end with a slash all the same: `/hotels//` leads to `/hotels/`.
        _ => ("../", path),
    };
    let last = segments.rfind('/').map_or(path, |slash| &path[slash + 1..]);
    let mut location = format!("{base}{last}");
    if let Some(query) = parts.uri.query() {
        location.push('?');
        location.push_str(query);
    }
    if let Ok(location) = HeaderValue::from_str(&location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}
