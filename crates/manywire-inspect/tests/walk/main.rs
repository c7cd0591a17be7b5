//! The walkers on golden vectors, external suites, and invalid inputs.

mod containers;
mod diagnostic;
mod inputs;
mod long;
mod single;
mod streams;
