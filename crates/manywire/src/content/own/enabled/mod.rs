//! User-defined formats in a build with the feature `own-format`.

mod erased;
mod format;
mod guard;

pub(in crate::content) use erased::ErasedFormat;
pub(in crate::content) use format::Delimiter;
pub use format::{Boundaries, FormatError, OwnFormat, Sequence};
pub use manywire_codec::{Category, Limits};
