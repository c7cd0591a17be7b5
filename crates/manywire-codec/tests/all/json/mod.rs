//! JSON: the parsing suite, serde_json, typed and dynamic values, and errors.

mod errors;
mod generated;
mod long_integers;
mod suite;
mod typed;
mod value;
