use std::hint::black_box;

use serde::Serialize;
use serde_json::Value;

use super::contender::{Contender, Prepared};
use super::serde_json::trees;
use crate::weigh::payload::Corpus;

/// rmp-serde with the tree most of its users have, `serde_json::Value`.
pub(super) struct RmpSerde {
    values: Vec<Value>,
}

impl RmpSerde {
    pub(super) fn prepare(corpus: &Corpus<'_>) -> Result<Prepared<Self>, String> {
        Prepared::new(RmpSerde { values: trees(corpus)? }, corpus)
    }
}

impl Contender for RmpSerde {
    #[inline]
    fn encode(&self, sample: usize, out: &mut Vec<u8>) -> Result<(), String> {
        let mut serializer = rmp_serde::Serializer::new(out).with_struct_map();
        black_box(&self.values[sample])
            .serialize(&mut serializer)
            .map_err(|error| error.to_string())
    }

    #[inline]
    fn decode(&self, bytes: &[u8]) -> Result<(), String> {
        let value: Value = rmp_serde::from_slice(bytes).map_err(|error| error.to_string())?;
        black_box(value);
        Ok(())
    }
}
