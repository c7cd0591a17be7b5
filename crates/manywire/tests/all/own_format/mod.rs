//! Formats of a user, served, called and documented beside the built-in ones.

mod client;
mod document;
mod formats;
mod invalid;
mod parts;
mod server;
mod service;
mod streams;
