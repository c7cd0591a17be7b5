//! The errors of the lane, which it sends as messages.

use std::error::Error;

/// A result whose error is a message for people.
pub(crate) type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;
