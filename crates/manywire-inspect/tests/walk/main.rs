//! The walkers over golden vectors, external suites, and what is made to break them.

mod containers;
mod diagnostic;
mod inputs;
mod long;
mod single;
mod streams;
