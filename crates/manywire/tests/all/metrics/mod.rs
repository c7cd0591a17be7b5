//! What a service counts of itself, and how it tells.

mod connections;
mod exposition;
mod requests;
mod service;
