//! Avro's binary encoding, one datum without a header, by a schema.
//!
//! A [`Plan`] is a schema ([`manywire_shape::avro::Schema`]) compiled to flat tables. One codec
//! serves types that derive serde's traits and [`Value`](manywire_shape::Value)s: a struct and a
//! map are the same to it where the schema has a record. Fields that come in the schema's order go
//! straight to the output; others are put in order when the record ends, and what is left out is
//! null where the schema allows it.
//!
//! ```
//! use manywire_codec::avro::Plan;
//! use manywire_shape::{Shape, Shaped};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, Shaped, Debug, PartialEq)]
//! struct Person {
//!     name: String,
//!     age: u32,
//! }
//!
//! let plan = Plan::from_shape(&Shape::of::<Person>())?;
//! let ada = Person { name: "Ada".to_owned(), age: 36 };
//! let bytes = plan.to_vec(&ada)?;
//! assert_eq!(bytes, b"\x06Ada\x48");
//! assert_eq!(plan.decode::<Person>(&bytes)?, ada);
//! # Ok::<(), manywire_codec::Error>(())
//! ```
//!
//! # What is read
//!
//! Any datum of the schema: arrays and maps in one block or several, with sizes or without. A
//! varint longer than its value needs, a length beyond the end, a count that the bytes left cannot
//! hold, a block that is not as long as it says, and bytes left over are errors. Items that take no
//! bytes (nulls, empty records) are bounded by 65,536 in a datum, since nothing else bounds them.
//!
//! Logical types are passed through as the types they annotate, but for `decimal` of scale 0 on
//! bytes, which is an integer of up to 128 bits.
//!
//! # Types
//!
//! A struct of just the schema's fields in the schema's order is given their values one after the
//! other ([`Visitor::visit_seq`]), any other is given names and values ([`Visitor::visit_map`]).
//! Derived types take either; a visitor written by hand must, too.
//!
//! # Unions
//!
//! A value goes to the branch of its own kind: the variant of its name, the narrowest integer that
//! holds it, a float for a float. An integer goes to a float only if there is no branch for
//! integers and only if it is exact. Where several branches are records, the first that has all
//! the keys of a map, and of which the map has all that is required, is taken.
//!
//! [`Visitor::visit_seq`]: serde::de::Visitor::visit_seq
//! [`Visitor::visit_map`]: serde::de::Visitor::visit_map

pub mod container;
mod de;
mod plan;
mod ser;
mod wire;

pub use self::plan::Plan;
