//! The documents of an API: the OpenAPI document is valid by its official schema and describes
//! exactly what is served, and the `.proto` and the Avro schemas decode what the endpoints write.

mod document;
#[cfg(feature = "docs-page")]
mod page;
mod schemas;
mod service;
mod texts;
