//! Messages that prost generated, as content: a service keeps the types and the field numbers of
//! its `.proto`, and is negotiated with like any other.
//!
//! [`Prost<M>`] is read and written as `application/protobuf`, by prost itself. [`ProstSerde<M>`]
//! is also read and written in JSON, MessagePack, CBOR and BSON, by what the message derives from
//! serde, be it by `prost_build::Config::type_attribute` or by pbjson. Either way a handler sees
//! the plain message.
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
//! `Items<ProstSerde<Hotel>>`, which are NDJSON and the like as well.
//!
//! Of the formats that an API lists, an endpoint has those that its messages can be in, and
//! negotiates among them: `/machines` answers 406 to who wants JSON alone. Within axum, messages
//! are `WireAs<Prost<Hotel>>` of `manywire-axum`.
//!
//! The numbers are those of the user's own `.proto`, so it is the user's own `.proto` that is told:
//! [`Schemas`] writes it out of the descriptors that prost-build keeps, and serves it.

mod message;
mod schema;

pub use message::{Prost, ProstSerde};
pub use schema::{InvalidDescriptors, Schemas};
