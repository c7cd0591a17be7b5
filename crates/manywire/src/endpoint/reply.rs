//! [`Reply`], a value with a status and header fields, and what handlers may return.

use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::set_cookie::SetCookie;
use crate::percent::uri_reference;

/// A value with its own status or header fields.
#[derive(Clone, Debug)]
pub struct Reply<T> {
    pub(crate) value: T,
    pub(crate) status: Option<StatusCode>,
    /// Boxed, since few replies have header fields, and every reply is moved.
    pub(crate) headers: Option<Box<HeaderMap>>,
}

impl<T> Reply<T> {
    /// Creates a reply without a status or header fields.
    #[inline]
    pub fn new(value: T) -> Self {
        Reply { value, status: None, headers: None }
    }

    /// Sets the status, instead of that of the endpoint. With 204, 205 and 304, the value is not sent:
    /// such a response has no content. With a status below 200 or above 599, the client is sent 500,
    /// and the log has the status.
    #[must_use]
    pub fn with_status(mut self, status: StatusCode) -> Self {
        self.status = Some(status);
        self
    }

    /// Adds a header field. The server overrides the fields that describe the content, such as
    /// `Content-Type`, `Content-Length` and `Vary`; only [`Raw`](crate::content::Raw) keeps a
    /// `Content-Type`. Bytes with a `Content-Encoding` are sent as they are, in this coding.
    #[must_use]
    pub fn with_header(mut self, name: header::HeaderName, value: HeaderValue) -> Self {
        self.headers.get_or_insert_default().append(name, value);
        self
    }

    /// Adds a cookie, in a separate header field.
    #[must_use]
    pub fn with_cookie(self, cookie: &SetCookie) -> Self {
        match cookie.field() {
            Some(field) => self.with_header(header::SET_COOKIE, field),
            None => self,
        }
    }

    /// Adds header fields, each as [`Reply::with_header`] does.
    #[must_use]
    pub fn with_headers(mut self, headers: HeaderMap) -> Self {
        match &mut self.headers {
            Some(fields) => {
                for (name, value) in &headers {
                    fields.append(name, value.clone());
                }
            }
            None if headers.is_empty() => {}
            none => *none = Some(Box::new(headers)),
        }
        self
    }

    /// Sets `Location`, the address of a created resource. Characters that are invalid in a URI are
    /// percent-encoded.
    #[must_use]
    pub fn with_location(mut self, uri: &str) -> Self {
        if let Ok(value) = HeaderValue::try_from(uri_reference(uri)) {
            self.headers.get_or_insert_default().insert(header::LOCATION, value);
        }
        self
    }

    /// Adds a `Link` to another resource (RFC 8288): with the relation `next`, to the next page of a
    /// list. Characters that are invalid in a URI are percent-encoded.
    ///
    /// `Client::follow` follows such a link with the types of an endpoint.
    ///
    /// ```
    /// use manywire::Reply;
    ///
    /// let page = Reply::new(vec![1, 2]).with_link("next", "/numbers?after=2");
    /// # drop(page);
    /// ```
    #[must_use]
    pub fn with_link(self, relation: &str, target: &str) -> Self {
        let (target, relation) = (uri_reference(target), uri_reference(relation));
        match HeaderValue::try_from(format!("<{target}>; rel=\"{relation}\"")) {
            Ok(value) => self.with_header(header::LINK, value),
            Err(_) => self,
        }
    }
}

/// The return types of a handler for an endpoint that returns a `T` and fails with an `E`: the
/// value, a [`Reply`] around it, or a `Result` of either.
#[diagnostic::on_unimplemented(
    message = "a handler of this endpoint must return `{T}`, not `{Self}`",
    label = "returns `{Self}`",
    note = "it may also return `Reply<{T}>`, `Result<{T}, {E}>` or `Result<Reply<{T}>, {E}>`"
)]
pub trait IntoReply<T, E> {
    /// Converts the return value to a result with a reply.
    ///
    /// # Errors
    /// Fails if the handler failed.
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
