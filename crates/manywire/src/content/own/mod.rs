//! Formats of one's own, beside those that are built in.
//!
//! Where a type is known, a built-in format is matched on, so that each pair of them is code of its
//! own. A format that is not known here is reached through a table of functions instead, and the
//! value through another: that costs about twice the calls, and nothing where no such format is
//! listed.

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
