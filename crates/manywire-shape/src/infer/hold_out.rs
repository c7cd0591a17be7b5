//! Hold-out validation: infers a shape from some samples and checks the others against it.

use super::Inference;
use crate::Value;
use crate::fit::{Misfit, fits};

/// The number of samples in a block, of which one is held out.
const BLOCK: u64 = 5;

/// The result of hold-out validation: how well a shape inferred from some samples fits the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldOut {
    /// The number of samples that the shape was inferred from.
    pub inferred_from: usize,
    /// The number of samples that were held out.
    pub tried: usize,
    /// The number of held-out samples that fit the shape.
    pub fitting: usize,
    /// The held-out samples that do not fit, by their index among all samples, with their first
    /// misfit.
    pub misfits: Vec<(usize, Misfit)>,
}

/// Returns whether the sample with this index is one of the fifth that is held out.
///
/// One sample of every five is held out, at a position that varies from block to block, so periodic
/// samples do not always have the same phase. The position depends only on the index.
pub fn is_held_out(index: u64) -> bool {
    // The mixing steps of SplitMix64.
    let mut hash = (index / BLOCK).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    index % BLOCK == (hash ^ (hash >> 31)) % BLOCK
}

/// Returns whether the sample with this index is held out of `samples` samples. Unlike
/// [`is_held_out`], it never holds out a single sample, and holds out at least one of two to five.
pub fn is_held_out_of(index: u64, samples: u64) -> bool {
    let first = (0..BLOCK).find(|index| is_held_out(*index)).unwrap_or(0);
    match samples {
        0 | 1 => false,
        _ if samples <= first => index == samples - 1,
        _ => is_held_out(index),
    }
}

/// Infers a shape from four fifths of the samples and checks the others against it.
///
/// A single sample is not held out; of two to five at least one is.
pub fn hold_out(samples: &[Value<'_>]) -> HoldOut {
    let chosen = |index: &usize| is_held_out_of(*index as u64, samples.len() as u64);
    let (held_out, used): (Vec<usize>, Vec<usize>) =
        (0..samples.len()).partition(|index| chosen(index));
    let mut inference = Inference::new();
    used.iter().for_each(|index| inference.add(&samples[*index]));
    let shape = inference.shape();
    let tried = held_out.len();
    let misfits: Vec<_> = held_out
        .into_iter()
        .filter_map(|index| fits(&shape, &samples[index]).err().map(|misfit| (index, misfit)))
        .collect();
    HoldOut { inferred_from: used.len(), tried, fitting: tried - misfits.len(), misfits }
}
