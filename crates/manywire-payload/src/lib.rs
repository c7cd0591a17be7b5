//! Payloads as they come: what the commands read, and how they say where it is wrong.

mod error;

pub use error::{InputError, Place};

use manywire_codec::Limits;

/// How deep the commands read: files are the user's own, so only the stack sets a limit.
pub const LIMITS: Limits = Limits::DEFAULT.with_depth(512);
