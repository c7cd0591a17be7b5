//! Formats of a user's own, served, called and documented beside the built-in ones.

mod called;
mod documented;
mod formats;
mod parts;
mod refused;
mod served;
mod service;
mod streams;
