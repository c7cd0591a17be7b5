//! `Accept` (RFC 9110, section 12.5.1): which ranges a client lists, and which offer it likes best.

use std::fmt;

use super::offer::Offer;
use super::quality::Quality;
use super::scan;

/// One member of `Accept`: a range of media types and how good they are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MediaRange<'h> {
    kind: &'h [u8],
    subtype: &'h [u8],
    /// Everything from the first `;` on, the weight included.
    parameters: &'h [u8],
    parameter_count: u8,
    quality: Quality,
}

impl<'h> MediaRange<'h> {
    /// The type, as it was sent; `*` for any.
    pub fn kind(&self) -> &'h [u8] {
        self.kind
    }

    /// The subtype, as it was sent; `*` for any.
    pub fn subtype(&self) -> &'h [u8] {
        self.subtype
    }

    /// The parameters but for the weight: names and values as they were sent, values with their
    /// quotes if they had any.
    pub fn parameters(&self) -> impl Iterator<Item = (&'h [u8], &'h [u8])> + use<'h> {
        let mut rest = self.parameters;
        std::iter::from_fn(move || {
            loop {
                let [b';', behind @ ..] = scan::after_space(rest) else { return None };
                let (found, behind) = scan::parameter(behind)?;
                rest = behind;
                match found {
                    Some((name, _)) if is_weight(name) => {}
                    Some(found) => return Some(found),
                    None => {}
                }
            }
        })
    }

    /// The weight.
    pub fn quality(&self) -> Quality {
        self.quality
    }

    /// How closely this range describes the offer: nothing if it does not.
    #[inline]
    fn precedence(&self, offer: &Offer) -> Option<Precedence> {
        let class = offer.class(self.kind, self.subtype, self.quality)?;
        if self.parameter_count != 0
            && !self.parameters().all(|(name, value)| offer.has(name, value))
        {
            return None;
        }
        Some(Precedence(class as u8 * 32 + self.parameter_count))
    }
}

impl fmt::Debug for MediaRange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for MediaRange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy;
        write!(f, "{}/{}", text(self.kind), text(self.subtype))?;
        for (name, value) in self.parameters() {
            write!(f, ";{}={}", text(name), text(value))?;
        }
        if self.quality == Quality::ONE { Ok(()) } else { write!(f, ";q={}", self.quality) }
    }
}

/// How closely a range describes an offer (section 12.5.1): the more specific wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Precedence(u8);

/// The kinds of a match, the least specific first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Class {
    /// `application/vnd.x+json` and `application/json`: the same syntax. Beyond the RFC, so it
    /// counts only where nothing else describes the offer.
    Suffix,
    /// `*/*`.
    Any,
    /// `application/*`.
    Kind,
    /// Another name of what is offered.
    Alias,
    /// The media type itself.
    Exact,
}

/// A member that is no range: it is passed over, as though it were not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed<'h>(pub &'h [u8]);

/// The members of an `Accept` field, in their order; empty ones are none (section 5.6.1.2).
pub fn media_ranges(field: &[u8]) -> MediaRanges<'_> {
    MediaRanges { rest: field }
}

/// See [`media_ranges`].
#[derive(Clone, Debug)]
pub struct MediaRanges<'h> {
    rest: &'h [u8],
}

impl<'h> Iterator for MediaRanges<'h> {
    type Item = Result<MediaRange<'h>, Malformed<'h>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.rest = scan::after_space(self.rest);
            match self.rest {
                [] => return None,
                [b',', rest @ ..] => self.rest = rest,
                _ => break,
            }
        }
        if let Some((range, rest)) = media_range(self.rest) {
            self.rest = rest;
            return Some(Ok(range));
        }
        let (member, rest) = scan::member(self.rest);
        self.rest = rest;
        Some(Err(Malformed(member)))
    }
}

/// The range at the start of a list, and what follows the comma behind it.
#[inline]
fn media_range(text: &[u8]) -> Option<(MediaRange<'_>, &[u8])> {
    let kind_length = scan::token_length(text);
    let (kind, rest) = text.split_at(kind_length);
    let [b'/', rest @ ..] = rest else { return None };
    let (subtype, parameters) = rest.split_at(scan::token_length(rest));
    // `*` stands for a whole type only where the subtype is any, too.
    if kind.is_empty() || subtype.is_empty() || kind == b"*" && subtype != b"*" {
        return None;
    }
    let mut range =
        MediaRange { kind, subtype, parameters, parameter_count: 0, quality: Quality::ONE };
    let mut weighed = false;
    let mut rest = parameters;
    loop {
        rest = scan::after_space(rest);
        match rest {
            [] => break,
            [b',', behind @ ..] => {
                range.parameters = &parameters[..parameters.len() - rest.len()];
                return Some((range, behind));
            }
            [b';', behind @ ..] => {
                let (found, behind) = scan::parameter(behind)?;
                rest = behind;
                match found {
                    // Any parameter named q is the weight, wherever it stands (section 12.5.1).
                    Some((name, value)) if is_weight(name) => {
                        range.quality = Quality::parse(value)?;
                        if std::mem::replace(&mut weighed, true) {
                            return None;
                        }
                    }
                    Some(_) => range.parameter_count = (range.parameter_count + 1).min(31),
                    None => {}
                }
            }
            _ => return None,
        }
    }
    Some((range, rest))
}

fn is_weight(name: &[u8]) -> bool {
    matches!(name, [b'q' | b'Q'])
}

/// How good each offer is to a client: `found` is called with every range that describes one
/// better than all before it.
///
/// Returns whether there was any well-formed member, or none at all that is malformed.
#[inline]
pub(super) fn weigh<'h>(field: &'h [u8], offers: &[Offer], best: &mut [Weighed<'h>]) -> bool {
    let (mut well_formed, mut malformed) = (false, false);
    for range in media_ranges(field) {
        let Ok(range) = range else {
            malformed = true;
            continue;
        };
        well_formed = true;
        for (offer, best) in offers.iter().zip(best.iter_mut()) {
            if let Some(precedence) = range.precedence(offer)
                && best.precedence.is_none_or(|known| precedence > known)
            {
                *best = Weighed {
                    precedence: Some(precedence),
                    quality: range.quality,
                    range: Some(range),
                };
            }
        }
    }
    well_formed || !malformed
}

/// What is known of an offer while the ranges go by. Of two ranges that describe it equally well,
/// the first counts.
#[derive(Clone, Copy)]
pub(super) struct Weighed<'h> {
    precedence: Option<Precedence>,
    pub(super) quality: Quality,
    pub(super) range: Option<MediaRange<'h>>,
}

impl Weighed<'_> {
    pub(super) const UNKNOWN: Weighed<'static> =
        Weighed { precedence: None, quality: Quality::ZERO, range: None };
}
