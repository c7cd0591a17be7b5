//! `Accept-Encoding` and `Accept-Charset` (RFC 9110, sections 12.5.3 and 12.5.2): tokens with
//! quality values.

use super::accept::Malformed;
use super::syntax;
use super::syntax::Quality;

/// One member of `Accept-Encoding` or `Accept-Charset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenRange<'h> {
    /// The token as it was sent; `*` for any that is not listed.
    pub token: &'h [u8],
    /// The quality.
    pub quality: Quality,
}

impl TokenRange<'_> {
    /// Returns whether the token names this coding, ignoring case. `x-gzip` is gzip (section
    /// 8.4.1.3).
    pub fn is_coding(&self, coding: &str) -> bool {
        is_coding(coding, self.token)
    }
}

/// Returns the members of an `Accept-Encoding` or `Accept-Charset` field in their order. Parameters
/// other than the weight are not in the grammar, and are ignored.
pub fn token_ranges(field: &[u8]) -> TokenRanges<'_> {
    TokenRanges { rest: field }
}

/// The iterator of [`token_ranges`].
#[derive(Clone, Debug)]
pub struct TokenRanges<'h> {
    rest: &'h [u8],
}

impl<'h> Iterator for TokenRanges<'h> {
    type Item = Result<TokenRange<'h>, Malformed<'h>>;

    fn next(&mut self) -> Option<Self::Item> {
        syntax::next_member(&mut self.rest, token_range).map(|found| found.map_err(Malformed))
    }
}

/// Parses the member at the start of a list. Returns it with the text after its comma.
fn token_range(text: &[u8]) -> Option<(TokenRange<'_>, &[u8])> {
    let (token, mut rest) = text.split_at(syntax::token_length(text));
    if token.is_empty() {
        return None;
    }
    let mut quality = Quality::ONE;
    loop {
        rest = syntax::after_space(rest);
        match rest {
            [] => return Some((TokenRange { token, quality }, rest)),
            [b',', behind @ ..] => return Some((TokenRange { token, quality }, behind)),
            [b';', behind @ ..] => {
                let (found, behind) = syntax::parameter(behind)?;
                rest = behind;
                if let Some(([b'q' | b'Q'], value)) = found {
                    quality = Quality::parse(value)?;
                }
            }
            _ => return None,
        }
    }
}

/// Returns the quality of a token, or that of `*`, or nothing if neither is listed. If two members
/// have the same token, the first counts.
fn quality_of(field: &[u8], is_it: impl Fn(&[u8]) -> bool) -> Option<Quality> {
    let mut any = None;
    for range in token_ranges(field).flatten() {
        if is_it(range.token) {
            return Some(range.quality);
        }
        if range.token == b"*" {
            any.get_or_insert(range.quality);
        }
    }
    any
}

/// The choice of a content coding by `Accept-Encoding`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodingChoice {
    /// The index of the offer with the highest quality, if it is not below that of identity.
    pub coding: Option<usize>,
    /// Indicates whether the response is acceptable without a coding, which is the default.
    pub identity: bool,
}

impl CodingChoice {
    /// Returns whether nothing on offer is acceptable, which is 406.
    pub fn is_unacceptable(self) -> bool {
        self.coding.is_none() && !self.identity
    }
}

/// Chooses a content coding from `offers`, tokens in order of preference.
///
/// Identity (no coding) is always offered last. If the field does not list it, it is acceptable
/// with the lowest preference. Without the field, any coding would be acceptable (section 12.5.3,
/// rule 1), but such a client may be unable to decode it, so none is chosen.
pub fn choose_coding(field: Option<&[u8]>, offers: &[&str]) -> CodingChoice {
    let Some(field) = field else { return CodingChoice { coding: None, identity: true } };
    let identity = quality_of(field, |token| token.eq_ignore_ascii_case(b"identity"));
    let mut coding = None;
    let mut best = identity.unwrap_or(Quality::ZERO);
    for (index, offer) in offers.iter().enumerate() {
        let quality = quality_of(field, |token| is_coding(offer, token)).unwrap_or(Quality::ZERO);
        // On a tie, the offer wins against identity, but not against an earlier offer.
        if quality.is_acceptable() && (quality > best || quality == best && coding.is_none()) {
            best = quality;
            coding = Some(index);
        }
    }
    CodingChoice { coding, identity: identity.is_none_or(Quality::is_acceptable) }
}

/// Returns whether a token names a coding, ignoring case. `x-gzip` is gzip (section 8.4.1.3).
fn is_coding(offer: &str, token: &[u8]) -> bool {
    let plain = |name: &[u8]| offer.as_bytes().eq_ignore_ascii_case(name);
    match token {
        [b'x' | b'X', b'-', name @ ..] if name.eq_ignore_ascii_case(b"gzip") => {
            plain(name) || plain(token)
        }
        _ => plain(token),
    }
}

/// Chooses a charset from `offers`, in order of preference, and returns its index. If the client
/// accepts none of them, the field is ignored, as section 12.5.2 permits: text in another charset
/// is better than no text.
pub fn choose_charset(field: Option<&[u8]>, offers: &[&str]) -> Option<usize> {
    let first = (!offers.is_empty()).then_some(0);
    let Some(field) = field else { return first };
    let mut best = (Quality::ZERO, None);
    for (index, offer) in offers.iter().enumerate() {
        let quality = quality_of(field, |token| offer.as_bytes().eq_ignore_ascii_case(token));
        if let Some(quality) = quality
            && quality > best.0
        {
            best = (quality, Some(index));
        }
    }
    best.1.or(first)
}
