//! Authentication: who is let in, with which challenges, and that nothing shows a secret.

mod client;
mod document;
mod secrecy;
mod server;
mod service;
