//! The properties on known inputs, generated inputs and regressions, and the conformance table.

mod conformance;
mod generated;
mod parallel;
mod proto2;
mod regressions;
mod suites;
