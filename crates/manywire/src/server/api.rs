//! [`Api`]: endpoints, formats and policies collected by a builder, and [`Api::build`], which
//! checks and compiles them into a [`Service`].

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use http::StatusCode;
use manywire_format::{Coding, Format};

use super::core::{Core, TrailingSlash, is_without_content};
use super::etags::EntityTags;
use super::metrics::MetricsEndpoint;
use super::operation::{ApiContext, Operation, ServedOperation};
use super::router::Router;
use super::service::Service;
use crate::codings;
use crate::content::own::{AnyFormat, IntoFormats};
use crate::content::{Media, check_media_types};
use crate::endpoint::{PatternPart, Route, parse_pattern};
use crate::field_numbers::{FieldNumbers, SchemaLock, is_numbered};
use crate::input::InputDescription;
use crate::limits::Limits;
use crate::negotiate::CodingOffers;
use crate::openapi::{DocsPage, Documents, Info, License, Sources, types_in};
use crate::problem::{InputLocation, is_final};
use crate::problem_writer::{ProblemFormats, ProblemWriter};
use crate::security::SecurityScheme;

/// A builder that collects endpoints with their handlers and becomes a service.
///
/// ```
/// use manywire::{get, Api, Format};
/// use manywire::content::Text;
///
/// let hello = get("/hello/{name}").path::<String>().returns::<Text>();
/// let service = Api::new("Greetings")
///     .formats([Format::Json, Format::Cbor])
///     .serve(hello.to(|name| async move { format!("Hello, {name}") }))
///     .build()?;
/// # Ok::<(), manywire::InvalidApi>(())
/// ```
#[derive(Debug)]
#[must_use = "an API does nothing until it is built"]
pub struct Api {
    pub(super) info: Info,
    is_documented: bool,
    docs_page: DocsPage,
    lists_paths: bool,
    pub(super) formats: Vec<AnyFormat>,
    codings: Vec<Coding>,
    coded_bytes_min: usize,
    limits: Limits,
    trailing_slash: TrailingSlash,
    pub(super) untyped: Option<AnyFormat>,
    entity_tags: EntityTags,
    pub(super) routes: Vec<Route>,
    pub(super) schema_lock: SchemaLock,
    pub(super) metrics_endpoint: Option<(String, MetricsEndpoint)>,
}

/// The size, in bytes, below which a content coding saves nothing: the response fits into one
/// packet anyway.
const CODED_BYTES_MIN: usize = 1_024;

impl Api {
    /// Creates an API without endpoints that uses JSON.
    pub fn new(name: impl Into<String>) -> Self {
        Api {
            info: Info::new(name.into()),
            is_documented: false,
            docs_page: DocsPage::default(),
            lists_paths: false,
            formats: vec![Format::Json.into()],
            codings: [Coding::Zstd, Coding::Brotli, Coding::Gzip]
                .into_iter()
                .filter(|coding| codings::is_compiled_in(*coding))
                .collect(),
            coded_bytes_min: CODED_BYTES_MIN,
            limits: Limits::DEFAULT,
            trailing_slash: TrailingSlash::default(),
            untyped: None,
            entity_tags: EntityTags::default(),
            routes: Vec::new(),
            schema_lock: SchemaLock::default(),
            metrics_endpoint: None,
        }
    }

    /// Returns the API's name, as the documents give it.
    pub fn name(&self) -> &str {
        &self.info.name
    }

