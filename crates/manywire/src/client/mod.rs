//! The client, which calls endpoints by the same values that serve them.

mod connect;
mod credentials;
mod error;
mod exchange;
mod formats;
mod link;
mod request;
mod response;
#[cfg_attr(not(feature = "client-tls"), path = "tls_disabled.rs")]
mod tls;
mod transport;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use connect::TransportConfig;
use credentials::ClientCredentials;
pub use error::{CallError, InvalidBase};
use formats::ClientFormats;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::uri::{Authority, Scheme, Uri};
use http::{Request, Response};
use manywire_format::Format;
pub use response::Fetched;
#[cfg(feature = "client-tls")]
pub use tls::ClientTls;
use transport::{InProcess, Transport};

use crate::body::{Body, BoxError};
use crate::content::own::{AnyFormat, IntoFormats};
use crate::content::{Media, Receive};
use crate::endpoint::{Context, Endpoint};
#[cfg(feature = "schema-lock")]
use crate::field_numbers::SchemaLock;
use crate::input::{Inputs, WriteInputs};
use crate::limits::Limits;
use crate::problem::{Failure, Fault};
use crate::security;

/// A client of the endpoints of one origin.
///
/// The client sends bodies in its preferred format. If the server responds with 415, the client
/// uses the first of its other formats that the server's `Accept` names, or the next of them if
/// `Accept` names no known format, and remembers this format for later calls. The client sends
/// `Accept` with quality values, reads each response by its `Content-Type`, and converts a problem
/// (RFC 9457) to the endpoint's own failure where that is possible. Connections are pooled. A clone
/// shares the pool and the remembered format.
///
/// An endpoint of [`Items`](crate::content::Items) takes and returns a stream. Values are sent as
/// they are produced and read as they arrive, in both directions at once. A response that breaks
/// off ends with an error, never like a complete one. A stream is not sent again after 415 or a
/// broken connection, unless it can be created again
/// ([`Items::repeatable`](crate::content::Items::repeatable)); otherwise the call fails with
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
    credentials: ClientCredentials,
    limits: Limits,
    timeout: Duration,
    retries: u32,
    transport: Transport,
}

/// The timeout of a call, including retries.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum number of retries.
const RETRIES: u32 = 2;

impl Client {
    /// Creates a client of the API at `base`, such as `http://localhost:8080` or `https://host/v1`,
    /// that uses JSON. `https` needs the feature `client-tls`; the client then trusts the
    /// certificates that the system trusts, unless `Client::tls` sets others.
    ///
    /// # Errors
    /// Returns an error if `base` is not such a URI.
    pub fn new(base: &str) -> Result<Client, InvalidBase> {
        let invalid = |why: &str| InvalidBase { base: base.to_owned(), why: why.to_owned() };
        let uri: Uri = base.parse().map_err(|error| invalid(&format!("{error}")))?;
        let transport = match uri.scheme_str() {
            Some("http") => TransportConfig::default(),
            Some("https") => match tls::system() {
                Some(tls) => TransportConfig { tls: Some(tls), ..TransportConfig::default() },
                None => return Err(invalid("https needs the feature client-tls of manywire")),
            },
            Some(_) => return Err(invalid("expected the scheme http or https")),
            None => return Err(invalid("expected http:// and a host")),
        };
        let authority = uri.authority().ok_or_else(|| invalid("expected a host"))?.clone();
        if uri.query().is_some() {
            return Err(invalid("expected no query"));
        }
        let scheme = uri.scheme().cloned().unwrap_or(Scheme::HTTP);
        let prefix = uri.path().trim_end_matches('/').to_owned();
        Ok(Client::with_transport(Transport::new(transport), scheme, authority, prefix))
    }

