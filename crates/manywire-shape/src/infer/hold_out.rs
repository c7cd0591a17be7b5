use super::{Inference, Misfit, fits};
use crate::Value;

/// Of this many samples one is held out.
const BLOCK: u64 = 5;

/// How well a shape inferred from some samples fits the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldOut {
    /// How many samples the shape was inferred from.
    pub inferred_from: usize,
    /// How many others were tried.
    pub tried: usize,
    /// How many of them fit it.
    pub fitting: usize,
    /// Those that do not, by their index among all samples, and where they part from the shape.
    pub misfits: Vec<(usize, Misfit)>,
}

/// Whether the sample with this index is one of the fifth that is held out.
///
/// One of every five in turn, at a place that varies: which it is depends on nothing but the
/// index, and samples that come in a rhythm are not always caught on the same beat.
pub fn is_held_out(index: u64) -> bool {
    // The mixing steps of SplitMix64.
    let mut hash = (index / BLOCK).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    index % BLOCK == (hash ^ (hash >> 31)) % BLOCK
}

/// Whether the sample with this index is held out of so many: the same, but that of a single sample
/// nothing is held out, and of two to five at least one is.
pub fn is_held_out_of(index: u64, samples: u64) -> bool {
    let first = (0..BLOCK).find(|index| is_held_out(*index)).unwrap_or(0);
    match samples {
        0 | 1 => false,
        _ if samples <= first => index == samples - 1,
        _ => is_held_out(index),
    }
}

/// Infers a shape from four fifths of the samples and tries the others against it.
///
/// Of a single sample nothing is held out; of two to five at least one is.
pub fn hold_out(samples: &[Value<'_>]) -> HoldOut {
    let chosen = |index: &usize| is_held_out_of(*index as u64, samples.len() as u64);
    let (held, kept): (Vec<usize>, Vec<usize>) =
        (0..samples.len()).partition(|index| chosen(index));
    let mut inference = Inference::new();
    kept.iter().for_each(|index| inference.add(&samples[*index]));
    let shape = inference.shape();
    let tried = held.len();
    let misfits: Vec<_> = held
        .into_iter()
        .filter_map(|index| fits(&shape, &samples[index]).err().map(|misfit| (index, misfit)))
        .collect();
    HoldOut { inferred_from: kept.len(), tried, fitting: tried - misfits.len(), misfits }
}
