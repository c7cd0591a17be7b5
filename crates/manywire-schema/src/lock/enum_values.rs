//! Applies a lock to the values of an enum.

use std::collections::HashSet;

use manywire_shape::proto::{Enum, EnumValue};

use super::{Breach, Numbers};

/// Assigns the numbers of the lock to the values of an enum.
pub(super) fn lock(old: &Enum, each: &mut Enum, numbers: Numbers, breaches: &mut Vec<Breach>) {
    let full_name = |value: &EnumValue| format!("{}.{}", old.name, value.proto_name);
    let mut matched = vec![false; old.values.len()];
    let mut added = Vec::new();
    let names_in_use: HashSet<String> =
        each.values.iter().map(|it| it.proto_name.clone()).collect();
    for (index, value) in each.values.iter_mut().enumerate() {
        let found = find(old, value).filter(|at| {
            let name = &old.values[*at].proto_name;
            !matched[*at] && (*name == value.proto_name || !names_in_use.contains(name))
        });
        let Some(at) = found else {
            added.push(index);
            continue;
        };
        matched[at] = true;
        let known = &old.values[at];
        if numbers == Numbers::Declared && value.given && value.number != known.number {
            breaches.push(Breach::Renumbered {
                place: full_name(value),
                locked: known.number.into(),
                asked: value.number.into(),
            });
        }
        value.number = known.number;
    }
    each.reserved = old.reserved.clone();
    for (_, known) in matched.iter().zip(&old.values).filter(|(matched, _)| !**matched) {
        // proto3 requires the value 0, so it is written even if no variant has it.
        match known.number {
            0 if known.proto_name.trim_end_matches('_').ends_with("_UNSPECIFIED") => continue,
            0 => breaches.push(Breach::ZeroRemoved { place: full_name(known) }),
            number => {
                if !each.reserved.has_number(number) {
                    each.reserved.numbers.push(number..=number);
                }
                if !each.reserved.has_name(&known.proto_name) {
                    each.reserved.names.push(known.proto_name.clone());
                }
            }
        }
    }
    let greatest = old.values.iter().map(|value| value.number).max().unwrap_or(0);
    let mut free = Some(greatest).and_then(|number| number.checked_add(1));
    let declared = |value: &EnumValue| numbers == Numbers::Declared && value.given;
    let staying = each.values.iter().enumerate();
    let staying = staying.filter(|(index, value)| !added.contains(index) || declared(value));
    let taken: HashSet<i32> = staying.map(|(_, value)| value.number).collect();
    for index in added {
        let value = &mut each.values[index];
        let reused =
            |taken: String, owner: String| Breach::Reused { place: full_name(value), taken, owner };
        if old.reserved.has_name(&value.proto_name) {
            let owner = "a value that was removed".to_owned();
            breaches.push(reused(format!("the name {:?}", value.proto_name), owner));
        }
        if declared(value) {
            let owner = old.values.iter().find(|known| known.number == value.number);
            let owner = match owner {
                Some(owner) => full_name(owner),
                None if old.reserved.has_number(value.number) => {
                    "a value that was removed".to_owned()
                }
                None => continue,
            };
            breaches.push(reused(format!("the number {}", value.number), owner));
            continue;
        }
        // A range is skipped at once: `reserved 2 to max` has two billion numbers.
        while let Some(number) = free {
            free = match each.reserved.range_of(number) {
                Some(range) => range.end().checked_add(1),
                None if taken.contains(&number) => number.checked_add(1),
                None => break,
            };
        }
        match free {
            Some(number) => value.number = number,
            None => breaches.push(Breach::Exhausted { place: full_name(value) }),
        }
        free = free.and_then(|number| number.checked_add(1));
    }
}

/// Returns the value of the lock with the name of a value, or with one of its aliases.
pub(super) fn find(old: &Enum, value: &EnumValue) -> Option<usize> {
    let by_name = old.values.iter().position(|known| known.proto_name == value.proto_name);
    by_name.or_else(|| {
        let former = |known: &EnumValue| {
            value.aliases.iter().any(|alias| {
                known.proto_name == *alias
                    || known.proto_name.eq_ignore_ascii_case(&old.value_name(alias))
            })
        };
        old.values.iter().position(former)
    })
}
