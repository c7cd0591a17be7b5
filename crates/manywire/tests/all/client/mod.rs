//! Calls over a real socket, with the endpoint values that the server serves.

mod failures;
mod formats;
mod service;
