use manywire_shape::proto::{Form, Message, Schema};

use super::fields::find;
use super::kinds::{Place, holds_in_place};
use super::{Breach, Lock};

/// Finds the fields of a record that are no longer in their place, or no longer what they were.
pub(super) fn check(
    lock: &Lock,
    old: &Message,
    next: &Schema,
    message: &Message,
    breaches: &mut Vec<Breach>,
) {
    if !matches!(message.form, Form::Record { .. } | Form::Tuple) {
        return;
    }
    let found: Vec<Option<usize>> = message.fields.iter().map(|field| find(old, field)).collect();
    for (at, known) in old.fields.iter().enumerate() {
        let place = format!("{}.{}", old.name, known.proto_name);
        let now = found.iter().position(|found| *found == Some(at));
        if let Some(now) = now {
            let locked = Place::of(&lock.schema, known);
            let asked = Place::of(next, &message.fields[now]);
            if !holds_in_place(&locked, &asked) {
                let (locked, asked) = (locked.to_string(), asked.to_string());
                breaches.push(Breach::Changed { place: place.clone(), locked, asked });
            }
        }
        if now != Some(at) {
            let asked = now.map(|now| now + 1);
            breaches.push(Breach::Moved { place, locked: at + 1, asked });
        }
    }
}
