//! The table that a service of our own is held against, through axum: what becomes of content, in
//! every format, by calls and through sockets. What is axum's to say of paths and methods is in
//! `routing`.

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
