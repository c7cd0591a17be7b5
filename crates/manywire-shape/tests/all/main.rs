//! Tests of shapes and values, in one binary.

mod agreement;
mod avro_schema;
mod constraints;
mod derive;
mod external;
mod fidelity;
mod infer;
mod infer_hostile;
mod infer_properties;
mod sample;
mod serialized;