    /// Creates a client of a service in the same process, for tests and for services that call each
    /// other without a network. Requests and responses are written and read as over a connection,
    /// in every format and with content codings, but there are no sockets. A router of axum is a
    /// service, too.
    ///
    /// ```
    /// use manywire::{Api, Client, get};
    /// use manywire::content::Text;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let hello = get("/hello/{name}").path::<String>().returns::<Text>();
    /// let route = hello.clone().to(|name| async move { format!("Hello, {name}") });
    /// let client = Client::of(Api::new("Greetings").serve(route).build()?);
    /// assert_eq!(client.call(&hello, "Ada".to_owned()).await?, "Hello, Ada");
    /// # Ok(())
    /// # }
    /// ```
    pub fn of<S, B>(service: S) -> Client
    where
        S: tower_service::Service<Request<Body>, Response = Response<B>> + Clone + Send + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send,
        B: http_body::Body + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let transport = Transport::InProcess(InProcess::new(service));
        let authority = Authority::from_static("localhost");
        Client::with_transport(transport, Scheme::HTTP, authority, String::new())
    }

    fn with_transport(
        transport: Transport,
        scheme: Scheme,
        authority: Authority,
        prefix: String,
    ) -> Client {
        Client {
            scheme,
            authority,
            prefix,
            formats: Arc::new(ClientFormats::new(vec![Format::Json.into()])),
            fields: HeaderMap::new(),
            credentials: ClientCredentials::default(),
            limits: Limits::DEFAULT,
            timeout: TIMEOUT,
            retries: RETRIES,
            transport,
        }
    }

    /// Sets the formats in order of preference. An endpoint that lists its own formats is called in
    /// the formats that both lists contain, or in its own formats if the lists have none in common.
    #[must_use]
    pub fn formats<Kind>(mut self, formats: impl IntoFormats<Kind>) -> Self {
        self.formats = Arc::new(self.formats.with_list(formats.into_formats()));
        self
    }

    /// Takes the field numbers from the server's `.proto`, as
    /// [`Api::schema_lock`](crate::Api::schema_lock) does. Calls with a type that breaks the lock
    /// fail. A response in MessagePack with records as arrays of their fields is an error, unless
    /// the client lists [`Format::MsgPackArray`]. Problems are read in either layout.
    #[cfg(feature = "schema-lock")]
    #[must_use]
    pub fn schema_lock(mut self, proto: impl AsRef<str>) -> Self {
        let schema_lock = SchemaLock::of(proto.as_ref().to_owned());
        self.formats = Arc::new(self.formats.with_schema_lock(schema_lock));
        self
    }

    /// Sets the credentials of a scheme, which are sent to every endpoint that requires the scheme,
    /// and to no other endpoint.
    ///
    /// ```
    /// use manywire::Client;
    /// use manywire::security::{Secret, bearer};
    ///
    /// let client = Client::new("http://localhost:8080")?
    ///     .credentials(&bearer(), Secret::new("ada-7"))?;
    /// # drop(client);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails if a request cannot hold the credentials, for example because of a line break, and for
    /// a scheme that [`or`](security::Scheme::or) combines from two.
    pub fn credentials<S: security::Scheme>(
        mut self,
        scheme: &S,
        credentials: S::Credentials,
    ) -> Result<Self, Box<Fault>> {
        self.credentials.set(scheme, &credentials)?;
        Ok(self)
    }

    /// Adds a header field to every request, in place of the value that an earlier call set for the
    /// same name.
    #[must_use]
    pub fn field(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.fields.insert(name, value);
        self
    }

    /// Sets the limits on responses: the sizes of bodies on the wire and decoded, and the depth of
    /// values. A call fails if its response exceeds a limit; a stream of values ends with a
    /// problem.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits.with_finite_times();
        self
    }

    /// Sets the timeout of a call. The default is 30 seconds. For a response that is a stream, it
    /// applies until the response begins; after that, the stream may pause for
    /// [`Limits::body_idle_timeout`].
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the number of retries. The default is 2. A call is retried if no connection was
    /// established. A call with an idempotent method (RFC 9110, section 9.2.2) is also retried if
    /// the connection broke before the response, or if the server sends 503 or 429 with a
    /// `Retry-After` in seconds that is shorter than the timeout. A call that fails with an error
    /// of TLS, such as an untrusted certificate, is not retried.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Uses only HTTP/2. A call to a server without HTTP/2 then fails. Over `http`, the client
    /// sends HTTP/2 without negotiation (prior knowledge, RFC 9113, section 3.3). Over `https`, the
    /// client offers only HTTP/2 by ALPN; without this setting, it also offers HTTP/1.1.
    #[must_use]
    pub fn http2(mut self) -> Self {
        self.transport.configure(|config| config.http2 = true);
        self
    }

    /// Sets the trusted certificates and the client's own certificate. A client with a base of
    /// `http` stays unencrypted.
    #[cfg(feature = "client-tls")]
    #[must_use]
    pub fn tls(mut self, tls: ClientTls) -> Self {
        self.transport.configure(|config| config.tls = config.tls.take().and(Some(tls)));
        self
    }

    /// Calls an endpoint. The arguments are the endpoint's only input, a tuple of its inputs, or
    /// `()` if it has none.
    ///
    /// # Errors
    /// Returns the endpoint's own failures, and every other failure of a call: [`CallError`].
    pub async fn call<In, Out, Fail, C>(
        &self,
        endpoint: &Endpoint<In, Out, Fail, C>,
        arguments: In::Arguments,
    ) -> Result<Out::Value, CallError<Fail>>
    where
        In: WriteInputs,
        Out: Receive,
        Fail: Failure,
        C: Context,
    {
        Ok(self.fetch(endpoint, arguments).await?.value)
    }

    /// Calls an endpoint, and returns the value with the status and header fields of the response.
    ///
    /// # Errors
    /// Returns the errors of [`Client::call`].
    pub async fn fetch<In, Out, Fail, C>(
        &self,
        endpoint: &Endpoint<In, Out, Fail, C>,
        arguments: In::Arguments,
    ) -> Result<Fetched<Out::Value>, CallError<Fail>>
    where
        In: WriteInputs,
        Out: Receive,
        Fail: Failure,
        C: Context,
    {
        let request =
            request::Request::new(self, endpoint, arguments).map_err(CallError::Arguments)?;
        self.answer::<Out, Fail>(request).await
    }

    /// Follows a link to the same kind of resource as an endpoint, such as the next page of a list
    /// ([`Fetched::link`]), and returns its value, status and header fields.
    ///
    /// The method, the credentials and the formats are those of the endpoint. Its inputs are not sent:
    /// the link has the path and the query. A link to another server is refused, since it would
    /// receive the credentials.
    ///
    /// ```
    /// use manywire::{Client, Shaped, get};
    /// # use serde::Deserialize;
    /// # #[derive(Debug, Deserialize, Shaped)]
    /// # struct Order { id: u64 }
    ///
    /// # async fn example(client: Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let list = get("/orders").parameter::<Option<u64>>("after").returns::<Vec<Order>>();
    /// let mut page = client.fetch(&list, None).await?;
    /// while let Some(next) = page.link("next").map(str::to_owned) {
    ///     page = client.follow(&list, &next).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Fails as [`Client::fetch`] does, and with [`CallError::Arguments`] for a link that is neither
    /// a path from the root nor a URI of this server.
    pub async fn follow<In, Out, Fail, C>(
        &self,
        endpoint: &Endpoint<In, Out, Fail, C>,
        link: &str,
    ) -> Result<Fetched<Out::Value>, CallError<Fail>>
    where
        In: Inputs,
        Out: Receive,
        Fail: Failure,
        C: Context,
    {
        let request =
            request::Request::of_link(self, endpoint, link).map_err(CallError::Arguments)?;
        self.answer::<Out, Fail>(request).await
    }

    async fn answer<Out, Fail>(
        &self,
        request: request::Request,
    ) -> Result<Fetched<Out::Value>, CallError<Fail>>
    where
        Out: Receive,
        Fail: Failure,
    {
        let is_stream = matches!(Out::media(), Media::Items(_) | Media::RawStream);
        let formats = request.head.formats.clone();
        let answer = self.exchange(request, is_stream).await.map_err(CallError::from_transport)?;
        self.read::<Out, Fail>(answer, &formats)
    }

    /// Returns the format that the server is known to accept, if it refused the preferred one.
    pub fn learned(&self) -> Option<AnyFormat> {
        self.formats.learned()
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Client({}://{}{})", self.scheme, self.authority, self.prefix)
    }
}
