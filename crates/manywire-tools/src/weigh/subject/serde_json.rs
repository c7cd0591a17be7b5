use std::hint::black_box;

use serde_json::Value;

use super::contender::{Contender, Prepared};
use crate::weigh::payload::Corpus;

/// serde_json with the tree that its users have, `serde_json::Value`.
pub(super) struct SerdeJson {
    values: Vec<Value>,
}

impl SerdeJson {
    pub(super) fn prepare(corpus: &Corpus<'_>) -> Result<Prepared<Self>, String> {
        Prepared::new(SerdeJson { values: trees(corpus)? }, corpus)
    }
}

/// The samples as `serde_json::Value`s, by way of their JSON text.
pub(super) fn trees(corpus: &Corpus<'_>) -> Result<Vec<Value>, String> {
    let tree = |value| {
        let mut text = Vec::new();
        manywire_codec::json::write_value(&value, &mut text).map_err(|error| error.to_string())?;
        serde_json::from_slice(&text).map_err(|error| error.to_string())
    };
    corpus.values().map(tree).collect()
}

impl Contender for SerdeJson {
    #[inline]
    fn encode(&self, sample: usize, out: &mut Vec<u8>) -> Result<(), String> {
        serde_json::to_writer(out, black_box(&self.values[sample]))
            .map_err(|error| error.to_string())
    }

    #[inline]
    fn decode(&self, bytes: &[u8]) -> Result<(), String> {
        let value: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        black_box(value);
        Ok(())
    }
}
