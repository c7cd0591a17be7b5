//! Messages that prost generated, as content. A service keeps the types and the field numbers of
//! its `.proto`, and negotiates formats like any other.
//!
//! [`Prost<M>`] is `application/protobuf`, encoded and decoded by prost. [`ProstSerde<M>`] is also
//! JSON, MessagePack, CBOR and BSON, by the serde implementation of the message, from
//! `prost_build::Config::type_attribute` or from pbjson. In both cases a handler receives the plain
//! message.
//!
//! ```
//! use manywire::{Api, Format, post};
//! use manywire_prost::{Prost, ProstSerde};
//! use serde::{Deserialize, Serialize};
//!
//! // As prost-build generates it.
//! #[derive(Clone, PartialEq, Serialize, Deserialize, prost::Message)]
//! struct Hotel {
//!     #[prost(uint64, tag = "1")]
//!     id: u64,
//!     #[prost(string, tag = "4")]
//!     name: String,
//! }
//!
//! let machines = post("/machines").body::<Prost<Hotel>>().returns::<Prost<Hotel>>();
//! let everybody = post("/everybody").body::<ProstSerde<Hotel>>().returns::<ProstSerde<Hotel>>();
//! let service = Api::new("Hotels")
//!     .formats([Format::Json, Format::Protobuf])
//!     .serve(machines.to(|hotel: Hotel| async move { hotel }))
//!     .serve(everybody.to(|hotel: Hotel| async move { hotel }))
//!     .build()?;
//! # drop(service);
//! # Ok::<(), manywire::InvalidApi>(())
//! ```
//!
//! Streams of messages are `Items<Prost<Hotel>>`, `application/protobuf;delimited=true`, and
//! `Items<ProstSerde<Hotel>>`, which also supports NDJSON and the other framings.
//!
//! An endpoint negotiates among those formats of the API that its messages support: `/machines`
//! responds with 406 to a client that accepts JSON only. In axum, messages are
//! `WireAs<Prost<Hotel>>` of `manywire-axum`.
//!
//! The field numbers are those of the user's `.proto`, so the API publishes that file: [`Schemas`]
//! restores it from the descriptors that prost-build keeps, and serves it.

mod message;
mod schema;

pub use message::{Prost, ProstSerde};
pub use schema::{InvalidDescriptors, Schemas};
