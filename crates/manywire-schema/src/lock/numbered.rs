//! Assigns the numbers of a lock to the fields of a message and to the values of an enum.

use std::collections::{HashMap, HashSet};

use manywire_shape::proto::{EnumValue, FIELD_NUMBER_MAX, Field, RESERVED_NUMBERS, Reserved};

use super::{Breach, Numbers};

/// A field of a message or a value of an enum.
pub(super) trait Numbered {
    /// The word for a field or value in messages.
    const WORD: &'static str;
    /// The largest number.
    const MAX: i64;

    /// Returns whether no field or value may have a number.
    fn is_forbidden(number: i64) -> bool;
    /// Returns the name by which the schema and the lock have the same item before any other: the key of
    /// a field in values, which is its name in JSON.
    fn key(&self) -> &str;
    fn proto_name(&self) -> &str;
    fn number(&self) -> i64;
    /// Sets a number of at most [`MAX`](Self::MAX).
    fn set_number(&mut self, number: i64);
    /// Returns whether the number was declared and not assigned.
    fn is_given(&self) -> bool;
}

impl Numbered for Field {
    const WORD: &'static str = "a field";
    const MAX: i64 = FIELD_NUMBER_MAX as i64;

    fn is_forbidden(number: i64) -> bool {
        u32::try_from(number).is_ok_and(|number| RESERVED_NUMBERS.contains(&number))
    }

    fn key(&self) -> &str {
        &self.name
    }

    fn proto_name(&self) -> &str {
        &self.proto_name
    }

    fn number(&self) -> i64 {
        self.number.into()
    }

    fn set_number(&mut self, number: i64) {
        self.number = u32::try_from(number).unwrap_or(FIELD_NUMBER_MAX);
    }

    fn is_given(&self) -> bool {
        self.given
    }
}

impl Numbered for EnumValue {
    const WORD: &'static str = "a value";
    const MAX: i64 = i32::MAX as i64;

    fn is_forbidden(_: i64) -> bool {
        false
    }

    fn key(&self) -> &str {
        &self.proto_name
    }

    fn proto_name(&self) -> &str {
        &self.proto_name
    }

    fn number(&self) -> i64 {
        self.number.into()
    }

    fn set_number(&mut self, number: i64) {
        self.number = i32::try_from(number).unwrap_or(i32::MAX);
    }

    fn is_given(&self) -> bool {
        self.given
    }
}

/// Returns whether an item of the lock, which comes first, and an item of the next schema are the same.
pub(super) type SameRule<'r, T> = &'r dyn Fn(&T, &T) -> bool;

/// Returns for each item the index of the same item in the lock: of the one with the same key, or else
/// with the same name in the `.proto`, or else of one for which a rule of `others` returns true. A rule
/// gets the item of the lock first, and comes before the rules after it. No two items are the same item
/// of the lock.
pub(super) fn pairs<T: Numbered>(
    locked: &[T],
    items: &[T],
    others: &[SameRule<'_, T>],
) -> Vec<Option<usize>> {
    let has_key = |known: &T, item: &T| known.key() == item.key();
    let has_name = |known: &T, item: &T| known.proto_name() == item.proto_name();
    let names: [SameRule<'_, T>; 2] = [&has_key, &has_name];
    let (mut found, mut matched) = (vec![None; items.len()], vec![false; locked.len()]);
    for is_same in names.iter().chain(others) {
        for (item, found) in items.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            let mut known = locked.iter().zip(&matched);
            let at = known.position(|(known, matched)| !matched && is_same(known, item));
            if let Some(at) = at {
                matched[at] = true;
                *found = Some(at);
            }
        }
    }
    found
}

/// The fields of a message or the values of an enum, as they are in the lock.
pub(super) struct Locked<'l, T> {
    /// The name of the message or enum.
    pub(super) name: &'l str,
    pub(super) items: &'l [T],
    pub(super) reserved: &'l Reserved,
    /// The source of the numbers in the next schema.
    pub(super) numbers: Numbers,
}

