//! Calls over a real socket, by the endpoint values that the server serves.

mod failures;
mod formats;
mod service;
