//! User-defined formats.
//!
//! Built-in formats are matched where the type is known, so that each pair of type and format is
//! compiled separately. A user-defined format is called through a table of functions, and the value
//! through another. That costs about twice the calls, and nothing if no such format is listed.

mod any_format;
#[cfg(not(feature = "own-format"))]
mod disabled;
#[cfg(feature = "own-format")]
mod erased;
#[cfg(feature = "own-format")]
mod format;
#[cfg(feature = "own-format")]
mod guard;

pub use any_format::{AnyFormat, FormatIndex, IntoFormats};
pub(crate) use any_format::{OwnFormats, built_in, check_names, find, is};
#[cfg(not(feature = "own-format"))]
use disabled::ErasedFormat;
#[cfg(not(feature = "own-format"))]
pub(crate) use disabled::OwnFraming;
#[cfg(feature = "own-format")]
use erased::ErasedFormat;
#[cfg(feature = "own-format")]
pub(in crate::content) use format::BoundarySplitter;
#[cfg(feature = "own-format")]
pub(crate) use format::OwnFraming;
#[cfg(feature = "own-format")]
pub use format::{Boundaries, FormatError, OwnFormat, Sequence};

#[cfg(feature = "own-format")]
pub use manywire_codec::{Category, Limits};
