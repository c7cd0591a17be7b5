//! The properties on known inputs, generated inputs and past finds, and the table of conformance.

mod conformance;
mod generated;
mod regressions;
mod suites;