    /// Sets the API's version, as the documents give it. The default is `1`.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.info.version = version.into();
        self
    }

    /// Sets the description of the API in the documents, which may be Markdown (CommonMark).
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.info.description = Some(text.into());
        self
    }

    /// Sets the license of the API in the documents: an SPDX license expression, such as
    /// `Apache-2.0`.
    pub fn license(mut self, expression: impl Into<String>) -> Self {
        self.info.license = Some(License::Spdx(expression.into()));
        self
    }

    /// Sets the license of the API in the documents by a name and the URL of its text.
    pub fn license_at(mut self, name: impl Into<String>, url: impl Into<String>) -> Self {
        self.info.license = Some(License::Url { name: name.into(), url: url.into() });
        self
    }

    /// Adds a URL at which the API is served, with a description, to the documents. The default is
    /// `/`, the server that the document comes from.
    pub fn server(mut self, url: impl Into<String>, description: impl Into<String>) -> Self {
        self.info.servers.push((url.into(), description.into()));
        self
    }

    /// Describes a tag of endpoints in the documents. Viewers show tags in this order.
    pub fn tag(mut self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.info.tags.push((name.into(), description.into()));
        self
    }

    /// Serves the API's documents: `GET /openapi.json`, `GET /schema.proto` if a format identifies
    /// fields by number or position, and each Avro schema at `/schemas/{fingerprint}.avsc`.
    pub fn documented(mut self) -> Self {
        self.is_documented = true;
        self
    }

    /// Serves the API's documents, as [`Api::documented`] does, and at this path a page that shows
    /// them to people and sends requests: Swagger UI, which is compiled in (1.9 MB). The files of
    /// the page are served below `path`. The page loads nothing from other hosts, and its
    /// `Content-Security-Policy` permits requests only to its own host and to the URLs of
    /// [`Api::server`].
    ///
    /// ```
    /// use manywire::{get, Api};
    ///
    /// let one = get("/one").returns::<u8>();
    /// let api = Api::new("One").docs_page("/docs").serve(one.to(|| async { 1 }));
    /// # api.build()?;
    /// # Ok::<(), manywire::InvalidApi>(())
    /// ```
    #[cfg(feature = "docs-page")]
    pub fn docs_page(mut self, path: impl Into<String>) -> Self {
        self.docs_page = DocsPage::at(path.into());
        self.documented()
    }

    /// Lists the existing paths in 404 responses, for services whose paths are not secret.
    pub fn listing_paths(mut self) -> Self {
        self.lists_paths = true;
        self
    }

    /// Returns the documents that [`Api::documented`] serves, to be checked in or compared.
    ///
    /// # Errors
    /// Returns an error for a type that a format of its endpoint cannot represent.
    pub fn documents(&self) -> Result<Documents, InvalidApi> {
        let invalid = |faults| InvalidApi { name: self.info.name.clone(), faults };
        let numbers = self.numbers().map_err(invalid)?;
        self.documents_with(&numbers).map_err(|fault| invalid(vec![fault]))
    }

    fn documents_with(&self, numbers: &FieldNumbers) -> Result<Documents, String> {
        let sources = Sources::new(&self.routes, &self.formats, numbers)?;
        let sources = sources.with_entity_tags(self.entity_tags != EntityTags::None);
        Ok(sources.documents(&self.info))
    }

    /// Takes the numbers of fields and enum values from a published `.proto`, usually one that is
    /// checked in: `.schema_lock(include_str!("hotels.proto"))`. [`Documents::proto`] returns the
    /// first version of this file.
    ///
    /// A field or value with a published number keeps it, wherever it is now declared in its type.
    /// New fields and values get the following numbers, and the log advises to add them to the
    /// file. A change that renumbers, retypes, or reuses the number or name of something removed
    /// fails [`Api::build`] with advice. MessagePack by position and Avro identify fields by
    /// position, so the same file fixes their order: new fields go to the end.
    ///
    /// Parts of forms ([`Multipart`](crate::content::Multipart)) belong to no message and have no
    /// locked numbers. If a lock is set, parts cannot use Protobuf, MessagePack by position or
    /// Avro: a value in them is refused with 415. With [`Format::MsgPack`] in the list,
    /// `application/vnd.msgpack` is accepted.
    ///
    /// Both layouts of MessagePack have this media type, and without a lock either is read. With a
    /// lock, an array of fields is refused with 422 in parts, and in the bodies of endpoints that
    /// do not list [`Format::MsgPackArray`], because nothing fixes the positions of its fields. This
    /// concerns MessagePack only. JSON, CBOR and BSON have no layout by position, but readers of
    /// Rust structs accept arrays of fields in JSON and CBOR, and within documents of BSON.
    ///
    /// Serde buffers some values before it knows their type, and such a value is read from an array
    /// in MessagePack, too: the content of untagged and internally tagged enums, the fields of a
    /// `#[serde(flatten)]` struct, and the content of an adjacently tagged enum if it comes before
    /// the tag.
    ///
    /// ```
    /// # use manywire::{get, Api, Format, Shaped};
    /// # #[derive(serde::Serialize, serde::Deserialize, Shaped)]
    /// # struct Room { beds: u8, rate: String }
    /// const PUBLISHED: &str = r#"syntax = "proto3"; message Room { string rate = 1; }"#;
    ///
    /// let room = get("/room").returns::<Room>();
    /// let api = Api::new("Rooms")
    ///     .formats([Format::Protobuf])
    ///     .schema_lock(PUBLISHED)
    ///     .serve(room.to(|| async { Room { beds: 2, rate: "rack".to_owned() } }));
    /// assert!(api.documents()?.proto().is_some_and(|proto| proto.contains("string rate = 1;")));
    /// # Ok::<(), manywire::InvalidApi>(())
    /// ```
    #[cfg(feature = "schema-lock")]
    pub fn schema_lock(mut self, proto: impl Into<String>) -> Self {
        self.schema_lock = SchemaLock::of(proto.into());
        self
    }

    /// Returns the field numbers of all types.
    fn numbers(&self) -> Result<FieldNumbers, Vec<String>> {
        self.schema_lock.numbers(|formats| types_in(formats, &self.routes, &self.formats))
    }

    /// Sets the formats of all endpoints that do not list their formats. The first format is used
    /// for clients without a preference, and it wins ties.
    pub fn formats<Kind>(mut self, formats: impl IntoFormats<Kind>) -> Self {
        self.formats = formats.into_formats();
        self
    }

    /// Adds an endpoint with its handler.
    pub fn serve(mut self, route: Route) -> Self {
        self.routes.push(route);
        self
    }

    /// Sets the content codings of responses, in order of preference. The default is zstd, br and
    /// gzip, as far as they are compiled in.
    pub fn codings(mut self, codings: impl IntoIterator<Item = Coding>) -> Self {
        self.codings = codings.into_iter().collect();
        self
    }

    /// Sets the minimum size, in bytes, at which responses are encoded with a content coding. The
    /// default is 1,024.
    pub fn coded_from(mut self, bytes: usize) -> Self {
        self.coded_bytes_min = bytes;
        self
    }

    /// Sets the limits on what clients send.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits.with_finite_times();
        self
    }

    /// Sets the policy for trailing slashes of paths.
    pub fn trailing_slash(mut self, policy: TrailingSlash) -> Self {
        self.trailing_slash = policy;
        self
    }

    /// Sets the kind of entity tags in responses to GET and HEAD. With a tag, a client that has the
    /// current representation receives 304.
    pub fn entity_tags(mut self, tags: EntityTags) -> Self {
        self.entity_tags = tags;
        self
    }

    /// Serves metrics for Prometheus at this path, in its text format 0.0.4 or in OpenMetrics 1.0,
    /// by `Accept`.
    ///
    /// The metrics are: requests by method, route, status, format and coding, and their durations;
    /// bytes of bodies in both directions; active requests; connections; and requests refused with
    /// 406 and 415, by the header field that caused it. A route is the pattern of an endpoint's
    /// path, or empty if no endpoint matches, so that the number of series does not depend on what
    /// clients send. Counting takes no lock.
    ///
    /// ```
    /// use manywire::{get, Api};
    ///
    /// let one = get("/one").returns::<u8>();
    /// let api = Api::new("One").metrics("/metrics").serve(one.to(|| async { 1 }));
    /// # api.build()?;
    /// # Ok::<(), manywire::InvalidApi>(())
    /// ```
    ///
    /// Every client that reaches the service can request this path. Restrict it in a proxy or layer
    /// in front of the service if it is not public.
    #[cfg(feature = "metrics")]
    pub fn metrics(mut self, path: impl Into<String>) -> Self {
        self.metrics_endpoint = Some((path.into(), MetricsEndpoint::default()));
        self
    }

    /// Reads bodies without `Content-Type` as this format instead of refusing them.
    pub fn untyped_bodies_are(mut self, format: impl Into<AnyFormat>) -> Self {
        self.untyped = Some(format.into());
        self
    }
}

