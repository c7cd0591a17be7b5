//! `Accept` (RFC 9110, section 12.5.1): its media ranges, and how specifically each matches an
//! offer.

use std::fmt;

use super::offer::Offer;
use super::syntax;
use super::syntax::Quality;

/// One member of `Accept`: a media range with its quality.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MediaRange<'h> {
    /// Type, slash and subtype, as they were sent.
    essence: &'h [u8],
    slash: usize,
    /// The text from the first `;` on, including the weight.
    parameters: &'h [u8],
    parameter_count: u8,
    quality: Quality,
}

impl<'h> MediaRange<'h> {
    /// Returns the type as it was sent; `*` for any.
    pub fn kind(&self) -> &'h [u8] {
        &self.essence[..self.slash]
    }

    /// Returns the subtype as it was sent; `*` for any.
    pub fn subtype(&self) -> &'h [u8] {
        &self.essence[self.slash + 1..]
    }

    /// Returns the parameters without the weight: names and values as they were sent, including the
    /// quotes of values.
    pub fn parameters(&self) -> impl Iterator<Item = (&'h [u8], &'h [u8])> + use<'h> {
        let mut rest = self.parameters;
        std::iter::from_fn(move || {
            loop {
                let [b';', behind @ ..] = syntax::after_space(rest) else { return None };
                let (found, behind) = syntax::parameter(behind)?;
                rest = behind;
                match found {
                    Some((name, _)) if is_weight(name) => {}
                    Some(found) => return Some(found),
                    None => {}
                }
            }
        })
    }

    /// Returns the weight.
    pub fn quality(&self) -> Quality {
        self.quality
    }

    /// Returns the width of the range, which is computed once for all offers.
    #[inline]
    pub(super) fn width(&self) -> RangeWidth {
        match self.essence {
            b"*/*" => RangeWidth::Any,
            [.., b'/', b'*'] => RangeWidth::Kind,
            _ => RangeWidth::Named,
        }
    }

    /// Returns how specifically this range matches the offer, or nothing if it does not match.
    #[inline]
    pub(super) fn precedence(&self, width: RangeWidth, offer: &Offer) -> Option<Precedence> {
        let class = match width {
            RangeWidth::Named if offer.is(self.essence) => MatchClass::Exact,
            RangeWidth::Named if offer.is_also(self.essence) => MatchClass::Alias,
            RangeWidth::Named => return None,
            RangeWidth::Kind if offer.is_of_kind(self.kind()) => MatchClass::Kind,
            RangeWidth::Kind => return None,
            RangeWidth::Any => MatchClass::Any,
        };
        self.with_parameters(class, offer)
    }

    /// Returns how specifically this range matches an offer of the same structured syntax, which is
    /// an extension of RFC 9110. A quality of zero is ignored here: refusing one media type must
    /// not refuse all others of its syntax.
    pub(super) fn precedence_by_suffix(
        &self,
        _width: RangeWidth,
        offer: &Offer,
    ) -> Option<Precedence> {
        let is_match = self.quality.is_acceptable()
            && offer.is_of_kind(self.kind())
            && offer.has_same_syntax(self.subtype());
        if is_match { self.with_parameters(MatchClass::Suffix, offer) } else { None }
    }

    #[inline]
    fn with_parameters(&self, class: MatchClass, offer: &Offer) -> Option<Precedence> {
        let agrees = self.parameter_count == 0
            || self.parameters().all(|(name, value)| offer.has(name, value));
        agrees.then_some(Precedence::new(class, self.parameter_count))
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
        f.write_str(&text(self.essence))?;
        for (name, value) in self.parameters() {
            write!(f, ";{}={}", text(name), text(value))?;
        }
        if self.quality == Quality::ONE { Ok(()) } else { write!(f, ";q={}", self.quality) }
    }
}

/// The width of a range.
#[derive(Clone, Copy)]
pub(super) enum RangeWidth {
    /// One media type.
    Named,
    /// All subtypes of a type.
    Kind,
    /// All media types.
    Any,
}

/// The precedence of a match (section 12.5.1): the most specific range wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Precedence(u16);

impl Precedence {
    /// No match.
    pub(super) const NONE: Precedence = Precedence(0);

    /// Creates the precedence of a match of this class and of this many parameters, at most 31.
    pub(super) const fn new(class: MatchClass, parameters: u8) -> Self {
        Precedence(class as u16 * 32 + parameters as u16)
    }
}

/// The class of a match, the least specific first.
#[derive(Clone, Copy, Debug)]
pub(super) enum MatchClass {
    /// `application/vnd.x+json` and `application/json` have the same syntax. This is an extension
    /// of the RFC, used only if nothing else is acceptable.
    Suffix = 1,
    /// `*/*`.
    Any,
    /// `application/*`.
    Kind,
    /// An alias of the offer.
    Alias,
    /// The media type of the offer.
    Exact,
}

/// The error for a malformed member of `Accept`, `Accept-Encoding` or `Accept-Charset`, with the
/// text of the member. Negotiation ignores malformed members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed<'h>(pub &'h [u8]);

/// Returns the members of an `Accept` field in their order. Empty members are skipped (section
/// 5.6.1.2).
pub fn media_ranges(field: &[u8]) -> MediaRanges<'_> {
    MediaRanges { rest: field }
}

/// The iterator of [`media_ranges`].
#[derive(Clone, Debug)]
pub struct MediaRanges<'h> {
    rest: &'h [u8],
}

impl<'h> MediaRanges<'h> {
    /// Returns the text that is not parsed yet.
    pub(super) fn rest_mut(&mut self) -> &mut &'h [u8] {
        &mut self.rest
    }
}

impl<'h> Iterator for MediaRanges<'h> {
    type Item = Result<MediaRange<'h>, Malformed<'h>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        syntax::next_member(&mut self.rest, media_range).map(|found| found.map_err(Malformed))
    }
}

/// Parses the range at the start of a list. Returns it with the text after its comma.
#[inline]
fn media_range(text: &[u8]) -> Option<(MediaRange<'_>, &[u8])> {
    let slash = syntax::token_length(text);
    let [b'/', subtype @ ..] = &text[slash..] else { return None };
    let subtype_length = syntax::token_length(subtype);
    // A type of `*` is valid only with a subtype of `*`.
    if slash == 0
        || subtype_length == 0
        || text.first() == Some(&b'*') && slash == 1 && &subtype[..subtype_length] != b"*"
    {
        return None;
    }
    let (essence, parameters) = text.split_at(slash + 1 + subtype_length);
    let mut range =
        MediaRange { essence, slash, parameters, parameter_count: 0, quality: Quality::ONE };
    let mut weighed = false;
    let mut rest = parameters;
    loop {
        rest = syntax::after_space(rest);
        match rest {
            [] => break,
            [b',', behind @ ..] => {
                range.parameters = &parameters[..parameters.len() - rest.len()];
                return Some((range, behind));
            }
            [b';', behind @ ..] => {
                // Nearly every parameter is the weight, so it is parsed without a search for the
                // end of its name.
                if let [b'q', b'=', value @ ..] = behind {
                    let length = syntax::token_length(value);
                    range.quality = Quality::parse(&value[..length])?;
                    rest = &value[length..];
                    if std::mem::replace(&mut weighed, true) {
                        return None;
                    }
                    continue;
                }
                let (found, behind) = syntax::parameter(behind)?;
                rest = behind;
                match found {
                    // Any parameter named q is the weight, wherever it is (section 12.5.1).
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
