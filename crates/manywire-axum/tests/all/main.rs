//! The conformance table of `manywire`, run through axum: content in every format, by calls and
//! over sockets. The module `routing` has the rows for paths and methods that differ in axum, and
//! `features` compares the features of the adapter with the formats of the library.

mod features;
#[path = "../../../manywire/tests/all/conformance/formats.rs"]
mod formats;
mod handlers;
mod routing;
#[path = "../../../manywire/tests/all/conformance/rows.rs"]
mod rows;
mod service;
#[path = "../../../manywire/tests/all/conformance/table.rs"]
mod table;
#[path = "../../../manywire/tests/all/conformance/wire.rs"]
mod wire;
