//! The inputs of an endpoint: path segments, query, header fields, cookies and the body, each with
//! its type.
//!
//! An input is a value that has a location in the request and a type. An endpoint has a flat tuple
//! of inputs. [`Read`] is the server's side, `Write` the client's.

mod constrained;
mod dynamic_body;
mod parameters;
mod reading;
mod secured;
mod tuple;
#[cfg(feature = "client")]
mod writing;

use std::sync::Arc;

use crate::content::{Media, Type};
use crate::problem::InputLocation;
use crate::security::SecurityRequirement;

pub use constrained::{Constrain, ConstrainLast};
pub use dynamic_body::DynamicBody;
pub use manywire_shape::{Choice, Constraints, Measure, Number};
pub use parameters::{Body, CheckedInput, Cookie, Header, Invalid, Parameter, Path, Query};
pub use reading::{Authenticated, InputReader};
pub(crate) use reading::{CAPTURES_MAX, Captures};
pub use secured::{Authenticate, Authentication, Secured, State};
pub use tuple::{Append, Inputs, MapLast, ReadInputs};
#[cfg(feature = "client")]
pub use writing::{InputWriter, Write, WriteInputs};

/// One input of an endpoint.
pub trait Input: Send + Sync + 'static {
    /// The value that the handler receives.
    type Value: Send + 'static;

    /// Adds the description of this input, for the router and for the OpenAPI document.
    fn describe(&self, description: &mut Vec<InputDescription>);
}

/// An input that a server can read.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read out of a request",
    label = "not an input that can be read",
    note = "a body must be `Decode`: derive Deserialize and Shaped for its type"
)]
pub trait Read: Input {
    /// Reads the input. On failure the faults are added to `reading` and `None` is returned, so
    /// that all faults of a request are reported at once.
    fn read(&self, reading: &mut InputReader<'_>) -> Option<Self::Value>;

    /// Returns the check of credentials that precedes the reading of all inputs, if this input has
    /// one.
    #[doc(hidden)]
    fn authenticator(&self) -> Option<Arc<dyn Authenticate>> {
        None
    }
}

/// The description of an input.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum InputDescription {
    /// A parameter: a segment of the path, a query parameter, a header field, a cookie.
    Parameter {
        /// The location of the parameter.
        place: InputLocation,
        /// The name; empty for the whole query, whose shape has the names.
        name: String,
        /// The type of the value.
        ty: Type,
    },
    /// The body.
    Body(Media),
    /// The credentials.
    Credentials(SecurityRequirement),
}

impl InputDescription {
    /// Returns the content of the body, if the input is the body.
    pub(crate) fn body(&self) -> Option<&Media> {
        match self {
            InputDescription::Body(media) => Some(media),
            InputDescription::Parameter { .. } | InputDescription::Credentials(_) => None,
        }
    }
}
