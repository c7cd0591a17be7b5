//! The lane as a server, and as a client of one.

mod coding;
mod fetch;
mod serve;

pub(crate) use coding::{deflate, inflate};
pub(crate) use fetch::{Fetch, fetch};
pub(crate) use serve::{Offer, Service, serve};

/// Digits of a nonce; the second half is the number of the request.
const NONCE_DIGITS: usize = 16;
