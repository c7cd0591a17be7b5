//! MessagePack: the shared test suite, rmp-serde, the layouts of records, and hostile input.

mod hostile;
mod layout;
mod peer;
mod suite;
