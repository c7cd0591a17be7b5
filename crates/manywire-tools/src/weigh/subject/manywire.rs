use std::hint::black_box;

use manywire_codec::Codec;
use manywire_format::Format;
use manywire_shape::{Arena, Value};

use super::contender::{Contender, Prepared};
use crate::weigh::payload::{Corpus, LIMITS};
use crate::weigh::schema::Schema;

/// Our codecs: values borrow from an arena that lives as long as the value.
pub(super) struct Manywire<'a> {
    codec: Codec,
    values: Vec<Value<'a>>,
}

impl<'a> Manywire<'a> {
    pub(super) fn prepare(
        format: Format,
        corpus: &Corpus<'a>,
        schema: &Schema,
    ) -> Result<Prepared<Self>, String> {
        let codec = schema.codec(format)?;
        Prepared::new(Manywire { codec, values: corpus.values().collect() }, corpus)
    }
}

impl Contender for Manywire<'_> {
    #[inline]
    fn encode(&self, sample: usize, out: &mut Vec<u8>) -> Result<(), String> {
        self.codec.encode(black_box(&self.values[sample]), out).map_err(|error| error.to_string())
    }

    #[inline]
    fn decode(&self, bytes: &[u8]) -> Result<(), String> {
        let arena = Arena::new();
        let value =
            self.codec.decode_with(bytes, &arena, LIMITS).map_err(|error| error.to_string())?;
        black_box(value);
        Ok(())
    }
}
