//! Values from one format to another: without loss, or in so many words what was lost.
//!
//! A [`Conversion`] reads values one by one ([`crate::payload`]), makes each fit the format it is
//! to become, and writes it. What a format has no place for is refused with the path to it, or,
//! if that is allowed, replaced by what comes nearest and listed.
//!
//! Formats that say themselves what they hold are known beforehand: a table says what each takes.
//! In formats that are driven by a shape, the shape decides; there every value is read back and
//! compared with what it was.

mod adapt;
mod conversion;
mod sink;
mod text;

pub use conversion::{Conversion, Failure, Outcome};
pub use sink::schema_text;
