//! Calling endpoints, by the same values that serve them.

mod connect;
mod error;
mod exchange;
mod formats;
mod request;
mod response;
#[cfg(feature = "client-tls")]
mod tls;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use connect::{Pool, TransportConfig};
pub use error::{CallError, InvalidBase};
use formats::ClientFormats;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::uri::{Authority, Scheme, Uri};
use manywire_format::Format;
use request::Request;
pub use response::Fetched;
#[cfg(feature = "client-tls")]
pub use tls::ClientTls;

use crate::content::own::{AnyFormat, IntoFormats};
use crate::content::{Media, Receive};
use crate::endpoint::Endpoint;
use crate::input::WriteInputs;
use crate::problem::Failure;
use crate::server::Limits;

/// Calls the endpoints of one origin.
///
/// It sends bodies in the format it prefers; if the server answers 415, in the first of its own
/// that the server's `Accept` names, and remembers that for the next call. It asks for answers by
/// `Accept` with quality values, reads whatever comes by its `Content-Type`, and gives problems
/// (RFC 9457) back as the endpoint's own failure, where they are one. Connections are kept and
/// used again; a clone shares them and what was learned.
///
/// An endpoint of [`Items`](crate::content::Items) is called with a stream, and gives one: values
/// are sent as they are made and read as they come, both at once. An answer that breaks off ends
/// with an error, never as if it were complete. A stream that was sent is not sent again, neither
/// after 415 nor when the connection broke, unless it can be made again
/// ([`Items::repeatable`](crate::content::Items::repeatable)); the call then fails as
/// [`CallError::SentOnce`].
///
/// ```no_run
/// use manywire::{get, Client, Format, Shaped};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Debug, Serialize, Deserialize, Shaped)]
/// struct Hotel {
///     id: u64,
///     name: String,
/// }
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let find = get("/hotels/{id}").path::<u64>().returns::<Hotel>();
/// let client = Client::new("http://localhost:8080")?.formats([Format::MsgPack, Format::Json]);
/// let hotel = client.call(&find, 42).await?;
/// # drop(hotel);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    scheme: Scheme,
    authority: Authority,
    prefix: String,
    formats: Arc<ClientFormats>,
    fields: HeaderMap,
    limits: Limits,
    timeout: Duration,
    retries: u32,
    transport: TransportConfig,
    http: Pool,
}

/// How long a call may take, with all that is tried again.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How often a call is made again that may be.
const RETRIES: u32 = 2;

impl Client {
    /// A client of the API at `base`, such as `http://localhost:8080` or `https://host/v1`, that
    /// speaks JSON. `https` needs the feature `client-tls`; it trusts whom the system trusts, until
    /// it is told otherwise by `Client::tls`.
    ///
    /// # Errors
    /// What is no such URI.
    pub fn new(base: &str) -> Result<Client, InvalidBase> {
        let invalid = |why: &str| InvalidBase { base: base.to_owned(), why: why.to_owned() };
        let uri: Uri = base.parse().map_err(|error| invalid(&format!("{error}")))?;
        let transport = match uri.scheme_str() {
            Some("http") => TransportConfig::default(),
            #[cfg(feature = "client-tls")]
            Some("https") => {
                TransportConfig { tls: Some(ClientTls::new()), ..TransportConfig::default() }
            }
            #[cfg(not(feature = "client-tls"))]
            Some("https") => {
                return Err(invalid("https needs the feature client-tls of manywire"));
            }
            Some(_) => return Err(invalid("expected the scheme http or https")),
            None => return Err(invalid("expected http:// and a host")),
        };
        let authority = uri.authority().ok_or_else(|| invalid("expected a host"))?.clone();
        if uri.query().is_some() {
            return Err(invalid("expected no query"));
        }
        Ok(Client {
            scheme: uri.scheme().cloned().unwrap_or(Scheme::HTTP),
            authority,
            prefix: uri.path().trim_end_matches('/').to_owned(),
            formats: Arc::new(ClientFormats::new(vec![Format::Json.into()])),
            fields: HeaderMap::new(),
            limits: Limits::DEFAULT,
            timeout: TIMEOUT,
            retries: RETRIES,
            http: transport.pool(),
            transport,
        })
    }

