//! A service called in memory: requests, forms and paths.

mod client;
mod form;
mod multipart;
mod pattern;
mod service;

pub(crate) use form::check as form;
pub(crate) use multipart::check as multipart;
pub(crate) use pattern::check as pattern;
pub(crate) use service::request;
