//! Values and their types, independent of any encoding.
//!
//! The crate has two halves. [`Value`] is a value whose type is known only at run time: a copyable
//! 24-byte handle into the input and an [`Arena`]. [`OwnedValue`] is the counterpart that owns its
//! data, for fields of Rust types. [`Shape`] is a static type: records with their fields in order,
//! enums with their variants, the widths of numbers, and which fields may be absent or null. A
//! shape comes from a Rust type through `#[derive(Shaped)]`, from samples through [`infer`], or
//! from a schema. Protocol Buffers, Avro and the array layout of MessagePack cannot be read or
//! written without a shape.

mod arena;
pub mod avro;
mod constraints;
#[doc(hidden)]
pub mod derived;
pub mod extension;
pub mod fidelity;
pub mod fit;
pub mod infer;
pub mod json_schema;
mod literal;
#[doc(hidden)]
pub mod long_integers;
pub mod names;
mod owned;
pub mod path;
pub mod proto;
mod shape;
mod shape_rules;
mod shaped;
mod timestamp;
mod value;

pub use arena::move_to_arena;
pub use constraints::{
    Check, Choice, Constraints, Counted, InvalidConstraint, InvalidPattern, Measure, Measured,
    Number, Numeric, Rule, Textual, Violation,
};
pub use literal::Literal;
pub use manywire_derive::Shaped;
pub use owned::{OwnedExt, OwnedValue};
pub use shape::{
    Array, ArrayFault, Enum, Field, Int, IntEncoding, Name, Node, NodeId, Presence, Record, Shape,
    ShapeBuilder, Tagging, Variant, VariantKind,
};
pub use shape_rules::ShapeRules;
pub use shaped::{Borrowed, Shaped};
pub use timestamp::{ParseTimestampError, Timestamp};
pub use value::{Ext, Space, Value, ValueSeed};

/// The memory that dynamic values borrow from. Dropping the arena frees all of them at once.
pub type Arena = bumpalo::Bump;
