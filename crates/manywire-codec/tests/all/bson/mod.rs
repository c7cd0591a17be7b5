//! BSON: MongoDB's corpus, its own Rust crate, typed values and hostile input.

mod corpus;
mod hostile;
mod peer;
mod typed;
