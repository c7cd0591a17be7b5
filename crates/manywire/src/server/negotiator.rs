//! Negotiation and content for requests that another framework routes: the types behind
//! [`adapt`](crate::adapt).

use std::any::{TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::future::poll_fn;
use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::{Arc, PoisonError, RwLock};

use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode, header};
use tokio::runtime::Handle;

use super::api::{Api, InvalidApi};
use super::conditions::{CONDITION_HEADERS, Conditions};
use super::core::Core;
use super::headers::RequestHeaders;
use super::operation::{ApiContext, Operation};
use super::refusal::Refusal;
use super::request_body::{BodyKind, BodyReader};
use crate::body::Body;
use crate::content::own::AnyFormat;
use crate::content::{Answer, Content, IncomingContent, Media, Receive};
use crate::endpoint::Reply;
use crate::field_numbers::{FieldNumbers, SchemaLock, is_numbered, is_positional};
use crate::input::{Body as BodyInput, Captures, InputReader, Read};
use crate::limits::Limits;
use crate::negotiate::{Offer, Offers};
use crate::problem::Problem;
use crate::problem_writer::ProblemFormats;

/// The formats, codings and limits of a service whose requests are routed by another framework.
///
/// A clone costs one reference count. A type is compiled for each format when it is first used, and
/// cached; [`Negotiator::check`] compiles it at start.
#[derive(Clone)]
pub struct Negotiator(Arc<Shared>);

struct Shared {
    core: Arc<Core>,
    name: String,
    formats: Vec<AnyFormat>,
    problems: ProblemFormats,
    untyped: Option<AnyFormat>,
    /// Every media type that some value could be sent as: the formats, followed by the framings of
    /// streams.
    all_offers: Offers,
    schema_lock: SchemaLock,
    operations: RwLock<HashMap<TypeId, Arc<Operation>>>,
}

impl Negotiator {
    /// Takes the formats, codings, limits, entity tags and schema lock of an API.
    ///
    /// # Errors
    /// Returns an error for a format or coding that is not compiled in, and for an API with
    /// endpoints, which [`Api::build`] turns into a service.
    pub fn new(api: Api) -> Result<Negotiator, InvalidApi> {
        let (name, formats) = (api.info.name.clone(), api.formats.clone());
        let invalid =
            |fault: &str| InvalidApi { name: name.clone(), faults: vec![fault.to_owned()] };
        if !api.routes.is_empty() {
            return Err(invalid(
                "its endpoints would not be served: build it with `Api::build` and mount the service",
            ));
        }
        if formats.is_empty() {
            return Err(invalid("no format is listed: name one by `.formats([Format::Json])`"));
        }
        let schema_lock = api.schema_lock.clone();
        if !schema_lock.is_set()
            && formats.iter().filter_map(|format| format.built_in()).any(is_numbered)
        {
            tracing::warn!(
                api = name,
                "field numbers and positions may change when types change: check in \
                 the .proto of the API and pass it to schema_lock"
            );
        }
        if api.metrics_endpoint.is_some() {
            return Err(invalid("its metrics would not be served: use those of the framework"));
        }
        let untyped = api.untyped;
        let core = api.build()?.core;
        let framings = formats.iter().flat_map(|format| format.framings());
        let all_offers: Vec<Offer> = formats
            .iter()
            .map(|format| format.offer())
            .chain(framings.map(|framing| framing.offer()))
            .collect();
        Ok(Negotiator(Arc::new(Shared {
            core,
            name,
            problems: ProblemFormats::new(&formats, &[]),
            formats,
            untyped,
            all_offers: Offers::new(all_offers),
            schema_lock,
            operations: RwLock::default(),
        })))
    }

    /// Returns the limits on what clients send.
    pub fn limits(&self) -> Limits {
        self.0.core.limits
    }

    /// Compiles content for each format at start, instead of at its first use.
    ///
    /// # Errors
    /// Returns an error for a format that cannot represent the content, and for a number that the
    /// schema lock gives to another field.
    pub fn check<C: Content>(&self) -> Result<(), InvalidApi> {
        let name = &self.0.name;
        let invalid = |faults| InvalidApi { name: name.clone(), faults };
        self.operation::<C>().map(drop).map_err(invalid)
    }

