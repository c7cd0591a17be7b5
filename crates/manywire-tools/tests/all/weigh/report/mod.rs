//! Reports: gates, baselines, numbers, headers and verdicts.

mod baseline;
mod gates;
mod http;
mod number;
pub(crate) mod sample;
mod verdict;
