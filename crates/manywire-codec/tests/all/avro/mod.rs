//! Avro: Apache's test suite, its own Rust crate, typed values and hostile input.

mod hostile;
mod peer;
mod suite;
mod typed;
