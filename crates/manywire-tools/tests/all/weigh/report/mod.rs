//! What a report says and how it is judged: gates, baselines, numbers, headers.

mod baseline;
mod gates;
mod http;
mod number;
mod sample;
mod verdict;
