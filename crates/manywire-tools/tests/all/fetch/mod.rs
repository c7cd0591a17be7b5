//! Fetching from real sockets.

mod answers;
mod failures;
mod redirects;
mod server;
mod tls;
