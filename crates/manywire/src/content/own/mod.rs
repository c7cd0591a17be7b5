//! User-defined formats.
//!
//! Built-in formats are matched where the type is known, so that each pair of type and format is
//! compiled separately. A user-defined format is called through a table of functions, and the value
//! through another, which about doubles the number of calls. Without user-defined formats this
//! costs nothing.

mod any_format;
#[cfg_attr(not(feature = "own-format"), path = "disabled.rs")]
mod enabled;

pub(in crate::content) use any_format::offer;
pub use any_format::{AnyFormat, FormatIndex, IntoFormats};
pub(crate) use any_format::{OwnFormats, built_in, find, is};
#[cfg(feature = "own-format")]
pub(in crate::content) use enabled::Delimiter;
pub(in crate::content) use enabled::ErasedFormat;
#[cfg(feature = "own-format")]
pub use enabled::{Boundaries, Category, FormatError, Limits, OwnFormat, Sequence};
