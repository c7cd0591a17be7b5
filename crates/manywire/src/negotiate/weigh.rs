//! How good each offer is to a client, by all the ranges of its `Accept`.

use super::accept::{MediaRange, Precedence, Width, media_ranges};
use super::offer::Offer;
use super::quality::Quality;

/// What is known of an offer while the ranges go by. Of two ranges that describe it equally well,
/// the first counts.
#[derive(Clone, Copy)]
pub(super) struct Weighed<R> {
    precedence: Option<Precedence>,
    pub(super) quality: Quality,
    /// What the caller keeps of the range.
    pub(super) range: Option<R>,
}

impl<R> Weighed<R> {
    pub(super) const UNKNOWN: Self =
        Weighed { precedence: None, quality: Quality::ZERO, range: None };
}

/// What a field says at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// Nothing that could be read: as good as no field.
    Malformed,
    /// Which offers are acceptable, if any.
    Read,
}

/// Weighs the offers by each range; `keep` says what to keep of the one that decides.
///
/// Where RFC 9110 finds nothing acceptable, ranges of the same syntax are looked for.
#[inline]
pub(super) fn weigh<'h, R>(
    field: &'h [u8],
    offers: &[Offer],
    best: &mut [Weighed<R>],
    keep: impl Fn(MediaRange<'h>) -> R + Copy,
) -> Field {
    let (mut well_formed, mut malformed) = (false, false);
    for range in media_ranges(field) {
        match range {
            Ok(range) => {
                well_formed = true;
                by_range(range, offers, best, MediaRange::precedence, keep);
            }
            Err(_) => malformed = true,
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
        if let Some(precedence) = precedence(&range, width, offer)
            && best.precedence.is_none_or(|known| precedence > known)
        {
            *best = Weighed {
                precedence: Some(precedence),
                quality: range.quality(),
                range: Some(keep(range)),
            };
        }
    }
}
