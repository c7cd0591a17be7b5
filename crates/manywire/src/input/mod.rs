//! What an endpoint takes: path, query, header fields, cookies, body, each with its type.
//!
//! An input is a value that says where it stands and of which type it is; an endpoint has a flat
//! tuple of them. [`Read`] is a server's side, `Write` a client's.

mod parameters;
mod percent;
mod reading;
mod text;
mod tuple;
#[cfg(feature = "client")]
mod writing;

use crate::content::{Media, Type};
use crate::problem::InputLocation;

#[cfg(feature = "client")]
pub(crate) use parameters::read_field;
pub use parameters::{Body, CheckedInput, Cookie, Header, Invalid, Parameter, Path, Query};
pub(crate) use parameters::{is_attribute_value, is_cookie_name, is_cookie_value};
pub(crate) use percent::{
    InvalidPercentEncoding, decode as percent_decode, encode as percent_encode, is_normal,
    normalize,
};
pub use reading::InputReader;
pub(crate) use reading::{CAPTURES_MAX, Captures};
#[cfg(all(feature = "multipart", feature = "client"))]
pub(crate) use text::{Fields, fields, texts};
pub(crate) use text::{Pairs, TextError, faults_of_pairs, pairs};
#[cfg(feature = "multipart")]
pub(crate) use text::{Texts, fault_of as fault_of_text};
pub use tuple::{Append, Inputs, MapLast, ReadInputs};
#[cfg(feature = "client")]
pub use writing::{InputWriter, Write, WriteInputs};

/// One input of an endpoint.
pub trait Input: Send + Sync + 'static {
    /// What the handler is given.
    type Value: Send + 'static;

    /// What this input is, for the index and for the document.
    fn describe(&self, description: &mut Vec<InputDescription>);
}

/// An input that a server can read.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read out of a request",
    label = "not an input that can be read",
    note = "a body must be `Decode`: derive Deserialize and Shaped for its type"
)]
pub trait Read: Input {
    /// Reads it. Where that fails, what is wrong is noted with `reading`, and nothing returned, so
    /// that all that is wrong with a request is said at once.
    fn read(&self, reading: &mut InputReader<'_>) -> Option<Self::Value>;
}

/// What an input is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum InputDescription {
    /// A parameter: a segment of the path, a query parameter, a header field, a cookie.
    Parameter {
        /// Where it stands.
        place: InputLocation,
        /// Its name; empty for the query as a whole, whose shape has the names.
        name: String,
        /// What it holds.
        ty: Type,
    },
    /// The body.
    Body(Media),
}
