//! The choice among a server's offers by `Accept`: each offer is weighed by the range that
//! describes it most closely, with a fast path for plain media types.

use super::accept::{MatchClass, MediaRange, Precedence, RangeWidth, media_ranges};
use super::cache::ChoiceCache;
use super::offer::Offer;
use super::syntax;
use super::syntax::Quality;
use super::tokens::{CodingChoice, choose_coding};

/// The cached value for no choice.
const NONE: u8 = u8::MAX;

/// The number of offers that are weighed without allocation: more than there are formats.
const INLINE_OFFERS: usize = 16;

/// The representations that a server offers, in order of preference.
///
/// [`Offers::choose`] caches its choices: at most 64 per thread, for fields up to 256 bytes.
#[derive(Debug)]
pub struct Offers {
    offers: Vec<Offer>,
    /// The media types in the exact spelling that most clients send, and the choice for each. That may
    /// be an earlier offer, of the same media type with a parameter.
    plain: Vec<(Vec<u8>, usize)>,
    names: NameTable,
    cache: ChoiceCache,
}

/// The quality of an offer for a client, and the range of `Accept` that decides it.
#[derive(Clone, Copy, Debug)]
pub struct Weight<'h> {
    /// The quality; zero if no range matches.
    pub quality: Quality,
    /// The most specific matching range; none if no range matches or the field is absent.
    pub range: Option<MediaRange<'h>>,
}

impl Offers {
    /// Creates offers in order of preference. Offers beyond the 255th are ignored.
    pub fn new(offers: impl IntoIterator<Item = Offer>) -> Self {
        let offers: Vec<Offer> = offers.into_iter().take(usize::from(NONE)).collect();
        let fields: Vec<_> = offers.iter().map(|offer| offer.media_type().to_string()).collect();
        let names = NameTable::new(&offers);
        let mut offers = Offers { offers, plain: Vec::new(), names, cache: ChoiceCache::new() };
        let fields = fields.into_iter().map(String::into_bytes);
        offers.plain = fields
            .filter_map(|field| offers.choose_uncached(&field).map(|choice| (field, choice)))
            .collect();
        offers
    }

    /// Returns the offers in their order.
    pub fn as_slice(&self) -> &[Offer] {
        &self.offers
    }

    /// Returns the index of the offer that `Accept` prefers, or nothing if it accepts none. Without
    /// the field, everything is acceptable.
    #[inline]
    pub fn choose(&self, field: Option<&[u8]>) -> Option<usize> {
        let Some(field) = field else { return self.first() };
        if let Some((_, choice)) = self.plain.iter().find(|(plain, _)| plain == field) {
            return Some(*choice);
        }
        if field == b"*/*" {
            return self.first();
        }
        let choice = self
            .cache
            .get_or_choose(field, || self.choose_uncached(field).map_or(NONE, |index| index as u8));
        (choice != NONE).then_some(usize::from(choice))
    }

    /// Returns the quality of each offer with the range that decides it.
    pub fn weights<'h>(&self, field: Option<&'h [u8]>) -> Vec<Weight<'h>> {
        let mut best = vec![BestRange::unknown(None); self.offers.len()];
        let read = field.map(|field| weigh(field, &self.offers, &mut best, |_, _| false, Some));
        let weight = |weighed: &BestRange<Option<MediaRange<'h>>>| Weight {
            quality: if read == Some(FieldValidity::Read) { weighed.quality } else { Quality::ONE },
            range: weighed.range,
        };
        best.iter().map(weight).collect()
    }

    fn first(&self) -> Option<usize> {
        (!self.offers.is_empty()).then_some(0)
    }

    fn choose_uncached(&self, field: &[u8]) -> Option<usize> {
        let mut inline = [BestRange::unknown(()); INLINE_OFFERS];
        match inline.get_mut(..self.offers.len()) {
            Some(best) => self.choose_by(field, best),
            None => self.choose_of_many(field),
        }
    }

    #[cold]
    #[inline(never)]
    fn choose_of_many(&self, field: &[u8]) -> Option<usize> {
        self.choose_by(field, &mut vec![BestRange::unknown(()); self.offers.len()])
    }

    /// Returns the choice, with `best` as the working space.
    #[inline]
    fn choose_by(&self, field: &[u8], best: &mut [BestRange<()>]) -> Option<usize> {
        let fast_path = |rest: &mut &[u8], best: &mut [BestRange<()>]| self.names.weigh(rest, best);
        if weigh(field, &self.offers, best, fast_path, |_| ()) == FieldValidity::Malformed {
            return self.first();
        }
        let mut choice = None;
        let mut quality = Quality::ZERO;
        for (index, weighed) in best.iter().enumerate() {
            if weighed.quality > quality {
                quality = weighed.quality;
                choice = Some(index);
            }
        }
        choice
    }
}

