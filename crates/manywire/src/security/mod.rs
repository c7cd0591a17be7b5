//! Authentication: the schemes by which requests carry credentials.
//!
//! A [`Scheme`] reads the credentials of a request on a server, writes them on a client, and
//! describes itself for the OpenAPI document. [`bearer`], [`basic`], [`key_in_header`],
//! [`key_in_query`] and [`key_in_cookie`] are built in; other schemes are types that implement the
//! trait. [`Scheme::or`] accepts the credentials of either of two schemes, and [`Scheme::optional`]
//! also accepts requests without credentials.
//!
//! [`Endpoint::secured`](crate::Endpoint::secured) and [`Scope::secured`](crate::Scope::secured)
//! take a scheme with the check of its credentials, an async function. The check runs before the
//! body of the request is read:
//!
//! ```
//! use manywire::content::Text;
//! use manywire::security::{Secret, bearer};
//! use manywire::{Api, Failure, scope};
//!
//! #[derive(Clone)]
//! struct Users;
//!
//! impl Users {
//!     async fn find(&self, token: &Secret) -> Option<String> {
//!         token.matches("ada-7").then(|| "Ada".to_owned())
//!     }
//! }
//!
//! /// How authentication fails.
//! #[derive(Debug, Failure)]
//! enum AuthError {
//!     /// Unknown token
//!     #[failure(status = 401)]
//!     UnknownToken,
//! }
//!
//! let orders = scope("/orders").with(Users).secured(bearer(), |token, users| async move {
//!     users.find(&token).await.ok_or(AuthError::UnknownToken)
//! });
//! let first = orders.get("/first").returns::<Text>();
//! let route = first.to(|user, _users| async move { format!("the first order of {user}") });
//! # Api::new("Orders").serve(route).build().expect("a valid API");
//! ```
//!
//! A request without credentials, with malformed ones, or with ones that the check refuses by a
//! failure of status 401, is answered with 401 and `WWW-Authenticate`. A check that knows the user
//! and does not permit the request fails with 403. Neither problems nor spans contain credentials;
//! [`Secret`] is not shown by `Debug`.
//!
//! A client sends the credentials that `Client::credentials` gave it for the scheme of an endpoint.

mod combined;
mod description;
mod schemes;
mod secret;

use std::fmt;

use http::header::{COOKIE, HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;

pub use combined::{Either, Optional, Or};
pub use description::{SchemeKind, SecurityRequirement, SecurityScheme};
pub use schemes::{
    ApiKey, Basic, Bearer, UserAndPassword, basic, bearer, key_in_cookie, key_in_header,
    key_in_query,
};
pub use secret::Secret;

use crate::cookies;
use crate::percent::encode_pair;
use crate::problem::{Fault, InputLocation};

/// A way in which requests carry credentials.
///
/// ```
/// use http::request::Parts;
/// use manywire::Fault;
/// use manywire::security::{
///     CredentialsWriter, InvalidCredentials, Scheme, Secret, SecurityScheme,
/// };
///
/// /// The token of a session, with the number of its user.
/// #[derive(Clone, Debug)]
/// struct Session;
///
/// impl Scheme for Session {
///     type Credentials = (u32, Secret);
///
///     fn schemes(&self) -> Vec<SecurityScheme> {
///         vec![SecurityScheme::http("Session")]
///     }
///
///     fn read(&self, head: &Parts) -> Result<(u32, Secret), InvalidCredentials> {
///         let field = head.headers.get("authorization").and_then(|it| it.to_str().ok());
///         let session = field.and_then(|field| field.strip_prefix("Session "));
///         let session = session.ok_or(InvalidCredentials::Missing)?;
///         let malformed = InvalidCredentials::Malformed("expected USER:TOKEN");
///         let (user, token) = session.split_once(':').ok_or(malformed)?;
///         Ok((user.parse().map_err(|_| malformed)?, Secret::new(token)))
///     }
///
///     fn write(
///         &self,
///         (user, token): &(u32, Secret),
///         request: &mut CredentialsWriter,
///     ) -> Result<(), Box<Fault>> {
///         request.add_header("authorization", &format!("Session {user}:{}", token.expose()))
///     }
/// }
/// ```
pub trait Scheme: Clone + fmt::Debug + Send + Sync + 'static {
    /// The credentials of a request.
    type Credentials: Send + 'static;

    /// Returns the description of the scheme, or several descriptions if a request may carry the
    /// credentials in one of several ways.
    fn schemes(&self) -> Vec<SecurityScheme>;

    /// Returns whether a request may come without credentials.
    fn is_optional(&self) -> bool {
        false
    }

    /// Reads the credentials of a request.
    ///
    /// # Errors
    /// Fails if the request has no credentials of this scheme, or malformed ones.
    fn read(&self, head: &Parts) -> Result<Self::Credentials, InvalidCredentials>;

    /// Writes the credentials into a request, on a client.
    ///
    /// # Errors
    /// Fails if the place of the credentials in the request cannot hold them. The error must not
    /// contain the credentials.
    fn write(
        &self,
        credentials: &Self::Credentials,
        request: &mut CredentialsWriter,
    ) -> Result<(), Box<Fault>>;

    /// Returns a scheme that accepts the credentials of this scheme or of another. If a request
    /// carries both, this scheme reads it. Malformed credentials of this scheme are refused, even
    /// beside valid ones of the other.
    fn or<Other: Scheme>(self, other: Other) -> Or<Self, Other> {
        Or::new(self, other)
    }

    /// Returns a scheme that also accepts requests without credentials.
    fn optional(self) -> Optional<Self> {
        Optional::new(self)
    }
}

