//! Reports: gates, baselines, numbers, headers and verdicts.

mod baseline;
mod csv;
mod gates;
mod http;
mod losses;
mod number;
mod overview;
mod read;
pub(crate) mod sample;
mod verdict;
mod width;
