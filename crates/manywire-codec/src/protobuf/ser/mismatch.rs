//! Errors of values that are not of the schema.

use std::fmt;

use super::super::plan::{Field, Kind, Plan};
use crate::{Category, Error};

#[cold]
#[inline(never)]
pub(super) fn unsuitable(message: impl fmt::Display) -> Error {
    Error::new(Category::Unsupported, message)
}

#[cold]
#[inline(never)]
pub(super) fn out_of_range(field: &Field, value: i128) -> Error {
    unsuitable(format_args!("{value} is out of range for {}", Type(field, "")))
}

#[cold]
#[inline(never)]
pub(super) fn unknown_variant(type_name: &str, name: &str) -> Error {
    unsuitable(format_args!("{type_name} has no variant {name:?} of this kind"))
}

/// A value of the wrong kind for its place.
#[cold]
#[inline(never)]
pub(super) fn mismatch(field: &Field, plan: &Plan, found: impl fmt::Display) -> Error {
    let name: &str = match field.kind {
        Kind::Message => &plan.message(field).name,
        Kind::Enum => &plan.enums[field.target as usize].name,
        _ => "",
    };
    unsuitable(format_args!("expected {}, found {found}", Type(field, name)))
}

/// The type of a field, for messages.
struct Type<'a>(&'a Field, &'a str);

impl fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.kind {
            Kind::Message | Kind::Enum => f.write_str(self.1),
            Kind::Repeated | Kind::Packed => f.write_str("an array"),
            Kind::Map => f.write_str("a map"),
            Kind::BigInt => f.write_str("a 128-bit integer"),
            kind => f.write_str(&format!("{kind:?}").to_lowercase()),
        }
    }
}