    /// Checks that the client accepts some format and coding. Call it before a handler does
    /// something that cannot be undone.
    ///
    /// # Errors
    /// Returns 406 with the list of available media types or codings.
    pub fn acceptable(&self, parts: &Parts) -> Result<(), Rejection> {
        let fields = RequestHeaders::read(&parts.headers);
        if self.0.all_offers.choose(fields.accept.as_deref()).is_none() {
            let offers = self.0.all_offers.as_slice().iter().take(self.0.formats.len());
            let available = offers.map(|offer| offer.media_type().to_string()).collect();
            return Err(Refusal::NotAcceptable { available }.into());
        }
        self.0.core.negotiate_coding(&fields)?;
        Ok(())
    }

    /// Reads a body by its header fields, within the limits: format, charset and codings. A long
    /// body is decoded on a blocking thread.
    ///
    /// # Errors
    /// Returns 415 for an unsupported type, 413 beyond a limit, 408 for a pause, 400 for invalid
    /// bytes, and 422 for a value of another type. Content that none of the formats can represent
    /// is 500, and the log has the reason.
    pub async fn receive<C, B>(&self, parts: &Parts, body: B) -> Result<C::Value, Rejection>
    where
        C: Receive,
        B: http_body::Body + Send + 'static,
    {
        let operation = self.operation_of_request::<C>()?;
        let core = &self.0.core;
        let fields = RequestHeaders::read(&parts.headers);
        fields.transfer.check(&parts.headers)?;
        let kind = operation.kind(&fields)?;
        let limits = core.limits;
        if kind.is_stream() {
            let content_type = parts.headers.get(header::CONTENT_TYPE);
            let arriving = kind
                .arriving(body, content_type, &limits)
                .map_err(|error| Refusal::InvalidCoding { error })?;
            return read::<C>(&operation, kind, IncomingContent::Stream(arriving), &limits);
        }
        let mut reader = pin!(BodyReader::begin(body, kind, &limits)?);
        let body = poll_fn(|context| reader.as_mut().poll(&limits, context)).await?;
        if !kind.is_long(body.len()) {
            return read::<C>(&operation, kind, IncomingContent::Whole(body), &limits);
        }
        let Ok(runtime) = Handle::try_current() else {
            return read::<C>(&operation, kind, IncomingContent::Whole(body), &limits);
        };
        let decode = move || read::<C>(&operation, kind, IncomingContent::Whole(body), &limits);
        match runtime.spawn_blocking(decode).await {
            Ok(read) => read,
            // A panic on the blocking thread continues here, as if the decoder had been called on
            // this thread.
            Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
            Err(_) => Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE).into()),
        }
    }

    /// Returns a response in the format, charset and coding that the client prefers. A value that
    /// cannot be written is 500, and the log has the reason. A response that the client does not
    /// accept is 406.
    pub fn answer<C: Answer>(
        &self,
        preferences: &Preferences,
        reply: Reply<C::Value>,
    ) -> Response<Body> {
        let operation = match self.operation_of_request::<C>() {
            Ok(operation) => operation,
            Err(rejection) => return self.refuse(preferences, &rejection),
        };
        let core = &self.0.core;
        let negotiated =
            match core.negotiate(&operation, 0, &preferences.fields(), preferences.is_head()) {
                Ok(negotiated) => negotiated,
                Err(refusal) => return self.refuse(preferences, &refusal.into()),
            };
        let outcome = operation.responder.write::<C>(negotiated.choice, reply);
        core.respond(
            &operation,
            preferences.is_get(),
            negotiated,
            outcome,
            preferences.conditions().as_deref(),
        )
    }

    /// Returns the response to a refused request, in the client's format.
    #[cold]
    pub fn refuse(&self, preferences: &Preferences, rejection: &Rejection) -> Response<Body> {
        let core = &self.0.core;
        let format = core.problems.choose(preferences.fields().accept.as_deref());
        core.problem(&rejection.problem, rejection.field.clone(), format, preferences.is_head())
    }

    fn operation<C: Content>(&self) -> Result<Arc<Operation>, Vec<String>> {
        let operations = &self.0.operations;
        let id = TypeId::of::<C>();
        let known = operations.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
        match known {
            Some(operation) => Ok(operation),
            None => {
                let operation = Arc::new(self.compile(type_name::<C>(), &C::media())?);
                let mut operations = operations.write().unwrap_or_else(PoisonError::into_inner);
                // Two requests may compile the same type at once. Either result is right.
                Ok(Arc::clone(operations.entry(id).or_insert(operation)))
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn compile(&self, name: &str, media: &Media) -> Result<Operation, Vec<String>> {
        let formats = &self.0.formats;
        let numbers = match media {
            Media::Formats(ty) | Media::Items(ty) if !ty.is_shapeless() => {
                let mut built_in = formats.iter().filter_map(|format| format.built_in());
                self.0.schema_lock.numbers_of(ty, built_in.any(is_positional))?
            }
            // Parts have no locked numbers, which restricts their formats.
            Media::Multipart(_) => self.0.schema_lock.numbers(|_| Vec::new())?,
            _ => FieldNumbers::default(),
        };
        let (problems, untyped) = (&self.0.problems, self.0.untyped);
        let served = ApiContext { numbers: &numbers, problems, untyped };
        Operation::for_content(name, media, formats, &served)
            .map_err(|error| vec![format!("{name}: {error}")])
    }

    fn operation_of_request<C: Content>(&self) -> Result<Arc<Operation>, Rejection> {
        self.operation::<C>().map_err(|faults| {
            Problem::internal(format_args!("{}: {}", type_name::<C>(), faults.join("; "))).into()
        })
    }
}

/// Decodes a body.
fn read<C: Receive>(
    operation: &Operation,
    kind: BodyKind,
    body: IncomingContent,
    limits: &Limits,
) -> Result<C::Value, Rejection> {
    let body = match body {
        IncomingContent::Whole(body) => IncomingContent::Whole(kind.decode(body, limits)?),
        arriving => arriving,
    };
    let (none, ()) = Request::new(()).into_parts();
    let decoding = operation.decoding(kind, limits);
    let mut reading = InputReader::new(&none, Captures::default(), body, decoding);
    let value = BodyInput::<C>::new().read(&mut reading);
    value.ok_or_else(|| reading.problem().into())
}

impl fmt::Debug for Negotiator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Negotiator").field("formats", &self.0.formats).finish_non_exhaustive()
    }
}

