//! What a service counts of itself, and how it tells.

mod connections;
mod counted;
mod service;
mod told;