impl Api {
    /// Builds the routing table and compiles every type for every format.
    ///
    /// # Errors
    /// Returns all faults of the endpoints, each with its method and path.
    pub fn build(mut self) -> Result<Service, InvalidApi> {
        let mut faults = Vec::new();
        for coding in self.codings.iter().filter(|coding| !codings::is_compiled_in(**coding)) {
            faults.push(format!("{coding} is not compiled in: enable its feature of manywire"));
        }
        let numbers = self.numbers().unwrap_or_else(|broken| {
            faults.extend(broken);
            FieldNumbers::default()
        });
        if numbers.messages().is_none()
            && faults.is_empty()
            && !types_in(is_numbered, &self.routes, &self.formats).is_empty()
        {
            tracing::warn!(
                api = self.info.name,
                "field numbers and positions may change when types change: check in \
                 the .proto of the API and pass it to schema_lock"
            );
        }
        for formats in self.routes.iter().filter_map(|route| route.head.formats.as_deref()) {
            faults.extend(check_media_types(formats));
        }
        faults.extend(check_media_types(&self.formats));
        faults.dedup();
        faults.extend(repeated_names(&self.routes));
        let of_endpoints: Vec<AnyFormat> = self
            .routes
            .iter()
            .filter_map(|route| route.head.formats.as_deref())
            .flatten()
            .copied()
            .collect();
        let problem_formats = ProblemFormats::new(&self.formats, &of_endpoints);
        let problems = match ProblemWriter::new(problem_formats.clone(), &numbers) {
            Ok(problems) => Some(problems),
            Err(error) => {
                faults.push(error.to_string());
                None
            }
        };
        if self.is_documented {
            match self.documents_with(&numbers) {
                Ok(documents) => self.routes.extend(documents.routes()),
                Err(fault) => faults.push(fault),
            }
        }
        self.routes.extend(self.docs_page.routes(&self.info));
        if let Some((path, metrics_endpoint)) = &self.metrics_endpoint {
            self.routes.push(metrics_endpoint.route(path));
        }
        let context =
            ApiContext { numbers: &numbers, problems: &problem_formats, untyped: self.untyped };
        let mut router = Router::default();
        let mut served = Vec::with_capacity(self.routes.len());
        for route in self.routes {
            let place = format!("{} {}", route.head.method, route.head.pattern);
            let added = compile(&route, &self.formats, &context).and_then(|operation| {
                router
                    .add(&route.head.method, &route.head.pattern, served.len())
                    .map(|()| operation)
            });
            match added {
                Ok(operation) => {
                    let (handler, authenticator) = (route.handler, route.authenticator);
                    served.push(ServedOperation { operation, handler, authenticator });
                }
                Err(fault) => faults.push(format!("{place}: {fault}")),
            }
        }
        let (Some(problems), true) = (problems, faults.is_empty()) else {
            return Err(InvalidApi { name: self.info.name, faults });
        };
        let coding_offers = CodingOffers::new(self.codings.iter().map(|coding| coding.name()));
        let paths = if self.lists_paths { router.paths() } else { Vec::new() };
        let answers = served.iter().flat_map(|served| served.operation.responder.answers.names());
        let named = answers.chain(problems.names());
        let metrics = self.metrics_endpoint.map(|(_, endpoint)| endpoint.start(&served, named));
        let core = Core {
            router,
            served,
            paths,
            problems,
            codings: self.codings,
            coding_offers,
            coded_bytes_min: self.coded_bytes_min,
            limits: self.limits,
            trailing_slash: self.trailing_slash,
            entity_tags: self.entity_tags,
            metrics,
        };
        Ok(Service { core: Arc::new(core) })
    }
}

