//! Protocol Buffers: the proto3 wire format, driven by a schema.
//!
//! A [`Plan`] is compiled once from a [`proto::Schema`](manywire_shape::proto::Schema) into flat
//! tables, and then encodes and decodes any number of values: of derived types and dynamic ones
//! alike. How values map to messages is told in [`manywire_shape::proto`].
//!
//! Reading follows the encoding's rules: fields come in any order, repeated ones packed or not and
//! in pieces, the last of a scalar or of a oneof wins, messages that come twice are merged, what
//! is unknown is skipped. Serde's visitors want each field once, so the reader first takes the
//! fields to come in the order of the schema, as every writer sends them; where they do not, it
//! starts over with an index of each message.

mod de;
mod plan;
mod ser;
mod wire;

pub use plan::Plan;
