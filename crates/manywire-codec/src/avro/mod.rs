//! Avro's binary encoding, one datum without a header, by a schema.
//!
//! A [`Plan`] is a schema ([`manywire_shape::avro::Schema`]) compiled to flat tables. One codec
//! serves both types that derive serde's traits and [`Value`](manywire_shape::Value)s: for a record
//! of the schema it accepts a struct or a map. Fields in the schema's order go straight to the
//! output; other fields are reordered at the end of the record. A missing field is written as null
//! if the schema allows it.
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
//! # Reading
//!
//! Every datum of the schema is accepted: arrays and maps in one block or several, with sizes or
//! without. Errors are: a varint longer than its value needs, a length beyond the end, a count that
//! the remaining bytes cannot hold, a block with a wrong size, and bytes left over. A datum may
//! have at most 65,536 items without bytes (nulls, empty records), because nothing else bounds
//! them.
//!
//! Logical types are read as the types they annotate, except for `decimal` of scale 0 on bytes,
//! which is an integer of up to 128 bits.
//!
//! # Types
//!
//! A struct with exactly the schema's fields in the schema's order gets their values as a sequence
//! ([`Visitor::visit_seq`]), any other struct gets names and values ([`Visitor::visit_map`]).
//! Derived types accept both; a visitor written by hand must also accept both.
//!
//! # Unions
//!
//! A value is written to the branch of the same type: a variant to the branch with its name, an
//! integer to the narrowest integer that holds it, a float to a float. An integer is written to a
//! float only if there is no branch for integers and the conversion is exact. If several branches
//! are records, a map is written to the first record that has a field for each of its keys and
//! whose required fields are all in the map.
//!
//! [`Visitor::visit_seq`]: serde::de::Visitor::visit_seq
//! [`Visitor::visit_map`]: serde::de::Visitor::visit_map

pub mod container;
mod de;
mod plan;
mod ser;
mod wire;

pub use self::plan::Plan;
