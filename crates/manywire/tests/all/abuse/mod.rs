//! Malicious clients: the server responds 4xx or closes the connection soon, in bounded memory, and
//! keeps serving other clients.

mod bodies;
mod bombs;
mod heads;
mod http2;
#[cfg(target_os = "linux")]
mod memory;
mod server;
mod slow;
mod smuggling;
