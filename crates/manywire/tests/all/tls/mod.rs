//! TLS at both ends, with our own authorities and certificates.

mod authority;
mod client;
mod server;
