//! The built-in schemes: bearer tokens, user and password, keys.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use http::header::{AUTHORIZATION, HeaderMap};
use http::request::Parts;

use super::description::{BASIC, BEARER};
use super::{CredentialsWriter, InvalidCredentials, Scheme, Secret, SecurityScheme};
use crate::cookies;
use crate::percent::decode;
use crate::problem::{Fault, InputLocation};

/// Declares the methods that all built-in schemes share.
macro_rules! described {
    ($name:ident) => {
        impl $name {
            /// Sets the name in the OpenAPI document, which tells two schemes of the same kind
            /// apart.
            #[must_use]
            pub fn named(mut self, name: impl Into<String>) -> Self {
                self.scheme = self.scheme.named(name);
                self
            }

            /// Sets the description in the OpenAPI document.
            #[must_use]
            pub fn with_description(mut self, description: impl Into<String>) -> Self {
                self.scheme = self.scheme.with_description(description);
                self
            }

            /// Sets the realm, which the challenge names: the part of the server that the
            /// credentials are for.
            #[must_use]
            pub fn with_realm(mut self, realm: impl Into<String>) -> Self {
                self.scheme = self.scheme.with_realm(realm);
                self
            }
        }
    };
}

/// Bearer tokens (RFC 6750): `Authorization: Bearer TOKEN`. [`bearer`] creates it.
#[derive(Clone, Debug)]
pub struct Bearer {
    scheme: SecurityScheme,
}

/// Returns the scheme of bearer tokens (RFC 6750): `Authorization: Bearer TOKEN`.
pub fn bearer() -> Bearer {
    Bearer { scheme: SecurityScheme::http(BEARER) }
}

described!(Bearer);

impl Bearer {
    /// Sets the format of the tokens in the OpenAPI document, such as `JWT`.
    #[must_use]
    pub fn with_format(self, format: impl Into<String>) -> Self {
        Bearer { scheme: self.scheme.with_bearer_format(format) }
    }
}

/// Returns whether a text is a token of RFC 6750, section 2.1.
fn is_bearer_token(text: &str) -> bool {
    let characters = text.trim_end_matches('=');
    let is_one = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
    !characters.is_empty() && characters.bytes().all(is_one)
}

impl Scheme for Bearer {
    type Credentials = Secret;

    fn schemes(&self) -> Vec<SecurityScheme> {
        vec![self.scheme.clone()]
    }

    fn read(&self, head: &Parts) -> Result<Secret, InvalidCredentials> {
        let token = authorization(&head.headers, BEARER)?;
        match is_bearer_token(token) {
            true => Ok(Secret::new(token)),
            false => Err(InvalidCredentials::Malformed(
                "expected a token of letters, digits and -._~+/ after Bearer",
            )),
        }
    }

    fn write(&self, token: &Secret, request: &mut CredentialsWriter) -> Result<(), Box<Fault>> {
        if !is_bearer_token(token.expose()) {
            let detail = "a bearer token consists of letters, digits and -._~+/";
            return Err(Box::new(Fault::new(InputLocation::Header, "authorization", detail)));
        }
        request.add_header("authorization", &format!("{BEARER} {}", token.expose()))
    }
}

/// A user with a password (RFC 7617): `Authorization: Basic …`. [`basic`] creates it.
#[derive(Clone, Debug)]
pub struct Basic {
    scheme: SecurityScheme,
}

/// Returns the scheme of a user with a password (RFC 7617): `Authorization: Basic …`. Browsers show
/// the realm to their user.
pub fn basic(realm: impl Into<String>) -> Basic {
    Basic { scheme: SecurityScheme::http(BASIC).with_realm(realm) }
}

described!(Basic);

/// The credentials of [`Basic`].
#[derive(Clone, Debug)]
pub struct UserAndPassword {
    /// The name of the user, without a colon.
    pub user: String,
    /// The password.
    pub password: Secret,
}

impl UserAndPassword {
    /// Creates credentials.
    pub fn new(user: impl Into<String>, password: impl Into<String>) -> Self {
        UserAndPassword { user: user.into(), password: Secret::new(password) }
    }
}

/// Base64 with or without its padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

impl Scheme for Basic {
    type Credentials = UserAndPassword;

    fn schemes(&self) -> Vec<SecurityScheme> {
        vec![self.scheme.clone()]
    }

    fn read(&self, head: &Parts) -> Result<UserAndPassword, InvalidCredentials> {
        let malformed = InvalidCredentials::Malformed(
            "expected USER:PASSWORD in UTF-8, without control characters and in base64, after Basic",
        );
        let coded = authorization(&head.headers, BASIC)?;
        let bytes = LENIENT.decode(coded).map_err(|_| malformed)?;
        let text = String::from_utf8(bytes).map_err(|_| malformed)?;
        match text.split_once(':') {
            Some((user, password)) if !text.contains(char::is_control) => {
                Ok(UserAndPassword::new(user, password))
            }
            _ => Err(malformed),
        }
    }

