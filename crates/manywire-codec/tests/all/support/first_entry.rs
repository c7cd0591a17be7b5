//! A type that reads the first entry of a map and leaves the others.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// The first entry of a map.
#[derive(Debug, PartialEq)]
pub(crate) struct FirstEntry(pub(crate) String, pub(crate) u8);

impl<'de> Deserialize<'de> for FirstEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FirstEntryVisitor)
    }
}

struct FirstEntryVisitor;

impl<'de> Visitor<'de> for FirstEntryVisitor {
    type Value = FirstEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of one entry")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<FirstEntry, A::Error> {
        let entry = entries.next_entry()?;
        let (key, value) = entry.ok_or_else(|| A::Error::invalid_length(0, &self))?;
        Ok(FirstEntry(key, value))
    }
}
