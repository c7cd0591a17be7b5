//! [`Reply`], a value with a status and header fields, and what handlers may return.

use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::set_cookie::SetCookie;

/// A value with a status or header fields of its own.
#[derive(Clone, Debug)]
pub struct Reply<T> {
    pub(crate) value: T,
    pub(crate) status: Option<StatusCode>,
    /// Boxed, since few replies have any, and every one is moved.
    pub(crate) headers: Option<Box<HeaderMap>>,
}

impl<T> Reply<T> {
    /// A value with nothing beside it.
    #[inline]
    pub fn new(value: T) -> Self {
        Reply { value, status: None, headers: None }
    }

    /// The same with another status than the endpoint's.
    #[must_use]
    pub fn with_status(mut self, status: StatusCode) -> Self {
        self.status = Some(status);
        self
    }

    /// The same with one more header field. What describes the content (`Content-Type`, `Vary`
    /// and the like) is the server's to say and overrides this; a `Content-Type` counts for
    /// [`Raw`](crate::content::Raw).
    #[must_use]
    pub fn with_header(mut self, name: header::HeaderName, value: HeaderValue) -> Self {
        self.headers.get_or_insert_default().append(name, value);
        self
    }

    /// The same with a cookie for the client to keep; each has a field of its own.
    #[must_use]
    pub fn with_cookie(self, cookie: &SetCookie) -> Self {
        match cookie.field() {
            Some(field) => self.with_header(header::SET_COOKIE, field),
            None => self,
        }
    }

    /// The same with these header fields, beside those it has; as [`Reply::with_header`].
    #[must_use]
    pub fn with_headers(mut self, headers: HeaderMap) -> Self {
        match &mut self.headers {
            Some(fields) => fields.extend(headers),
            None if headers.is_empty() => {}
            none => *none = Some(Box::new(headers)),
        }
        self
    }

    /// The same with `Location`: where the thing that was made is. Characters that a URI cannot
    /// have are percent-encoded.
    #[must_use]
    pub fn with_location(mut self, uri: &str) -> Self {
        let plain = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
        let mut text = String::with_capacity(uri.len());
        for byte in uri.bytes() {
            match byte {
                byte if plain(byte) => text.push(char::from(byte)),
                byte => text.push_str(&format!("%{byte:02X}")),
            }
        }
        if let Ok(value) = HeaderValue::try_from(text) {
            self.headers.get_or_insert_default().insert(header::LOCATION, value);
        }
        self
    }
}

/// What a handler may return for an endpoint that returns a `T` and fails with an `E`: the value, a
/// [`Reply`] around it, or a `Result` of either.
#[diagnostic::on_unimplemented(
    message = "a handler of this endpoint must return `{T}`, not `{Self}`",
    label = "returns `{Self}`",
    note = "it may also return `Reply<{T}>`, `Result<{T}, {E}>` or `Result<Reply<{T}>, {E}>`"
)]
pub trait IntoReply<T, E> {
    /// The one form of them all.
    ///
    /// # Errors
    /// Where the handler failed.
    fn into_reply(self) -> Result<Reply<T>, E>;
}

impl<T, E> IntoReply<T, E> for T {
    #[inline]
    fn into_reply(self) -> Result<Reply<T>, E> {
        Ok(Reply::new(self))
    }
}

impl<T, E> IntoReply<T, E> for Reply<T> {
    fn into_reply(self) -> Result<Reply<T>, E> {
        Ok(self)
    }
}

impl<T, E> IntoReply<T, E> for Result<T, E> {
    #[inline]
    fn into_reply(self) -> Result<Reply<T>, E> {
        self.map(Reply::new)
    }
}

impl<T, E> IntoReply<T, E> for Result<Reply<T>, E> {
    fn into_reply(self) -> Result<Reply<T>, E> {
        self
    }
}
