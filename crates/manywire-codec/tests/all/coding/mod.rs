//! Content codings: messages and streams.
#![cfg(all(feature = "gzip", feature = "zstd", feature = "br"))]

mod message;
mod stream;