    /// The formats it speaks, the preferred first. An endpoint that lists formats of its own is
    /// called in those of them that are here, or else in its own.
    #[must_use]
    pub fn formats<Kind>(mut self, formats: impl IntoFormats<Kind>) -> Self {
        self.formats = Arc::new(self.formats.with_list(formats.into_formats()));
        self
    }

    /// Takes the numbers of fields from the `.proto` that the server keeps them by, as
    /// [`Api::schema_lock`](crate::Api::schema_lock) does. A type that breaks it fails its calls.
    #[cfg(feature = "schema-lock")]
    #[must_use]
    pub fn schema_lock(mut self, proto: impl AsRef<str>) -> Self {
        self.formats = Arc::new(self.formats.with_schema_lock(proto.as_ref()));
        self
    }

    /// A field that every request has, such as `authorization`.
    #[must_use]
    pub fn field(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.fields.insert(name, value);
        self
    }

    /// What is taken from the server: the sizes of bodies, over the wire and decoded, and the
    /// depth of values. Beyond them a call fails.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How long a call may take in all: 30 seconds. Of an answer that is a stream, until it begins;
    /// from there on it may pause as long as [`Limits::body_idle_timeout`].
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How often a call is made again after its first failure: twice. That is done where no
    /// connection was made, and else only for methods that may be repeated (RFC 9110, section
    /// 9.2.2), where the connection broke before the answer, or the server says 503 or 429 with
    /// `Retry-After`.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Speaks HTTP/2 from the first byte, for servers that are known to. Over `https` the two ends
    /// agree on it anyway, where the server can.
    #[must_use]
    pub fn http2(mut self) -> Self {
        self.transport.http2 = true;
        self.http = self.transport.pool();
        self
    }

    /// Trusts others than the system does, or shows a certificate. A base of `http` stays in the
    /// clear.
    #[cfg(feature = "client-tls")]
    #[must_use]
    pub fn tls(mut self, tls: ClientTls) -> Self {
        if self.transport.tls.is_some() {
            self.transport.tls = Some(tls);
            self.http = self.transport.pool();
        }
        self
    }

    /// Calls an endpoint: with nothing, with its only input, or with a tuple of its inputs.
    ///
    /// # Errors
    /// The endpoint's own failures, and all that can go wrong on the way: [`CallError`].
    pub async fn call<In, Out, Fail>(
        &self,
        endpoint: &Endpoint<In, Out, Fail>,
        arguments: In::Arguments,
    ) -> Result<Out::Value, CallError<Fail>>
    where
        In: WriteInputs,
        Out: Receive,
        Fail: Failure,
    {
        Ok(self.fetch(endpoint, arguments).await?.value)
    }

    /// The same, and what stands beside the value in the answer: status and header fields.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub async fn fetch<In, Out, Fail>(
        &self,
        endpoint: &Endpoint<In, Out, Fail>,
        arguments: In::Arguments,
    ) -> Result<Fetched<Out::Value>, CallError<Fail>>
    where
        In: WriteInputs,
        Out: Receive,
        Fail: Failure,
    {
        let request = Request::new::<In, Out, Fail>(self, endpoint, arguments)?;
        let is_stream = matches!(Out::media(), Media::Items(_) | Media::RawStream);
        let formats = request.head.formats.clone();
        let answer = self.exchange(request, is_stream).await.map_err(CallError::from_transport)?;
        self.read::<Out, Fail>(answer, &formats)
    }

    /// The format that the server is known to take, where it refused the preferred one.
    pub fn learned(&self) -> Option<AnyFormat> {
        self.formats.learned()
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Client({}://{}{})", self.scheme, self.authority, self.prefix)
    }
}
