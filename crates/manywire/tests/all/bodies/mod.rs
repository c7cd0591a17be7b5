//! Every kind of body over a real socket, as clients of all sorts send it.

mod calls;
mod coded;
mod forms;
mod large;
mod lents;
mod parts;
mod plain;
mod raw;
mod streams;
mod submitted;
mod wire;
