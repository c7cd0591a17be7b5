//! Compile errors of common mistakes. The crate has only tests, in a package of its own so that their cases are
//! compiled with few dependencies.
