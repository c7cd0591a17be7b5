//! What an API tells of itself: the document is valid by OpenAPI's own schema and says exactly what
//! is served; the `.proto` and the Avro schemas read what the endpoints write.

mod document;
mod schemas;
mod service;
