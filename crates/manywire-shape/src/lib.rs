//! What a value is, apart from any bytes.
//!
//! Two halves. [`Value`] is a value whose type is known only at run time: a copyable 24-byte
//! handle into the input and an [`Arena`]. [`Shape`] is what is known of a value beforehand:
//! records and their fields in order, variants, widths, what may be absent or null. A shape comes
//! from a Rust type by `#[derive(Shaped)]`, from samples by inference, or from a schema; Protocol
//! Buffers, Avro and the array layout of MessagePack are driven by it.

pub mod avro;
#[doc(hidden)]
pub mod derived;
pub mod extension;
pub mod fidelity;
pub mod infer;
pub mod json_schema;
mod literal;
pub mod names;
pub mod proto;
mod shape;
mod shaped;
mod value;

pub use literal::Literal;
pub use manywire_derive::Shaped;
pub use shape::{
    Array, Enum, Field, Int, IntEncoding, Name, Node, NodeId, Presence, Record, Shape,
    ShapeBuilder, Tagging, Variant, VariantKind,
};
pub use shaped::{Borrowed, Shaped};
pub use value::{Ext, Space, Timestamp, Value, ValueSeed};

/// The memory that dynamic values live in; dropping it frees them all at once.
pub type Arena = bumpalo::Bump;
