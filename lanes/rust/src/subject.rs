//! What the lane measures: a library, a format and what values are in the program.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::coder::{Outcome, Payloads};
use crate::known::Known;

/// What a value is in the program.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// Any value, found out at run time.
    Dynamic,
    /// Structs that were generated for the payloads.
    Typed,
}

/// Makes a subject ready and reads payloads with it.
pub(crate) type Load = fn(&Known, Vec<Vec<u8>>) -> Outcome<Arc<dyn Payloads>>;

/// A subject.
pub(crate) struct Subject {
    /// As the registry calls the package.
    package: &'static str,
    /// As `lane.toml` calls the library.
    library: &'static str,
    format: &'static str,
    target: Target,
    pub(crate) load: Load,
}

/// The version of each package, as the lock file had it.
const VERSIONS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/versions.rs"));

/// A library for dynamic values.
pub(crate) const fn dynamic(library: &'static str, format: &'static str, load: Load) -> Subject {
    Subject { package: package(library), library, format, target: Target::Dynamic, load }
}

/// A library for values of a type.
pub(crate) const fn typed(library: &'static str, format: &'static str, load: Load) -> Subject {
    Subject { package: package(library), library, format, target: Target::Typed, load }
}

/// Our codecs are a package of their own; every other library is the package of its name.
const fn package(library: &'static str) -> &'static str {
    match library.as_bytes() {
        b"manywire" => "manywire-codec",
        _ => library,
    }
}

impl Subject {
    /// The subject as `describe` answers it.
    pub(crate) fn describe(&self) -> Json {
        let version = VERSIONS.iter().find(|(name, _)| *name == self.package);
        json!({
            "library": self.library,
            "version": version.map_or("", |(_, version)| version),
            "format": self.format,
            "target": match self.target {
                Target::Dynamic => "dynamic",
                Target::Typed => "typed",
            },
            "buffer": "fresh",
        })
    }
}
