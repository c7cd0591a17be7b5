use super::accept::MediaRange;
use super::cache::Question;
use super::names::Names;
use super::offer::Offer;
use super::quality::Quality;
use super::token::{CodingChoice, choose_coding};
use super::weigh::{Field, Weighed, weigh};

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
    names: Names,
    question: Question,
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
        let names = Names::of(&offers);
        Offers { offers, plain, names, question: Question::new() }
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
            .question
            .answer(field, || self.choose_uncached(field).map_or(NONE, |index| index as u8));
        (choice != NONE).then_some(usize::from(choice))
    }

    /// How good each offer is to a client, and why.
    pub fn weights<'h>(&self, field: Option<&'h [u8]>) -> Vec<Weight<'h>> {
        let mut best = vec![Weighed::unknown(None); self.offers.len()];
        let read = field.map(|field| weigh(field, &self.offers, &mut best, |_, _| false, Some));
        let weight = |weighed: &Weighed<Option<MediaRange<'h>>>| Weight {
            quality: if read == Some(Field::Read) { weighed.quality } else { Quality::ONE },
            range: weighed.range,
        };
        best.iter().map(weight).collect()
    }

    fn first(&self) -> Option<usize> {
        (!self.offers.is_empty()).then_some(0)
    }

    fn choose_uncached(&self, field: &[u8]) -> Option<usize> {
        let mut inline = [Weighed::unknown(()); INLINE_OFFERS];
        match inline.get_mut(..self.offers.len()) {
            Some(best) => self.choose_by(field, best),
            None => self.choose_of_many(field),
        }
    }

    #[cold]
    #[inline(never)]
    fn choose_of_many(&self, field: &[u8]) -> Option<usize> {
        self.choose_by(field, &mut vec![Weighed::unknown(()); self.offers.len()])
    }

    /// The choice, with room for what is known of each offer.
    #[inline]
    fn choose_by(&self, field: &[u8], best: &mut [Weighed<()>]) -> Option<usize> {
        let ahead = |rest: &mut &[u8], best: &mut [Weighed<()>]| self.names.weigh(rest, best);
        if weigh(field, &self.offers, best, ahead, |_| ()) == Field::Malformed {
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
    question: Question,
}

/// Set in the cache where identity is acceptable, beside the index of the coding.
const IDENTITY: u8 = 0x80;
const NO_CODING: u8 = 0x7F;

impl CodingOffers {
    /// Codings by their tokens, in the order of preference; beyond the 126th none is ever chosen.
    pub fn new(offers: impl IntoIterator<Item = &'static str>) -> Self {
        let offers = offers.into_iter().take(usize::from(NO_CODING)).collect();
        CodingOffers { offers, question: Question::new() }
    }

    /// The tokens in their order.
    pub fn as_slice(&self) -> &[&'static str] {
        &self.offers
    }

    /// As [`choose_coding`].
    #[inline]
    pub fn choose(&self, field: Option<&[u8]>) -> CodingChoice {
        let Some(field) = field else { return CodingChoice { coding: None, identity: true } };
        let choice = self.question.answer(field, || {
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
