//! How good each offer is to a client, by all the ranges of its `Accept`.

use super::accept::{MediaRange, Precedence, Width, media_ranges};
use super::offer::Offer;
use super::quality::Quality;

/// What is known of an offer while the ranges go by. Of two ranges that describe it equally well,
/// the first counts.
#[derive(Clone, Copy)]
pub(super) struct Weighed<R> {
    precedence: Precedence,
    pub(super) quality: Quality,
    /// What the caller keeps of the range.
    pub(super) range: R,
}

impl<R> Weighed<R> {
    /// No range has described it so far.
    pub(super) const fn unknown(range: R) -> Self {
        Weighed { precedence: Precedence::NONE, quality: Quality::ZERO, range }
    }

    /// Takes the word of a range, if it describes the offer more closely than those before.
    #[inline]
    pub(super) fn note(&mut self, precedence: Precedence, quality: Quality, range: R) {
        if precedence > self.precedence {
            *self = Weighed { precedence, quality, range };
        }
    }
}

/// What a field says at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// Nothing that could be read: as good as no field.
    Malformed,
    /// Which offers are acceptable, if any.
    Read,
}

/// Weighs the offers by each range; `keep` says what to keep of the one that decides. `ahead` may
/// take members off the start of the list that it has a quicker way with.
///
/// Where RFC 9110 finds nothing acceptable, ranges of the same syntax are looked for.
#[inline]
pub(super) fn weigh<'h, R>(
    field: &'h [u8],
    offers: &[Offer],
    best: &mut [Weighed<R>],
    ahead: impl Fn(&mut &'h [u8], &mut [Weighed<R>]) -> bool,
    keep: impl Fn(MediaRange<'h>) -> R + Copy,
) -> Field {
    let (mut well_formed, mut malformed) = (false, false);
    let mut ranges = media_ranges(field);
    loop {
        well_formed |= ahead(ranges.rest_mut(), best);
        match ranges.next() {
            None => break,
            Some(Ok(range)) => {
                well_formed = true;
                by_range(range, offers, best, MediaRange::precedence, keep);
            }
            Some(Err(_)) => malformed = true,
        }
    }
    if !well_formed && malformed {
        return Field::Malformed;
    }
    if !best.iter().any(|weighed| weighed.quality.is_acceptable()) {
        weigh_by_suffix(field, offers, best, keep);
    }
    Field::Read
}

#[cold]
#[inline(never)]
fn weigh_by_suffix<'h, R>(
    field: &'h [u8],
    offers: &[Offer],
    best: &mut [Weighed<R>],
    keep: impl Fn(MediaRange<'h>) -> R + Copy,
) {
    for range in media_ranges(field).flatten() {
        by_range(range, offers, best, MediaRange::precedence_by_suffix, keep);
    }
}

#[inline]
fn by_range<'h, R>(
    range: MediaRange<'h>,
    offers: &[Offer],
    best: &mut [Weighed<R>],
    precedence: impl Fn(&MediaRange<'h>, Width, &Offer) -> Option<Precedence>,
    keep: impl Fn(MediaRange<'h>) -> R,
) {
    let width = range.width();
    for (offer, best) in offers.iter().zip(best.iter_mut()) {
        if let Some(precedence) = precedence(&range, width, offer) {
            best.note(precedence, range.quality(), keep(range));
        }
    }
}
