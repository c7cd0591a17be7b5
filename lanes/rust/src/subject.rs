//! Subjects: the combinations of library, format and kind of value that the lane measures.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::coder::Payloads;
use crate::error::Result;
use crate::known::Known;

/// The kind of values in the program.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// Any value, whose type is known at run time only.
    Dynamic,
    /// Structs that were generated for the payloads.
    Typed,
}

/// A function that prepares a subject and loads payloads with it.
pub(crate) type Load = Box<dyn Fn(&Known, Vec<Vec<u8>>) -> Result<Arc<dyn Payloads>>>;

/// A function like [`Load`], for types that are generated from the payloads.
pub(crate) type TypedLoad = fn(&Known, Vec<Vec<u8>>) -> Result<Arc<dyn Payloads>>;

/// A subject.
pub(crate) struct Subject {
    /// The name of the package in the registry.
    package: &'static str,
    /// The name of the library in `lane.toml`.
    library: &'static str,
    format: &'static str,
    target: Target,
    pub(crate) load: Load,
}

/// The version of each package in the lock file.
const VERSIONS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/versions.rs"));

/// Returns the version of a package, empty if the lock file does not have it.
pub(crate) fn version(package: &str) -> &'static str {
    VERSIONS.iter().find(|(name, _)| *name == package).map_or("", |(_, version)| version)
}

/// Returns a subject for dynamic values.
pub(crate) fn dynamic(
    library: &'static str,
    format: &'static str,
    load: impl Fn(&Known, Vec<Vec<u8>>) -> Result<Arc<dyn Payloads>> + 'static,
) -> Subject {
    let load = Box::new(load);
    Subject { package: package(library), library, format, target: Target::Dynamic, load }
}

/// Returns a subject for typed values.
pub(crate) fn typed(library: &'static str, format: &'static str, load: TypedLoad) -> Subject {
    let load = Box::new(load);
    Subject { package: package(library), library, format, target: Target::Typed, load }
}

/// Returns the package of a library, which has the library's name except for `manywire`.
const fn package(library: &'static str) -> &'static str {
    match library.as_bytes() {
        b"manywire" => "manywire-codec",
        _ => library,
    }
}

impl Subject {
    /// Returns the description of the subject for `describe`.
    pub(crate) fn describe(&self) -> Json {
        json!({
            "library": self.library,
            "version": version(self.package),
            "format": self.format,
            "target": match self.target {
                Target::Dynamic => "dynamic",
                Target::Typed => "typed",
            },
            "buffer": "fresh",
        })
    }
}
