//! Whether the objects of a place are records or maps. The rules stand in the module's essay.

use std::fmt;

use super::group::{Group, Objects};
use super::kind::Kind;
use super::{MAP_ENTRIES_MIN, MAP_IDS_MIN, MAP_KEYS_MIN, MAP_OBJECTS_MIN};

/// Why objects are a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A key was no text.
    NonTextKeys,
    /// There were more keys, longer ones or more places than are kept.
    BeyondBounds,
    /// Every key is a number.
    Numbers,
    /// The keys look like identifiers.
    Identifiers,
    /// Many keys were seen once, so that more are to be expected.
    Churn,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::NonTextKeys => "keys that are no text",
            Why::BeyondBounds => "too many keys to be fields",
            Why::Numbers => "keys that are numbers",
            Why::Identifiers => "keys that look like identifiers",
            Why::Churn => "keys that come and go",
        })
    }
}

impl Objects<'_> {
    /// Why the objects are a map, if they are one.
    pub(super) fn why_map(&self) -> Option<Why> {
        if self.open.iter().any(|open| open.non_text) {
            return Some(Why::NonTextKeys);
        }
        if !self.open.is_empty() {
            return Some(Why::BeyondBounds);
        }
        let why = self.why_keys_churn()?;
        self.values().agrees().then_some(why)
    }

    /// What about the keys alone speaks for a map.
    fn why_keys_churn(&self) -> Option<Why> {
        let keys = self.keys.len();
        if keys > 0 && self.keys.iter().all(|key| is_number(key.name)) {
            return Some(Why::Numbers);
        }
        let varied = self.keys.iter().all(|key| key.present < self.count);
        let identifiers = self.keys.iter().filter(|key| is_identifier(key.name)).count();
        // Nine in ten, because one id in many has no digit by chance.
        if identifiers * 10 >= keys * 9
            && (varied && keys >= MAP_IDS_MIN || self.count == 1 && keys >= MAP_ENTRIES_MIN)
        {
            return Some(Why::Identifiers);
        }
        let new: f64 = self.keys.iter().map(|key| newness(key.present)).sum();
        (varied
            && self.count >= MAP_OBJECTS_MIN
            && keys >= MAP_KEYS_MIN
            && new >= keys as f64 / 6.0)
            .then_some(Why::Churn)
    }
}

/// The chance that a key is new to the last third of the objects, when they come in any order:
/// each of the objects that have it must fall into that third.
fn newness(present: u64) -> f64 {
    3f64.powi(-i32::try_from(present).unwrap_or(i32::MAX))
}

fn is_number(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a key looks like an identifier rather than a word: it has a digit.
fn is_identifier(key: &str) -> bool {
    key.bytes().any(|byte| byte.is_ascii_digit())
}

impl Group<'_> {
    /// Whether all places are of one kind, null aside, so that they may be the values of one map.
    fn agrees(&self) -> bool {
        let counts = self.counts();
        let numbers = [Kind::Int, Kind::Number, Kind::F32, Kind::F64];
        let kinds = Kind::ALL
            .iter()
            .filter(|kind| **kind != Kind::Null && counts.of(**kind) > 0)
            .map(|kind| if numbers.contains(kind) { Kind::F64 } else { *kind });
        let mut kinds: Vec<Kind> = kinds.collect();
        kinds.dedup();
        if kinds.len() > 1 {
            return false;
        }
        match kinds.first() {
            Some(Kind::Array) => self.items().agrees(),
            Some(Kind::Map) => self.objects().agree(),
            _ => true,
        }
    }
}

impl Objects<'_> {
    /// Whether the objects are alike: on average each has half of all keys, or they are maps.
    fn agree(&self) -> bool {
        let present: u64 = self.keys.iter().map(|key| key.present).sum();
        present * 2 >= self.count * self.keys.len() as u64 || self.why_map().is_some()
    }
}
