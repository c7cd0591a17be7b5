//! Every kind of body over a real socket, as various clients send it.

mod borrowed;
mod calls;
mod coded;
mod forms;
mod long;
mod parts;
mod plain;
mod raw;
mod sent_parts;
mod streams;
mod wire;
