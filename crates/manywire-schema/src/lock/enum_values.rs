use std::collections::HashSet;

use manywire_shape::proto::{Enum, EnumValue};

use super::{Breach, Numbers};

/// Gives an enum's values the numbers that were promised.
pub(super) fn lock(old: &Enum, each: &mut Enum, numbers: Numbers, breaches: &mut Vec<Breach>) {
    let place = |value: &EnumValue| format!("{}.{}", old.name, value.proto_name);
    let mut kept = vec![false; old.values.len()];
    let mut fresh = Vec::new();
    let called: HashSet<String> = each.values.iter().map(|it| it.proto_name.clone()).collect();
    for (index, value) in each.values.iter_mut().enumerate() {
        let found = find(old, value).filter(|at| {
            let name = &old.values[*at].proto_name;
            !kept[*at] && (*name == value.proto_name || !called.contains(name))
        });
        let Some(at) = found else {
            fresh.push(index);
            continue;
        };
        kept[at] = true;
        let known = &old.values[at];
        if numbers == Numbers::Declared && value.given && value.number != known.number {
            breaches.push(Breach::Renumbered {
                place: place(value),
                locked: known.number.into(),
                asked: value.number.into(),
            });
        }
        value.number = known.number;
    }
    each.reserved = old.reserved.clone();
    for (_, known) in kept.iter().zip(&old.values).filter(|(kept, _)| !**kept) {
        // The value 0 that proto3 asks for is written whether a variant has it or not.
        match known.number {
            0 if known.proto_name.trim_end_matches('_').ends_with("_UNSPECIFIED") => continue,
            0 => breaches.push(Breach::ZeroRemoved { place: place(known) }),
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
    let staying = staying.filter(|(index, value)| !fresh.contains(index) || declared(value));
    let taken: HashSet<i32> = staying.map(|(_, value)| value.number).collect();
    for index in fresh {
        let value = &mut each.values[index];
        let reused =
            |taken: String, owner: String| Breach::Reused { place: place(value), taken, owner };
        if old.reserved.has_name(&value.proto_name) {
            let owner = "a value that was removed".to_owned();
            breaches.push(reused(format!("the name {:?}", value.proto_name), owner));
        }
        if declared(value) {
            let owner = old.values.iter().find(|known| known.number == value.number);
            let owner = match owner {
                Some(owner) => place(owner),
                None if old.reserved.has_number(value.number) => {
                    "a value that was removed".to_owned()
                }
                None => continue,
            };
            breaches.push(reused(format!("the number {}", value.number), owner));
            continue;
        }
        while let Some(number) = free
            && (each.reserved.has_number(number) || taken.contains(&number))
        {
            free = number.checked_add(1);
        }
        match free {
            Some(number) => value.number = number,
            None => breaches.push(Breach::Exhausted { place: place(value) }),
        }
        free = free.and_then(|number| number.checked_add(1));
    }
}

/// The value of the lock that a value is: of its name, or of a name that it is read under.
pub(super) fn find(old: &Enum, value: &EnumValue) -> Option<usize> {
    let by_name = old.values.iter().position(|known| known.proto_name == value.proto_name);
    by_name.or_else(|| {
        // Values stand in the scope of their file, under their enum's name.
        let prefix_len = value.proto_name.len().saturating_sub(value.name.len());
        let prefix = value.proto_name.get(..prefix_len).unwrap_or_default();
        let former = |known: &EnumValue| {
            value.aliases.iter().any(|alias| {
                known.proto_name == *alias
                    || known.proto_name.eq_ignore_ascii_case(&format!("{prefix}{alias}"))
            })
        };
        old.values.iter().position(former)
    })
}