/// The reason for which a request has no valid credentials of a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidCredentials {
    /// The request has no credentials of the scheme.
    Missing,
    /// The request has malformed credentials. The text says what was expected, for the client.
    Malformed(&'static str),
}

/// The places of a request that can hold credentials, while a client writes them.
#[derive(Clone, Default)]
pub struct CredentialsWriter {
    headers: HeaderMap,
    query: String,
}

impl CredentialsWriter {
    /// Adds a header field, which `Debug` does not show and HTTP/2 does not keep in a compression
    /// table.
    ///
    /// # Errors
    /// Fails for an invalid name or value of a header field.
    pub fn add_header(&mut self, name: &str, value: &str) -> Result<(), Box<Fault>> {
        let (name, mut value) = header_field(name, value)?;
        value.set_sensitive(true);
        self.headers.append(name, value);
        Ok(())
    }

    /// Adds a query parameter.
    pub fn add_parameter(&mut self, name: &str, value: &str) {
        encode_pair(name, value, &mut self.query);
    }

    /// Adds a cookie.
    ///
    /// # Errors
    /// Fails for an invalid name or value of a cookie.
    pub fn add_cookie(&mut self, name: &str, value: &str) -> Result<(), Box<Fault>> {
        cookies::append(&mut self.headers, name, value)
            .map_err(|why| Box::new(Fault::new(InputLocation::Cookie, name, why)))?;
        if let Some(line) = self.headers.get_mut(COOKIE) {
            line.set_sensitive(true);
        }
        Ok(())
    }

    /// Returns the header fields.
    #[cfg(feature = "client")]
    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Returns the query, without a question mark.
    #[cfg(feature = "client")]
    pub(crate) fn query(&self) -> &str {
        &self.query
    }
}

/// Returns the name and the value of a header field.
///
/// # Errors
/// Fails for an invalid name or value of a header field.
pub(crate) fn header_field(
    name: &str,
    value: &str,
) -> Result<(HeaderName, HeaderValue), Box<Fault>> {
    let fault = |detail: &str| Box::new(Fault::new(InputLocation::Header, name, detail));
    let key: HeaderName =
        name.parse().map_err(|_| fault("this is not a valid header field name"))?;
    let value = HeaderValue::from_bytes(value.as_bytes())
        .map_err(|_| fault("a field cannot hold control characters"))?;
    Ok((key, value))
}

impl fmt::Debug for CredentialsWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CredentialsWriter(..)")
    }
}
