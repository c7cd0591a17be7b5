//! Metrics of a service and their exposition.

mod connections;
mod exposition;
mod requests;
mod service;
