//! The parts that all codecs share.

pub(crate) mod buffer;
pub(crate) mod error;
pub(crate) mod extension;
pub(crate) mod float;
pub(crate) mod forward;
pub(crate) mod limits;
pub(crate) mod partial;
pub(crate) mod reader;
pub(crate) mod sequence;
pub(crate) mod variant;
