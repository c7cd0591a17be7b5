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
//! use manywire_shape::{Array, Field, Int, Node, Record, ShapeBuilder};
//!
//! let mut shape = ShapeBuilder::default();
//! let (text, int) = (shape.add(Node::Str), shape.add(Node::Int(Int::signed(64))));
//! let fields = vec![Field::new("name", text), Field::new("age", int)];
//! let person =
//!     shape.add(Node::Record(Record { name: "Person".into(), doc: "".into(), fields, rest: None }));
//! let plan = Plan::from_shape(&shape.finish(person))?;
//!
//! let mut bytes = Vec::new();
//! plan.encode(&std::collections::BTreeMap::from([("name", "Ada")]), &mut bytes).unwrap_err();
//! assert!(bytes.is_empty());
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
//! # Unions
//!
//! A value goes to the branch of its own kind: the variant of its name, the narrowest integer that
//! holds it, a float for a float. An integer goes to a float only if there is no branch for
//! integers and only if it is exact. Where several branches are records, the first that has all
//! the keys of a map, and of which the map has all that is required, is taken.

mod compile;
mod de;
mod plan;
mod ser;
mod wire;

pub use plan::Plan;
