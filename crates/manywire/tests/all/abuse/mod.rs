//! Clients that mean harm: whatever they send, the server answers 4xx or closes, soon, in bounded
//! memory, and goes on serving everybody else.

mod bodies;
mod bombs;
mod heads;
mod http2;
#[cfg(target_os = "linux")]
mod memory;
mod server;
mod smuggling;
