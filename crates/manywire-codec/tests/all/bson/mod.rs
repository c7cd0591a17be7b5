//! BSON: MongoDB's corpus, typed values and hostile input.

mod corpus;
mod hostile;
mod typed;