/// Returns a message for each operation whose name an earlier operation has.
fn repeated_names(routes: &[Route]) -> Vec<String> {
    let mut seen = HashSet::new();
    let names =
        routes.iter().filter_map(|route| Some((route, route.head.documentation.name.as_ref()?)));
    let repeated = names.filter(|(_, name)| !seen.insert(*name));
    let fault = |(route, name): (&Route, &String)| {
        let (method, pattern) = (&route.head.method, &route.head.pattern);
        format!("{method} {pattern}: another endpoint is named {name:?}, too")
    };
    repeated.map(fault).collect()
}

/// Compiles one endpoint.
fn compile(
    route: &Route,
    formats: &[AnyFormat],
    served: &ApiContext<'_>,
) -> Result<Operation, String> {
    let pieces = parse_pattern(&route.head.pattern)?;
    let named = pieces.iter().filter(|piece| matches!(piece, PatternPart::Capture(_))).count();
    let is_path = |input: &&InputDescription| {
        matches!(input, InputDescription::Parameter { place: InputLocation::Path, .. })
    };
    let taken = route.inputs.iter().filter(is_path).count();
    if named != taken {
        return Err(format!(
            "the path names {named} segments and the endpoint takes {taken}: \
             add `.path::<T>()` for each"
        ));
    }
    let bodies = route.inputs.iter().filter_map(InputDescription::body).count();
    if bodies > 1 {
        return Err(format!("a request has one body, and the endpoint takes {bodies}"));
    }
    route.head.documentation.check(&route.inputs, &route.returns)?;
    for input in &route.inputs {
        match input {
            InputDescription::Credentials(requirement) => {
                requirement.schemes().iter().try_for_each(SecurityScheme::check)?;
            }
            InputDescription::Parameter { place, name, ty } => {
                ty.is_constrained().map_err(|error| match &**name {
                    "" => format!("{place}: {error}"),
                    name => format!("{place} {name}: {error}"),
                })?;
            }
            InputDescription::Body(_) => {}
        }
    }
    let final_status =
        |status| StatusCode::from_u16(status).ok().filter(|status| is_final(*status));
    let status = match (route.head.status, &route.returns) {
        (Some(status), _) => final_status(status)
            .ok_or_else(|| format!("invalid response status {status}: expected 200 to 599"))?,
        (None, Media::Nothing) => StatusCode::NO_CONTENT,
        (None, _) => StatusCode::OK,
    };
    if is_without_content(status) && !matches!(route.returns, Media::Nothing) {
        let status = status.as_u16();
        return Err(format!(
            "a response with status {status} has no content: set another status, or return nothing"
        ));
    }
    let formats = route.head.formats.as_deref().unwrap_or(formats);
    if formats.is_empty() {
        return Err("no format is listed: name one by `.formats([Format::Json])`".to_owned());
    }
    Operation::new(route, status, formats, served).map_err(|error| error.to_string())
}

/// The error for an API that cannot be served. It lists every fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidApi {
    pub(super) name: String,
    pub(super) faults: Vec<String>,
}

impl InvalidApi {
    /// Returns the message of each fault.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }
}

impl fmt::Display for InvalidApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the API {:?} cannot be served", self.name)?;
        self.faults.iter().try_for_each(|fault| write!(f, "\n  {fault}"))
    }
}

impl std::error::Error for InvalidApi {}
