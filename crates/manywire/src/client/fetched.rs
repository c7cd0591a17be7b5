use http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;

use crate::input::read_field;
use crate::problem::Fault;

/// What a call gave, with the head of its answer.
#[derive(Clone, Debug)]
pub struct Fetched<T> {
    pub(super) value: T,
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
}

impl<T> Fetched<T> {
    /// The value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The value alone.
    pub fn into_value(self) -> T {
        self.value
    }

    /// The status: one of success.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The header fields.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// A header field as a `U`: an `Option` if it may be left out, a `Vec` for the members of a
    /// list.
    ///
    /// # Errors
    /// A field that is not there, or not what is asked for.
    pub fn header<U: DeserializeOwned>(&self, name: &str) -> Result<U, Box<Fault>> {
        read_field(&self.headers, name)
    }
}
