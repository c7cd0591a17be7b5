//! CBOR: the examples of RFC 8949, typed values and hostile input.

mod hostile;
mod suite;
mod typed;
