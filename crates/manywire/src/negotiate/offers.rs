//! The choice among a server's offers by `Accept`: each offer is weighed by the range that describes
//! it most closely, with a fast path for plain media types.

use super::accept::{MatchClass, MediaRange, Precedence, RangeWidth, media_ranges};
use super::cache::ChoiceCache;
use super::offer::Offer;
use super::syntax;
use super::syntax::Quality;
use super::tokens::{CodingChoice, choose_coding};

/// What stands for no choice in the cache.
const NONE: u8 = u8::MAX;

/// How many offers are weighed without allocating: more than there are formats.
const INLINE_OFFERS: usize = 16;

/// What a server can make of one thing, the representation it likes best first.
///
/// [`Offers::choose`] remembers its choices: at most 64 a thread, of fields up to 256 bytes.
#[derive(Debug)]
pub struct Offers {
    offers: Vec<Offer>,
    /// The media types as clients send them most often: alone, and in these very letters.
    plain: Vec<Vec<u8>>,
    names: NameTable,
    cache: ChoiceCache,
}

/// How good an offer is to a client, and the range of `Accept` that says so.
#[derive(Clone, Copy, Debug)]
pub struct Weight<'h> {
    /// Zero where no range describes it.
    pub quality: Quality,
    /// The most specific range that describes it; none where there is none, or no field.
    pub range: Option<MediaRange<'h>>,
}

impl Offers {
    /// Offers in the order of preference; beyond the 254th none is ever chosen.
    pub fn new(offers: impl IntoIterator<Item = Offer>) -> Self {
        let offers: Vec<Offer> = offers.into_iter().take(usize::from(NONE)).collect();
        let plain = offers.iter().map(|offer| offer.media_type().to_string().into()).collect();
        let names = NameTable::new(&offers);
        Offers { offers, plain, names, cache: ChoiceCache::new() }
    }

    /// The offers in their order.
    pub fn as_slice(&self) -> &[Offer] {
        &self.offers
    }

    /// The index of the offer a client likes best, by its `Accept` field; nothing if it accepts
    /// none. Without the field, it accepts anything.
    #[inline]
    pub fn choose(&self, field: Option<&[u8]>) -> Option<usize> {
        let Some(field) = field else { return self.first() };
        if let Some(index) = self.plain.iter().position(|plain| plain == field) {
            return Some(index);
        }
        if field == b"*/*" {
            return self.first();
        }
        let choice = self
            .cache
            .get_or_choose(field, || self.choose_uncached(field).map_or(NONE, |index| index as u8));
        (choice != NONE).then_some(usize::from(choice))
    }

    /// How good each offer is to a client, and why.
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

    /// The choice, with room for what is known of each offer.
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

/// The content codings a server can apply, the one it likes best first. Remembers its choices as
/// [`Offers`] do.
#[derive(Debug)]
pub struct CodingOffers {
    offers: Vec<&'static str>,
    cache: ChoiceCache,
}

/// Set in the cache where identity is acceptable, beside the index of the coding.
const IDENTITY: u8 = 0x80;
const NO_CODING: u8 = 0x7F;

impl CodingOffers {
    /// Codings by their tokens, in the order of preference; beyond the 126th none is ever chosen.
    pub fn new(offers: impl IntoIterator<Item = &'static str>) -> Self {
        let offers = offers.into_iter().take(usize::from(NO_CODING)).collect();
        CodingOffers { offers, cache: ChoiceCache::new() }
    }

    /// The tokens in their order.
    pub fn as_slice(&self) -> &[&'static str] {
        &self.offers
    }

    /// As [`choose_coding`].
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

/// What is known of an offer while the ranges go by. Of two ranges that describe it equally well,
/// the first counts.
#[derive(Clone, Copy)]
pub(super) struct BestRange<R> {
    precedence: Precedence,
    pub(super) quality: Quality,
    /// What the caller keeps of the range.
    pub(super) range: R,
}

impl<R> BestRange<R> {
    /// No range has described it so far.
    pub(super) const fn unknown(range: R) -> Self {
        BestRange { precedence: Precedence::NONE, quality: Quality::ZERO, range }
    }

    /// Takes the word of a range, if it describes the offer more closely than those before.
    #[inline]
    pub(super) fn update(&mut self, precedence: Precedence, quality: Quality, range: R) {
        if precedence > self.precedence {
            *self = BestRange { precedence, quality, range };
        }
    }
}

/// What a field says at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldValidity {
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

/// A name of 16 to 24 bytes (`application/json` has 16, `application/x-protobuf` 22): three words,
/// the last of which may overlap the second, hold all of it.
#[derive(Clone, Copy, Debug)]
struct OfferName {
    words: [u64; 3],
    length: u8,
    /// Which offer goes by it, and how closely the name describes it.
    offer: u8,
    precedence: Precedence,
    /// Whether the next of the table is the same, of another offer: two layouts of a format have
    /// one name.
    is_repeated: bool,
}

impl OfferName {
    /// Nothing for a name of another length: it is found as any other text is.
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

/// Every name of every offer that has one of that length; equal ones are neighbours.
#[derive(Debug)]
pub(super) struct NameTable(Vec<OfferName>);

impl NameTable {
    pub(super) fn new(offers: &[Offer]) -> NameTable {
        let mut names: Vec<OfferName> = Vec::new();
        for (index, offer) in offers.iter().enumerate() {
            let own = offer.media_type().essence();
            let aliases = offer.aliases().map(|alias| (alias, MatchClass::Alias));
            for (essence, class) in [(own, MatchClass::Exact)].into_iter().chain(aliases) {
                let Some(mut name) = OfferName::new(essence, index, class) else { continue };
                let is_same = |known: &OfferName| known.words == name.words;
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

    /// Weighs the offers by the members at the start of a list that are one of these names with no
    /// more than a weight, and leaves in `rest` what follows them: a member there may still be any
    /// of the things that a range can be. False if there was none.
    #[inline]
    pub(super) fn weigh(&self, rest: &mut &[u8], best: &mut [BestRange<()>]) -> bool {
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

    /// The name at the start of a list with those behind it in the table, the weight, and what
    /// follows the comma.
    #[inline(always)]
    fn read<'h>(&self, text: &'h [u8]) -> Option<(&[OfferName], Quality, &'h [u8])> {
        let [first, second] = first_words(text)?;
        let is_it = |name: &OfferName| {
            // NameTable nearly always differ in their second word.
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
        // Anything else may be other parameters, a weight in other words, or a longer name.
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

/// The word that ends where a text of this length does.
#[inline]
fn last_word(text: &[u8], length: u8) -> Option<u64> {
    Some(u64::from_le_bytes(*text.get(..usize::from(length))?.last_chunk::<8>()?))
}
