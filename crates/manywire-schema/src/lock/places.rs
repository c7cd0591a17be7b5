use manywire_shape::proto::{Form, Message};

use super::Breach;
use super::fields::find;

/// Finds the fields of a record that are no longer in their place.
pub(super) fn check(old: &Message, message: &Message, breaches: &mut Vec<Breach>) {
    if !matches!(message.form, Form::Record { .. } | Form::Tuple) {
        return;
    }
    let found: Vec<Option<usize>> = message.fields.iter().map(|field| find(old, field)).collect();
    for (at, known) in old.fields.iter().enumerate() {
        let now = found.iter().position(|found| *found == Some(at));
        if now != Some(at) {
            breaches.push(Breach::Moved {
                place: format!("{}.{}", old.name, known.proto_name),
                locked: at + 1,
                asked: now.map(|now| now + 1),
            });
        }
    }
}
