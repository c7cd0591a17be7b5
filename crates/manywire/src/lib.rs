//! Typed HTTP endpoints that answer each client in the format it asks for.

pub mod negotiate;

pub use manywire_format::{Coding, Format, MediaType};