/// The content codings that a server offers, in order of preference. Choices are cached, as by
/// [`Offers`].
#[derive(Debug)]
pub struct CodingOffers {
    offers: Vec<&'static str>,
    cache: ChoiceCache,
}

/// The bit of a cached choice that says that identity is acceptable, beside the index of the
/// coding.
const IDENTITY: u8 = 0x80;
const NO_CODING: u8 = 0x7F;

impl CodingOffers {
    /// Creates offers by the tokens of codings, in order of preference. Codings beyond the 127th
    /// are ignored.
    pub fn new(offers: impl IntoIterator<Item = &'static str>) -> Self {
        let offers = offers.into_iter().take(usize::from(NO_CODING)).collect();
        CodingOffers { offers, cache: ChoiceCache::new() }
    }

    /// Returns the tokens in their order.
    pub fn as_slice(&self) -> &[&'static str] {
        &self.offers
    }

    /// Chooses as [`choose_coding`] does.
    #[inline]
    pub fn choose(&self, field: Option<&[u8]>) -> CodingChoice {
        let Some(field) = field else { return CodingChoice { coding: None, identity: true } };
        let choice = self.cache.get_or_choose(field, || {
            let choice = choose_coding(Some(field), &self.offers);
            let identity = if choice.identity { IDENTITY } else { 0 };
            choice.coding.map_or(NO_CODING, |index| index as u8) | identity
        });
        let coding = choice & !IDENTITY;
        CodingChoice {
            coding: (coding != NO_CODING).then_some(usize::from(coding)),
            identity: choice & IDENTITY != 0,
        }
    }
}

/// The best match of an offer among the ranges so far. If two ranges are equally specific, the
/// first counts.
#[derive(Clone, Copy)]
struct BestRange<R> {
    precedence: Precedence,
    pub(super) quality: Quality,
    /// The value that the caller keeps of the range.
    pub(super) range: R,
}

impl<R> BestRange<R> {
    /// Creates the state before any range matched.
    pub(super) const fn unknown(range: R) -> Self {
        BestRange { precedence: Precedence::NONE, quality: Quality::ZERO, range }
    }

    /// Takes a range's quality if the range is more specific than those before.
    #[inline]
    fn update(&mut self, precedence: Precedence, quality: Quality, range: R) {
        if precedence > self.precedence {
            *self = BestRange { precedence, quality, range };
        }
    }
}

/// The validity of a field as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldValidity {
    /// The field has only malformed members, and is treated as absent.
    Malformed,
    /// The field was read, and decides which offers are acceptable.
    Read,
}

