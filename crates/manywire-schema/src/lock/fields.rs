use std::collections::{HashMap, HashSet};

use manywire_shape::proto::{FIELD_NUMBER_MAX, Field, Message, Schema};

use super::kinds::{Place, holds};
use super::{Breach, Lock, Numbers};

/// Gives a message's fields the numbers that were promised.
pub(super) fn lock(
    lock: &Lock,
    old: &Message,
    next: &Schema,
    message: &mut Message,
    numbers: Numbers,
    breaches: &mut Vec<Breach>,
) {
    let place = |field: &Field| format!("{}.{}", old.name, field.proto_name);
    let mut kept = vec![false; old.fields.len()];
    let mut fresh = Vec::new();
    // Names come before aliases: who is called as the old field was is the old field.
    let called: HashSet<String> =
        message.fields.iter().map(|field| field.proto_name.clone()).collect();
    for (index, field) in message.fields.iter_mut().enumerate() {
        let found = find(old, field).filter(|at| {
            let name = &old.fields[*at].proto_name;
            !kept[*at] && (*name == field.proto_name || !called.contains(name))
        });
        let Some(at) = found else {
            fresh.push(index);
            continue;
        };
        kept[at] = true;
        let known = &old.fields[at];
        if numbers == Numbers::Declared && field.given && field.number != known.number {
            breaches.push(Breach::Renumbered {
                place: place(field),
                locked: known.number.into(),
                asked: field.number.into(),
            });
        }
        let (locked, asked) = (Place::of(&lock.schema, known), Place::of(next, field));
        if !holds(&locked, &asked) {
            breaches.push(Breach::Retyped {
                place: place(field),
                number: known.number.into(),
                locked: locked.to_string(),
                asked: asked.to_string(),
            });
        }
        field.number = known.number;
    }
    // A number that was removed is reserved; what was reserved stays so.
    message.reserved = old.reserved.clone();
    for (_, known) in kept.iter().zip(&old.fields).filter(|(kept, _)| !**kept) {
        if let Ok(number) = i32::try_from(known.number)
            && !message.reserved.has_number(number)
        {
            message.reserved.numbers.push(number..=number);
        }
        if !message.reserved.has_name(&known.proto_name) {
            message.reserved.names.push(known.proto_name.clone());
        }
    }
    let owners: HashMap<u32, &str> =
        old.fields.iter().map(|field| (field.number, field.proto_name.as_str())).collect();
    let mut free = old.fields.iter().map(|field| field.number).max().unwrap_or(0) + 1;
    let declared = |field: &Field| numbers == Numbers::Declared && field.given;
    let staying = message.fields.iter().enumerate();
    let staying = staying.filter(|(index, field)| !fresh.contains(index) || declared(field));
    let mut taken: HashSet<u32> = staying.map(|(_, field)| field.number).collect();
    for index in fresh {
        let field = &mut message.fields[index];
        let reused =
            |taken: String, owner: String| Breach::Reused { place: place(field), taken, owner };
        if old.reserved.has_name(&field.proto_name) {
            let owner = "a field that was removed".to_owned();
            breaches.push(reused(format!("the name {:?}", field.proto_name), owner));
        }
        if declared(field) {
            let number = i32::try_from(field.number).unwrap_or(i32::MAX);
            let owner = match owners.get(&field.number) {
                Some(owner) => format!("{}.{owner}", old.name),
                None if old.reserved.has_number(number) => "a field that was removed".to_owned(),
                None => continue,
            };
            breaches.push(reused(format!("the number {}", field.number), owner));
            continue;
        }
        let is_free = |number: u32| {
            let reserved = i32::try_from(number).is_ok_and(|it| message.reserved.has_number(it));
            !reserved && !(19_000..=19_999).contains(&number) && !taken.contains(&number)
        };
        while free <= FIELD_NUMBER_MAX && !is_free(free) {
            free += 1;
        }
        if free > FIELD_NUMBER_MAX {
            breaches.push(Breach::Exhausted { place: place(field) });
            continue;
        }
        field.number = free;
        taken.insert(free);
    }
}

/// The field of the lock that a field is: of its name, or of a name that it is read under.
pub(super) fn find(old: &Message, field: &Field) -> Option<usize> {
    let by_name = old.fields.iter().position(|known| known.proto_name == field.proto_name);
    by_name.or_else(|| {
        let former = |known: &Field| {
            field.aliases.iter().any(|alias| *alias == known.name || *alias == known.proto_name)
        };
        old.fields.iter().position(former)
    })
}
