//! The names of what is on offer, as words to compare with: most members of an `Accept` are one
//! of them letter by letter, with nothing behind it but a weight. They need not be looked at byte
//! by byte.

use super::accept::{Class, Precedence};
use super::offer::Offer;
use super::quality::Quality;
use super::scan;
use super::weigh::Weighed;

/// A name of 16 to 24 bytes (`application/json` has 16, `application/x-protobuf` 22): three words,
/// the last of which may overlap the second, hold all of it.
#[derive(Clone, Copy, Debug)]
struct Name {
    words: [u64; 3],
    length: u8,
    /// Which offer goes by it, and how closely the name describes it.
    offer: u8,
    precedence: Precedence,
    /// Whether the next of the table is the same, of another offer: two layouts of a format have
    /// one name.
    is_repeated: bool,
}

impl Name {
    /// Nothing for a name of another length: it is found as any other text is.
    fn new(essence: &str, offer: usize, class: Class) -> Option<Name> {
        let length = u8::try_from(essence.len()).ok().filter(|length| *length <= 24)?;
        let [first, second] = first_words(essence.as_bytes())?;
        Some(Name {
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
pub(super) struct Names(Vec<Name>);

impl Names {
    pub(super) fn of(offers: &[Offer]) -> Names {
        let mut names: Vec<Name> = Vec::new();
        for (index, offer) in offers.iter().enumerate() {
            let own = offer.media_type().essence();
            let aliases = offer.aliases().map(|alias| (alias, Class::Alias));
            for (essence, class) in [(own, Class::Exact)].into_iter().chain(aliases) {
                let Some(mut name) = Name::new(essence, index, class) else { continue };
                let is_same = |known: &Name| known.words == name.words;
                match names.iter().position(is_same) {
                    None => names.push(name),
                    Some(at) => {
                        name.is_repeated = true;
                        names.insert(at, name);
                    }
                }
            }
        }
        Names(names)
    }

    /// Weighs the offers by the members at the start of a list that are one of these names with no
    /// more than a weight, and leaves in `rest` what follows them: a member there may still be any
    /// of the things that a range can be. False if there was none.
    #[inline]
    pub(super) fn weigh(&self, rest: &mut &[u8], best: &mut [Weighed<()>]) -> bool {
        let before = rest.len();
        let mut list = *rest;
        while let Some((known, quality, behind)) = self.read(scan::after_space(list)) {
            for name in known {
                if let Some(best) = best.get_mut(usize::from(name.offer)) {
                    best.note(name.precedence, quality, ());
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
    fn read<'h>(&self, text: &'h [u8]) -> Option<(&[Name], Quality, &'h [u8])> {
        let [first, second] = first_words(text)?;
        let is_it = |name: &Name| {
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
        // Anything else may be other parameters, a weight in other words, or a longer name.
        let (weight, digits) = rest.split_first_chunk()?;
        if weight != b";q=0." {
            return None;
        }
        let mut digits = digits.iter();
        Some((known, Quality::of_digits(&mut digits)?, digits.as_slice()))
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
