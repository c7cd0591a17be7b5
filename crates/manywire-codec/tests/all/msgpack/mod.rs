//! MessagePack: the shared test suite, the layouts of records, typed values and hostile input.

mod hostile;
mod layout;
mod suite;
mod typed;
