//! The servers and the clients of the lane, over HTTP and over ZeroMQ.

mod coding;
mod fetch;
mod serve;
mod zeromq;

use bytes::Bytes;

use coding::{deflate, inflate};
pub(crate) use fetch::{Fetch, fetch};
pub(crate) use serve::{Offer, Server, Service, serve};

/// The number of digits of a nonce. The second half is the number of the request.
const NONCE_DIGITS: usize = 16;

/// A response without an error, as the client of either transport received it.
struct Answer {
    body: Bytes,
    coding: Option<Bytes>,
}
