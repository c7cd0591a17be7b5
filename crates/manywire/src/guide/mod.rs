//! Guides, one chapter for each task. Every example is compiled and run with the tests.
//!
//! - [`serve`]: endpoints, inputs, constraints, settings of an API, and a socket.
//! - [`failures`]: problems with additional members and header fields.
//! - [`secure`]: credentials, roles, and the responses to clients without them.
//! - [`layers`]: CORS, tracing and other layers of tower, and servers of any service.
//! - [`mod@test`]: typed calls without sockets.
//! - [`call`]: the client, which uses the same endpoint values.
//! - [`bodies`]: forms, files, text, bytes, and zero-copy bodies.
//! - [`stream`]: streams of values, in either direction or both.
//! - [`document`]: texts, examples and names in the OpenAPI document, generated clients, and a page.
//! - [`deploy`]: a static binary, a unit of systemd, and nginx in front.
//! - [`own_format`]: user-defined formats.
//! - [`lock`]: field numbers that do not change.
//! - [`from_axum`]: equivalents of extractors, responses and rejections, and mounting in axum.
//! - [`to_msgpack`]: from JSON to MessagePack without breaking a client.

#[doc = include_str!("serve.md")]
pub mod serve {}

#[doc = include_str!("failures.md")]
pub mod failures {}

#[doc = include_str!("secure.md")]
pub mod secure {}

#[doc = include_str!("layers.md")]
pub mod layers {}

#[doc = include_str!("test.md")]
pub mod test {}

#[doc = include_str!("call.md")]
pub mod call {}

#[doc = include_str!("bodies.md")]
pub mod bodies {}

#[doc = include_str!("stream.md")]
pub mod stream {}

#[doc = include_str!("document.md")]
pub mod document {}

#[doc = include_str!("deploy.md")]
pub mod deploy {}

#[cfg_attr(feature = "own-format", doc = include_str!("own_format.md"))]
#[cfg_attr(not(feature = "own-format"), doc = "Enable the feature `own-format`.")]
pub mod own_format {}

#[cfg_attr(feature = "schema-lock", doc = include_str!("lock.md"))]
#[cfg_attr(not(feature = "schema-lock"), doc = "Enable the feature `schema-lock`.")]
pub mod lock {}

#[doc = include_str!("from_axum.md")]
pub mod from_axum {}

#[doc = include_str!("to_msgpack.md")]
pub mod to_msgpack {}
