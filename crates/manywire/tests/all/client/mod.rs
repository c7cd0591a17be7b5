//! Calls over a real socket and in the same process, with the endpoint values that the server serves.

mod failures;
mod formats;
mod in_process;
mod service;
