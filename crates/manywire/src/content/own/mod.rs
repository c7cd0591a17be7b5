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

pub use any_format::{AnyFormat, At, IntoFormats};
pub(crate) use any_format::{Owned, built_in, find, is, misnamed};
#[cfg(not(feature = "own-format"))]
use disabled::Own;
#[cfg(not(feature = "own-format"))]
pub(crate) use disabled::Sequenced;
#[cfg(feature = "own-format")]
use erased::Own;
#[cfg(feature = "own-format")]
pub(crate) use format::Sequenced;
#[cfg(feature = "own-format")]
pub(in crate::content) use format::Told;
#[cfg(feature = "own-format")]
pub use format::{Boundaries, FormatError, OwnFormat, Sequence};

#[cfg(feature = "own-format")]
pub use manywire_codec::{Category, Limits};
