//! What a service makes of requests, forms and paths, without a socket.

mod client;
mod form;
mod multipart;
mod pattern;
mod service;

pub(crate) use form::check as form;
pub(crate) use multipart::check as multipart;
pub(crate) use pattern::check as pattern;
pub(crate) use service::request;
