mod build;
mod invalid;

use manywire_format::{Coding, Format};

use super::limits::Limits;
#[cfg(feature = "metrics")]
use super::measured::Told;
use super::validators::EntityTags;
use crate::codings;
use crate::content::own::{AnyFormat, IntoFormats};
use crate::endpoint::Route;
use crate::numbers::Numbers;
use crate::openapi::{Documents, Sources};
pub use invalid::InvalidApi;

/// Endpoints with their handlers, on their way to becoming a service.
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
    pub(super) name: String,
    version: String,
    is_documented: bool,
    lists_paths: bool,
    pub(super) formats: Vec<AnyFormat>,
    codings: Vec<Coding>,
    coded_bytes_min: usize,
    limits: Limits,
    trailing_slash: TrailingSlash,
    pub(super) untyped: Option<AnyFormat>,
    entity_tags: EntityTags,
    pub(super) routes: Vec<Route>,
    #[cfg(feature = "schema-lock")]
    pub(super) schema_lock: Option<String>,
    #[cfg(feature = "metrics")]
    pub(super) told: Option<(String, Told)>,
}

/// What becomes of a path that only differs from an endpoint's by a slash at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrailingSlash {
    /// It is another path: 404.
    #[default]
    Distinct,
    /// It is the same path.
    Ignore,
    /// The client is sent to the endpoint's own path, by status 308.
    Redirect,
}

/// Below this size a coding saves nothing: the answer fits into one packet anyway.
const CODED_BYTES_MIN: usize = 1_024;

impl Api {
    /// An API without endpoints, that speaks JSON.
    pub fn new(name: impl Into<String>) -> Self {
        Api {
            name: name.into(),
            version: "1".to_owned(),
            is_documented: false,
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
            #[cfg(feature = "schema-lock")]
            schema_lock: None,
            #[cfg(feature = "metrics")]
            told: None,
        }
    }

    /// Its name, for the document.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its version, for the document: `1` if none is given.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Tells of itself: `GET /openapi.json`, `GET /schema.proto` where fields have numbers or places,
    /// and each Avro schema at `/schemas/` and its fingerprint.
    pub fn documented(mut self) -> Self {
        self.is_documented = true;
        self
    }

    /// Tells clients who ask for a path that is not there which paths are: for services whose
    /// paths are no secret.
    pub fn listing_paths(mut self) -> Self {
        self.lists_paths = true;
        self
    }

    /// What would be told by [`Api::documented`], to be checked in or compared.
    ///
    /// # Errors
    /// A type that a format of its endpoint cannot hold.
    pub fn documents(&self) -> Result<Documents, InvalidApi> {
        let invalid = |faults| InvalidApi { name: self.name.clone(), faults };
        let numbers = self.numbers().map_err(invalid)?;
        self.documents_with(&numbers).map_err(|fault| invalid(vec![fault]))
    }

    fn documents_with(&self, numbers: &Numbers) -> Result<Documents, String> {
        let sources = Sources::new(&self.routes, &self.formats, numbers)?;
        let sources = sources.with_entity_tags(self.entity_tags != EntityTags::None);
        Ok(sources.documents(&self.name, &self.version))
    }

    /// Takes the numbers of fields and enum values from a `.proto` that was published, usually one
    /// that is checked in: `.schema_lock(include_str!("hotels.proto"))`. The first is what
    /// [`Documents::proto`] gives.
    ///
    /// Whatever was given a number keeps it, wherever it now stands in its type; what is new gets
    /// the numbers behind, and is worth writing down: the log says so. A change that renumbers,
    /// retypes, or takes the number or name of something removed fails [`Api::build`] with what to
    /// do instead. MessagePack by position and Avro, whose readers go by the place of a field, are
    /// held to the order of the same file: fields are only added at the end.
    ///
    /// Parts of forms ([`Multipart`](crate::content::Multipart)) are types of no message, and have no
    /// numbers that were promised: where a lock is set they are taken in the other formats, and one
    /// in any of these three is 415.
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
        self.schema_lock = Some(proto.into());
        self
    }

    #[cfg(feature = "schema-lock")]
    fn numbers(&self) -> Result<Numbers, Vec<String>> {
        match &self.schema_lock {
            Some(text) => Numbers::locked(text, &self.routes, &self.formats),
            None => Ok(Numbers::default()),
        }
    }

    #[cfg(not(feature = "schema-lock"))]
    fn numbers(&self) -> Result<Numbers, Vec<String>> {
        Ok(Numbers::default())
    }

    /// The formats that its endpoints speak, where they do not say for themselves. The first is
    /// for clients that have no preference, and decides ties.
    pub fn formats<Kind>(mut self, formats: impl IntoFormats<Kind>) -> Self {
        self.formats = formats.into_formats();
        self
    }

    /// Adds an endpoint with its handler.
    pub fn serve(mut self, route: Route) -> Self {
        self.routes.push(route);
        self
    }

    /// The content codings of answers, the preferred first: zstd, br and gzip as far as they are
    /// compiled in.
    pub fn codings(mut self, codings: impl IntoIterator<Item = Coding>) -> Self {
        self.codings = codings.into_iter().collect();
        self
    }

    /// The size, in bytes, from which answers are coded: 1,024.
    pub fn coded_from(mut self, bytes: usize) -> Self {
        self.coded_bytes_min = bytes;
        self
    }

    /// What is taken from clients.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// What becomes of slashes at the end of paths.
    pub fn trailing_slash(mut self, policy: TrailingSlash) -> Self {
        self.trailing_slash = policy;
        self
    }

    /// Which tags answers to GET carry, so that a client that has one already is told so by 304.
    pub fn entity_tags(mut self, tags: EntityTags) -> Self {
        self.entity_tags = tags;
        self
    }

    /// Counts what it does, and tells Prometheus of it at this path: in its text format 0.0.4, or
    /// in OpenMetrics 1.0, by `Accept`.
    ///
    /// Requests by method, route, status, format and coding, and how long they took; bytes of
    /// bodies both ways; requests at work; connections; what was refused with 406 and 415, by the
    /// field that is to blame. A route is the pattern of an endpoint's path, and empty where there
    /// is none, so that the number of series does not depend on what clients send. Counting takes
    /// no lock.
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
    /// Whoever may ask for anything may ask for this: a path that is not for everybody is kept
    /// from them by what stands in front.
    #[cfg(feature = "metrics")]
    pub fn metrics(mut self, path: impl Into<String>) -> Self {
        self.told = Some((path.into(), Told::default()));
        self
    }

    /// Takes bodies without `Content-Type` for this format, instead of refusing them.
    pub fn untyped_bodies_are(mut self, format: impl Into<AnyFormat>) -> Self {
        self.untyped = Some(format.into());
        self
    }
}