/// Weighs the offers by each range. `keep` returns the value to keep of the range that decides.
/// `fast_path` may consume members at the start of the list.
///
/// If RFC 9110 finds nothing acceptable, ranges of the same structured syntax are tried.
#[inline]
fn weigh<'h, R>(
    field: &'h [u8],
    offers: &[Offer],
    best: &mut [BestRange<R>],
    fast_path: impl Fn(&mut &'h [u8], &mut [BestRange<R>]) -> bool,
    keep: impl Fn(MediaRange<'h>) -> R + Copy,
) -> FieldValidity {
    let (mut well_formed, mut malformed) = (false, false);
    let mut ranges = media_ranges(field);
    loop {
        well_formed |= fast_path(ranges.rest_mut(), best);
        match ranges.next() {
            None => break,
            Some(Ok(range)) => {
                well_formed = true;
                apply_range(range, offers, best, MediaRange::precedence, keep);
            }
            Some(Err(_)) => malformed = true,
        }
    }
    if !well_formed && malformed {
        return FieldValidity::Malformed;
    }
    if !best.iter().any(|weighed| weighed.quality.is_acceptable()) {
        weigh_by_suffix(field, offers, best, keep);
    }
    FieldValidity::Read
}

#[cold]
#[inline(never)]
fn weigh_by_suffix<'h, R>(
    field: &'h [u8],
    offers: &[Offer],
    best: &mut [BestRange<R>],
    keep: impl Fn(MediaRange<'h>) -> R + Copy,
) {
    for range in media_ranges(field).flatten() {
        apply_range(range, offers, best, MediaRange::precedence_by_suffix, keep);
    }
}

#[inline]
fn apply_range<'h, R>(
    range: MediaRange<'h>,
    offers: &[Offer],
    best: &mut [BestRange<R>],
    precedence: impl Fn(&MediaRange<'h>, RangeWidth, &Offer) -> Option<Precedence>,
    keep: impl Fn(MediaRange<'h>) -> R,
) {
    let width = range.width();
    for (offer, best) in offers.iter().zip(best.iter_mut()) {
        if let Some(precedence) = precedence(&range, width, offer) {
            best.update(precedence, range.quality(), keep(range));
        }
    }
}

/// A name of 16 to 24 bytes, as three words of which the last may overlap the second.
/// `application/json` has 16 bytes, `application/x-protobuf` 22.
#[derive(Clone, Copy, Debug)]
struct OfferName {
    words: [u64; 3],
    length: u8,
    /// The index of the offer with this name.
    offer: u8,
    precedence: Precedence,
    /// Indicates whether the next entry of the table has the same name for another offer: two
    /// layouts of a format share a name.
    is_repeated: bool,
}

impl OfferName {
    /// Creates the entry of a name. Returns nothing for a name of another length, which the general
    /// parser handles.
    fn new(essence: &str, offer: usize, class: MatchClass) -> Option<OfferName> {
        let length = u8::try_from(essence.len()).ok().filter(|length| *length <= 24)?;
        let [first, second] = first_words(essence.as_bytes())?;
        Some(OfferName {
            words: [first, second, last_word(essence.as_bytes(), length)?],
            length,
            offer: u8::try_from(offer).ok()?,
            precedence: Precedence::new(class, 0),
            is_repeated: false,
        })
    }
}

/// The names of 16 to 24 bytes of all offers. Equal names are adjacent.
#[derive(Debug)]
struct NameTable(Vec<OfferName>);

impl NameTable {
    pub(super) fn new(offers: &[Offer]) -> NameTable {
        let mut names: Vec<OfferName> = Vec::new();
        for (index, offer) in offers.iter().enumerate() {
            let own = offer.media_type().essence();
            let aliases = offer.aliases().map(|alias| (alias, MatchClass::Alias));
            for (essence, class) in [(own, MatchClass::Exact)].into_iter().chain(aliases) {
                let Some(mut name) = OfferName::new(essence, index, class) else { continue };
                // The words of names that differ in length can be the same, because they overlap.
                let is_same =
                    |known: &OfferName| known.length == name.length && known.words == name.words;
                match names.iter().position(is_same) {
                    None => names.push(name),
                    Some(at) => {
                        name.is_repeated = true;
                        names.insert(at, name);
                    }
                }
            }
        }
        NameTable(names)
    }

    /// Weighs the offers by the members at the start of a list that are exactly one of these names,
    /// with no parameter but a weight. `rest` becomes the text after them, whose first member may
    /// be any range. Returns false if there was no such member.
    #[inline]
    fn weigh(&self, rest: &mut &[u8], best: &mut [BestRange<()>]) -> bool {
        let before = rest.len();
        let mut list = *rest;
        while let Some((known, quality, behind)) = self.read(syntax::after_space(list)) {
            for name in known {
                if let Some(best) = best.get_mut(usize::from(name.offer)) {
                    best.update(name.precedence, quality, ());
                }
                if !name.is_repeated {
                    break;
                }
            }
            list = behind;
        }
        *rest = list;
        list.len() < before
    }

    /// Reads the name at the start of a list. Returns the table from that name on, the weight, and
    /// the text after the comma.
    #[inline(always)]
    fn read<'h>(&self, text: &'h [u8]) -> Option<(&[OfferName], Quality, &'h [u8])> {
        let [first, second] = first_words(text)?;
        let is_it = |name: &OfferName| {
            // Names nearly always differ in their second word.
            name.words[1] == second
                && name.words[0] == first
                && last_word(text, name.length) == Some(name.words[2])
        };
        let known = self.0.get(self.0.iter().position(is_it)?..)?;
        let rest = text.get(usize::from(known.first()?.length)..)?;
        match rest {
            [] => return Some((known, Quality::ONE, rest)),
            [b',', behind @ ..] => return Some((known, Quality::ONE, behind)),
            _ => {}
        }
        // Anything else may be another parameter, a weight in another spelling, or a longer name.
        let (weight, digits) = rest.split_first_chunk()?;
        if weight != b";q=0." {
            return None;
        }
        let mut digits = digits.iter();
        Some((known, Quality::parse_digits(&mut digits)?, digits.as_slice()))
    }
}

#[inline]
fn first_words(text: &[u8]) -> Option<[u64; 2]> {
    let both = u128::from_le_bytes(*text.first_chunk::<16>()?);
    Some([both as u64, (both >> 64) as u64])
}

/// Returns the word that ends where a text of this length ends.
#[inline]
fn last_word(text: &[u8], length: u8) -> Option<u64> {
    Some(u64::from_le_bytes(*text.get(..usize::from(length))?.last_chunk::<8>()?))
}
