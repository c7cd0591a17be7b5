//! The default behavior of a service in every format, as a table of what other stacks get wrong.
//! Each row runs by a call and over a socket.

mod formats;
mod routing;
mod rows;
mod service;
mod table;
mod wire;
