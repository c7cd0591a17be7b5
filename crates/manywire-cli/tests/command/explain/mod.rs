//! `manywire explain`, with one file for each concern.

mod check;
mod coded;
mod compare;
mod notation;
mod paths;
mod reverse;
mod rows;
mod schemas;
mod streams;
