//! The walkers over golden vectors, external suites, and what is made to break them.

mod containers;
mod diagnostic;
mod inputs;
mod single;
mod streams;
