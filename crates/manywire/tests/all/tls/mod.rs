//! TLS at both ends, with authorities and certificates of our own making.

mod authority;
mod client;
mod server;
