//! Messages that prost generated, as content, and the schemas written from their descriptors.

mod generated;
mod messages;
mod schemas;
