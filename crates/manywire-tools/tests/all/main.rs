//! The tests of the tools, a module for each of theirs.

mod convert;
#[cfg(feature = "fetch")]
mod fetch;
mod payload;
mod trial;
mod weigh;