    fn write(
        &self,
        credentials: &UserAndPassword,
        request: &mut CredentialsWriter,
    ) -> Result<(), Box<Fault>> {
        let UserAndPassword { user, password } = credentials;
        let text = format!("{user}:{}", password.expose());
        if user.contains(':') || text.contains(char::is_control) {
            let detail = "a user has no colon, and neither user nor password a control character";
            return Err(Box::new(Fault::new(InputLocation::Header, "authorization", detail)));
        }
        request.add_header("authorization", &format!("{BASIC} {}", STANDARD.encode(text)))
    }
}

/// Returns the credentials after the name of a scheme in `Authorization`.
///
/// # Errors
/// Fails if the request has no credentials of the scheme, or several fields.
fn authorization<'h>(headers: &'h HeaderMap, scheme: &str) -> Result<&'h str, InvalidCredentials> {
    let mut fields = headers.get_all(AUTHORIZATION).iter();
    let field = fields.next().ok_or(InvalidCredentials::Missing)?;
    if fields.next().is_some() {
        return Err(InvalidCredentials::Malformed("expected one Authorization field"));
    }
    let field = field.to_str().map_err(|_| {
        InvalidCredentials::Malformed("expected ASCII characters in the Authorization field")
    })?;
    let (found, credentials) = field.split_once(' ').unwrap_or((field, ""));
    match found.eq_ignore_ascii_case(scheme) {
        true => Ok(credentials.trim_ascii()),
        false => Err(InvalidCredentials::Missing),
    }
}

/// A key in a header field, a query parameter or a cookie. [`key_in_header`], [`key_in_query`] and
/// [`key_in_cookie`] create it.
#[derive(Clone, Debug)]
pub struct ApiKey {
    scheme: SecurityScheme,
    location: InputLocation,
    name: String,
}

described!(ApiKey);

/// Returns the scheme of a key in a header field, such as `X-Api-Key`.
pub fn key_in_header(name: impl Into<String>) -> ApiKey {
    ApiKey::new(InputLocation::Header, name.into())
}

/// Returns the scheme of a key in a query parameter. Proxies and browsers log and store it with the
/// URI, so a header field is the better place.
pub fn key_in_query(name: impl Into<String>) -> ApiKey {
    ApiKey::new(InputLocation::Query, name.into())
}

/// Returns the scheme of a key in a cookie. A browser sends the cookie with requests that other
/// sites cause, unless [`SetCookie::same_site`](crate::SetCookie::same_site) restricts it.
pub fn key_in_cookie(name: impl Into<String>) -> ApiKey {
    ApiKey::new(InputLocation::Cookie, name.into())
}

impl ApiKey {
    fn new(location: InputLocation, name: String) -> Self {
        ApiKey { scheme: SecurityScheme::api_key(location, &*name), location, name }
    }
}

impl Scheme for ApiKey {
    type Credentials = Secret;

    fn schemes(&self) -> Vec<SecurityScheme> {
        vec![self.scheme.clone()]
    }

    fn read(&self, head: &Parts) -> Result<Secret, InvalidCredentials> {
        let key = match self.location {
            InputLocation::Header => in_header(&head.headers, &self.name)?,
            InputLocation::Cookie => {
                let malformed = InvalidCredentials::Malformed("expected a key in UTF-8");
                cookies::find(&head.headers, &self.name).map_err(|_| malformed)?.map(Cow::Borrowed)
            }
            _ => in_query(head.uri.query().unwrap_or_default(), &self.name)?,
        };
        match key {
            Some(key) if !key.is_empty() => Ok(Secret::new(key)),
            _ => Err(InvalidCredentials::Missing),
        }
    }

    fn write(&self, key: &Secret, request: &mut CredentialsWriter) -> Result<(), Box<Fault>> {
        match self.location {
            InputLocation::Header => request.add_header(&self.name, key.expose()),
            InputLocation::Cookie => request.add_cookie(&self.name, key.expose()),
            _ => {
                request.add_parameter(&self.name, key.expose());
                Ok(())
            }
        }
    }
}

fn in_header<'h>(
    headers: &'h HeaderMap,
    name: &str,
) -> Result<Option<Cow<'h, str>>, InvalidCredentials> {
    let mut fields = headers.get_all(name).iter();
    let Some(field) = fields.next() else { return Ok(None) };
    if fields.next().is_some() {
        return Err(InvalidCredentials::Malformed("expected one field with a key"));
    }
    let text = std::str::from_utf8(field.as_bytes());
    text.map(|text| Some(text.into()))
        .map_err(|_| InvalidCredentials::Malformed("expected a key in UTF-8"))
}

fn in_query<'q>(query: &'q str, name: &str) -> Result<Option<Cow<'q, str>>, InvalidCredentials> {
    let malformed =
        InvalidCredentials::Malformed("expected UTF-8 in percent-encoding in the query");
    let mut found = None;
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (known, value) = pair.split_once('=').unwrap_or((pair, ""));
        if decode(known, true).is_ok_and(|known| known == name) {
            if found.is_some() {
                return Err(InvalidCredentials::Malformed("expected one parameter with a key"));
            }
            found = Some(decode(value, true).map_err(|_| malformed)?);
        }
    }
    Ok(found)
}
