//! Conversions in memory.

use std::sync::atomic::AtomicBool;

use manywire_format::Form;
use manywire_tools::convert::{Conversion, Outcome};
use manywire_tools::payload::{Schema, Source};

/// The result of a conversion: its bytes and the schema that they were written with.
pub(crate) struct Converted {
    pub(crate) bytes: Vec<u8>,
    pub(crate) outcome: Outcome,
    pub(crate) schema: Option<Schema>,
}

impl Converted {
    /// Returns the error text, or an empty text after a success.
    pub(crate) fn failure(&self) -> String {
        self.outcome.failure.as_ref().map_or_else(String::new, ToString::to_string)
    }

    /// Returns the losses, one line each.
    pub(crate) fn lost(&self) -> Vec<String> {
        let losses = self.outcome.losses.list().iter();
        losses.map(|loss| format!("{}: {} x{}", loss.path, loss.lost, loss.places)).collect()
    }
}

/// Returns a conversion between two forms, by name.
pub(crate) fn conversion(bytes: &[u8], from: &str, to: &str) -> Conversion {
    Conversion {
        source: Source::of_bytes("input", bytes),
        from: form(from),
        to: form(to),
        schema: None,
        lossy: false,
        pretty: false,
        compression: Default::default(),
    }
}

pub(crate) fn form(name: &str) -> Form {
    name.parse().unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn run(conversion: &Conversion) -> Converted {
    let mut bytes = Vec::new();
    let mut schema = None;
    let mut tell = |told: &Schema| {
        schema = Some(told.clone());
        Ok(())
    };
    let outcome = conversion.run(&mut bytes, &mut tell, &AtomicBool::new(false));
    Converted { bytes, outcome, schema }
}

/// Runs a conversion that must succeed.
pub(crate) fn convert(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let converted = run(&conversion(bytes, from, to));
    assert!(converted.outcome.failure.is_none(), "{from} to {to}: {}", converted.failure());
    converted.bytes
}
