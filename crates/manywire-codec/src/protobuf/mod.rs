//! Protocol Buffers: the proto3 wire format, driven by a schema.
//!
//! A [`Plan`] is compiled once from a [`proto::Schema`](manywire_shape::proto::Schema) into flat
//! tables. It then encodes and decodes any number of values, both of derived types and dynamic
//! ones. [`manywire_shape::proto`] documents how values map to messages.
//!
//! Reading follows the rules of the encoding: fields come in any order, repeated fields are packed
//! or not and may be split, the last scalar and the last member of a oneof win, repeated messages
//! are merged, unknown fields are skipped unless [`UnknownFields`] refuses them. Serde's visitors
//! accept each field once, so [`Plan::decode`] first expects the fields in the order of the schema,
//! as every writer sends them. If that attempt fails, the reader starts over, scans each message,
//! and builds an index of each message that is out of order, in several parts, or under the rules
//! of proto2.

mod de;
mod plan;
mod ser;
mod wire;

pub use de::UnknownFields;
pub use plan::Plan;
