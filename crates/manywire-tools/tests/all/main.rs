//! The tests of the tools, in one test module for each module of the crate.

mod convert;
#[cfg(feature = "fetch")]
mod fetch;
mod page;
mod payload;
mod replay;
mod trial;
mod weigh;
