//! Tests the command as users run it.

mod architecture;
mod bad_input;
mod book;
mod convert;
#[cfg(unix)]
mod convert_streams;
#[cfg(unix)]
mod detection;
mod elsewhere;
mod explain;
mod gates;
#[cfg(unix)]
mod interrupts;
#[cfg(unix)]
mod lane_builds;
mod lane_folder;
#[cfg(unix)]
mod lanes;
mod module_edges;
mod negotiate;
mod new;
mod output;
#[cfg(unix)]
mod output_files;
mod payloads;
mod payloads_by_schema;
mod play;
#[cfg(unix)]
mod replay;
mod run;
mod schema;
mod serve;
mod shape;
mod shape_change;
mod shape_check;
mod shape_questions;
mod sweep;
#[cfg(unix)]
mod trial;
#[cfg(unix)]
mod trial_https;
#[cfg(unix)]
mod trial_service;
mod vocabulary;
