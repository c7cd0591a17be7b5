//! What a service does with a request by default, for every format: what other stacks get wrong,
//! as a table. Each row runs through the service itself and through a socket.

mod formats;
mod routing;
mod rows;
mod service;
mod table;
mod wire;
