//! CBOR: the examples of RFC 8949, two other crates, typed values and hostile input.

mod hostile;
mod peer;
mod suite;
mod typed;