/// The preferences of a client: the parts of its request that the response depends on, kept while
/// the request is handled.
#[derive(Clone, Debug, Default)]
pub struct Preferences {
    method: Method,
    /// The header fields that the response depends on, and no others.
    headers: HeaderMap,
}

/// The request header fields that a response may depend on, beside those of conditions.
const NEGOTIATION_HEADERS: [HeaderName; 3] =
    [header::ACCEPT, header::ACCEPT_CHARSET, header::ACCEPT_ENCODING];

impl Preferences {
    /// Copies the preferences from a request.
    pub fn of(parts: &Parts) -> Self {
        let mut headers = HeaderMap::new();
        for name in NEGOTIATION_HEADERS.into_iter().chain(CONDITION_HEADERS) {
            for value in parts.headers.get_all(&name) {
                headers.append(name.clone(), value.clone());
            }
        }
        Preferences { method: parts.method.clone(), headers }
    }

    /// Returns the method of the request.
    pub fn method(&self) -> &Method {
        &self.method
    }

    pub(super) fn is_head(&self) -> bool {
        self.method == Method::HEAD
    }

    pub(super) fn is_get(&self) -> bool {
        self.is_head() || self.method == Method::GET
    }

    pub(super) fn fields(&self) -> RequestHeaders<'_> {
        RequestHeaders::read(&self.headers)
    }

    /// Returns the preconditions and the range, if the request has any.
    pub(super) fn conditions(&self) -> Option<Box<Conditions>> {
        self.fields().is_conditional.then(|| Conditions::from_headers(&self.headers))
    }
}

/// The error for a request that is refused: a problem, and in some cases a response header field,
/// such as `Accept` with the supported media types.
#[derive(Clone, Debug)]
pub struct Rejection {
    pub(super) problem: Problem,
    pub(super) field: Option<(HeaderName, HeaderValue)>,
}

impl Rejection {
    /// Returns the problem that the client is sent.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Returns the status of the response.
    pub fn status(&self) -> StatusCode {
        self.problem.status()
    }

    /// Returns the rejection with another status.
    #[must_use]
    pub fn with_status(self, status: StatusCode) -> Self {
        Rejection { problem: self.problem.sent_with(status), ..self }
    }
}

impl From<Refusal<'_>> for Rejection {
    #[cold]
    fn from(refusal: Refusal<'_>) -> Self {
        let (problem, field) = refusal.problem();
        Rejection { problem, field }
    }
}

impl From<Problem> for Rejection {
    #[cold]
    fn from(problem: Problem) -> Self {
        Rejection { problem, field: None }
    }
}

impl std::fmt::Display for Rejection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.problem.fmt(f)
    }
}

impl std::error::Error for Rejection {}
