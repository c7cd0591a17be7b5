//! Messages with a coding on them.

use manywire_codec::coding::Encoder;
use manywire_format::{Coding, CodingLevel};

use crate::choices::Choices;

/// A message of repeated text and some that is not, coded; two in a row now and then.
pub(crate) fn coded(coding: Coding, choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    for _ in 0..1 + usize::from(choices.one_in(4)) {
        let mut plain = Vec::new();
        super::json(choices, &mut plain);
        let times = 1 << choices.below(14);
        let plain = plain.repeat(times.min(100_000 / plain.len().max(1)).max(1));
        // A coding that cannot be written has nothing to generate.
        let level = CodingLevel::new(coding, 1).unwrap_or(coding.into());
        if let Ok(mut encoder) = Encoder::new(level) {
            let _ = encoder.encode(&plain, out);
        }
    }
}
