//! Payloads as they come: what the commands read, and how they say where it is wrong.
//!
//! An [`Input`] is a file or standard input, with a content coding or without. It holds values in
//! some [`Form`](manywire_format::Form): a format, and how values stand behind each other in it.
//! [`Input::each`] hands them out one by one, in the memory of the longest of them. [`find`]
//! finds the files of a command's arguments; a [`reader::Reader`] keeps every value of one with
//! its own bytes, or as CBOR where those say nothing without a schema.

mod error;
mod files;
pub mod har;
mod input;
pub mod reader;
mod schema;
mod source;
pub mod text;
mod values;
mod window;

pub use error::{Halt, InputError, Place};
pub use files::{Found, Recorded, find, holds_lines};
pub use input::{Input, Item, Lines, Take};
pub use reader::{Carried, Made, Payload, is_kept, kept_in};
pub use schema::Schema;
pub use source::{STDIN, Source};
pub use window::{Opened, Packed};

use manywire_codec::Limits;

/// How deep the commands read: files are the user's own, so only the stack sets a limit.
pub const LIMITS: Limits = Limits::DEFAULT.with_depth(512);
