//! The functions that derived implementations call. Not part of the API: they change with the
//! derive.

use crate::constraints::pattern;
use crate::{Constraints, Counted, IntEncoding, NodeId, Numeric, Rule, ShapeBuilder, Textual};

pub use crate::shape::compound::{
    deny_unknown_fields, fields_of_variant, fields_read_by_name, names, record, tagged, unchecked,
    untagged, variant,
};
pub use crate::shape::fields::Fields;
/// The trait without the derive, for crates that export another derive.
pub use crate::shaped::Shaped;
pub use crate::shaped::attributes::{BytesLike, Integer};

/// Returns the node of an integer, or of a collection of integers, with an encoding.
pub fn encoded<T: Integer + ?Sized>(builder: &mut ShapeBuilder, encoding: IntEncoding) -> NodeId {
    T::encoded(builder, encoding)
}

/// Returns the node of a value that `serde_bytes` writes.
pub fn bytes<T: BytesLike + ?Sized>(builder: &mut ShapeBuilder) -> NodeId {
    T::bytes(builder)
}

/// Compiles the constraints of a field, which the derive has validated.
pub fn rule(constraints: Constraints) -> Rule {
    Rule::new(constraints).expect("the compiler refuses invalid constraints of a field")
}

/// Returns the fault of a pattern, for a constant that stops the compiler.
pub const fn fault_of_pattern(pattern: &str) -> Option<&'static str> {
    match pattern::validate(pattern) {
        Ok(()) => None,
        Err(error) => Some(error.reason),
    }
}

/// Requires a number.
pub const fn numeric<T: Numeric + ?Sized>() {}

/// Requires a text.
pub const fn textual<T: Textual + ?Sized>() {}

/// Requires a value with a length.
pub const fn counted<T: Counted + ?Sized>() {}
