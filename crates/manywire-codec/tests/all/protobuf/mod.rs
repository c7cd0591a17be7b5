//! Protocol Buffers: the conformance suite, prost-reflect, typed values and hostile input.

mod hostile;
mod peer;
mod suite;
mod typed;
