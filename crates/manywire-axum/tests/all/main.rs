//! The conformance table of `manywire`, run through axum: content in every format, by calls and
//! over sockets. The module `routing` has the rows for paths and methods that differ in axum.

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