impl<T: Numbered> Locked<'_, T> {
    /// Gives the items of the next schema the numbers of the lock, and new ones numbers above all of
    /// them. Reserves the numbers and names of removed items; reserved ones stay reserved.
    ///
    /// `found` are the [`pairs`] of the items. `check` adds the breaches of an item that the lock has.
    pub(super) fn apply(
        &self,
        items: &mut [T],
        reserved: &mut Reserved,
        found: &[Option<usize>],
        check: impl Fn(&T, &T, &mut Vec<Breach>),
        breaches: &mut Vec<Breach>,
    ) {
        let mut added = Vec::new();
        for (index, (item, found)) in items.iter_mut().zip(found).enumerate() {
            let Some(at) = *found else {
                added.push(index);
                continue;
            };
            let known = &self.items[at];
            if self.reserved.has_name(item.proto_name()) {
                breaches.push(self.reused_name(item));
            }
            if self.is_declared(item) && item.number() != known.number() {
                breaches.push(Breach::Renumbered {
                    place: self.full_name(item),
                    locked: known.number(),
                    asked: item.number(),
                });
            }
            check(known, item, breaches);
            item.set_number(known.number());
        }
        *reserved = self.reserved.clone();
        let kept: HashSet<usize> = found.iter().copied().flatten().collect();
        let removed = self.items.iter().enumerate().filter(|(at, _)| !kept.contains(at));
        for (_, known) in removed {
            self.reserve(known, items, reserved, breaches);
        }
        self.number(items, &added, reserved, breaches);
    }

    fn full_name(&self, item: &T) -> String {
        format!("{}.{}", self.name, item.proto_name())
    }

    fn is_declared(&self, item: &T) -> bool {
        self.numbers == Numbers::Declared && item.is_given()
    }

    /// Returns the breach of an item whose name belonged to a removed one.
    fn reused_name(&self, item: &T) -> Breach {
        Breach::Reused {
            place: self.full_name(item),
            taken: format!("the name {:?}", item.proto_name()),
            owner: format!("{} that was removed", T::WORD),
        }
    }

    /// Reserves the number and the name of a removed item, unless one of the items has the name: it has
    /// another one in values.
    fn reserve(
        &self,
        removed: &T,
        items: &[T],
        reserved: &mut Reserved,
        breaches: &mut Vec<Breach>,
    ) {
        // proto3 requires the value 0 of an enum, so it is written even if no variant has it.
        if removed.number() == 0 {
            if !removed.proto_name().trim_end_matches('_').ends_with("_UNSPECIFIED") {
                breaches.push(Breach::ZeroRemoved { place: self.full_name(removed) });
            }
            return;
        }
        if let Ok(number) = i32::try_from(removed.number())
            && !reserved.has_number(number)
        {
            reserved.numbers.push(number..=number);
        }
        let is_in_use = items.iter().any(|item| item.proto_name() == removed.proto_name());
        if !reserved.has_name(removed.proto_name()) && !is_in_use {
            reserved.names.push(removed.proto_name().to_owned());
        }
    }

    /// Gives the items at these indexes free numbers, unless they declare one, which must not belong
    /// to another item.
    fn number(
        &self,
        items: &mut [T],
        added: &[usize],
        reserved: &Reserved,
        breaches: &mut Vec<Breach>,
    ) {
        // The indexes are in order.
        let is_added = |index: &usize| added.binary_search(index).is_ok();
        let is_staying = |(index, item): &(usize, &T)| !is_added(index) || self.is_declared(item);
        let staying = items.iter().enumerate().filter(is_staying);
        let taken: HashSet<i64> = staying.map(|(_, item)| item.number()).collect();
        let owners: HashMap<i64, &T> =
            self.items.iter().map(|known| (known.number(), known)).collect();
        let mut free = self.items.iter().map(T::number).max().unwrap_or(0) + 1;
        for index in added {
            let item = &mut items[*index];
            if self.reserved.has_name(item.proto_name()) {
                breaches.push(self.reused_name(item));
            }
            if self.is_declared(item) {
                let number = i32::try_from(item.number());
                let owner = match owners.get(&item.number()) {
                    Some(owner) => self.full_name(owner),
                    None if number.is_ok_and(|it| self.reserved.has_number(it)) => {
                        format!("{} that was removed", T::WORD)
                    }
                    None => continue,
                };
                let (place, taken) =
                    (self.full_name(item), format!("the number {}", item.number()));
                breaches.push(Breach::Reused { place, taken, owner });
                continue;
            }
            // A range is skipped at once: `reserved 2 to max` has half a billion numbers.
            while free <= T::MAX {
                let range = i32::try_from(free).ok().and_then(|number| reserved.range_of(number));
                free = match range {
                    Some(range) => i64::from(*range.end()) + 1,
                    None if T::is_forbidden(free) || taken.contains(&free) => free + 1,
                    None => break,
                };
            }
            if free > T::MAX {
                breaches.push(Breach::Exhausted { place: self.full_name(item) });
                continue;
            }
            item.set_number(free);
            free += 1;
        }
    }
}
