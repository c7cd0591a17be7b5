//! Every kind of body over a real socket, as clients of all sorts send it.

mod forms;
mod lents;
mod plain;
mod wire;
