//! Numbers that never move: a `.proto` that was published, and what may become of it.
//!
//! A field number is a promise to every reader of bytes that were written with it. A [`Lock`] is
//! the previous `.proto`, read whole; [`Lock::apply`] gives the next schema the numbers that were
//! promised: fields and values keep theirs, by name or by an alias that is the old name; new ones
//! get numbers above all that were ever given; what was removed is reserved, number and name.
//! What would break a promise is an error with the fix: a number asked for that differs
//! ([`Breach::Renumbered`]), a type that old bytes do not hold ([`Breach::Retyped`]), a number or
//! name that belongs to something else or is reserved ([`Breach::Reused`]).
//!
//! Types are the messages of one `.proto` by their names; one that the next schema lacks altogether
//! is forgotten. An integer may become wider within its encoding (`int32` to `int64`), `optional`
//! may come or go, and a list may be packed or not: readers of Protocol Buffers take either.
//!
//! Formats without numbers (records as arrays, Avro without the writer's schema) go by place
//! instead: [`Lock::check_places`] is the same guard for them, and [`Lock::arrange`] gives a shape
//! that was inferred the order that it asks for. Bare Avro writes the index of a branch before what
//! may be null, so there [`Datums`] guard the unions, too.

mod avro;
mod breach;
mod enum_values;
mod proto_type;

use std::collections::{HashMap, HashSet};

use manywire_shape::proto::{FIELD_NUMBER_MAX, Field, Form, Kind, Message, Schema};
use manywire_shape::{Node, Record, Shape, ShapeBuilder};

use crate::Error;
use proto_type::{holds, holds_in_place};

pub use avro::Datums;
pub use breach::{Breach, Breaches};
pub(crate) use proto_type::{Place, plain};

/// The numbers of a `.proto` that was published.
#[derive(Clone, Debug)]
pub struct Lock {
    schema: Schema,
}

/// What the numbers of the next schema are worth that it asks for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Somebody wrote them down (`#[shaped(number = 7)]`): one that differs from the lock is an
    /// error.
    Declared,
    /// They were found by counting, as inference does: the lock has the last word.
    Suggested,
}

impl Lock {
    /// Reads a `.proto` file, all its messages and enums.
    ///
    /// `file` is for messages alone.
    ///
    /// # Errors
    ///
    /// Where the text is no `.proto`, with line and column.
    pub fn read(file: &str, text: &str) -> Result<Lock, Error> {
        crate::proto::read_whole(file, text).map(|schema| Lock { schema })
    }

    /// The lock of a schema that is there already, in any language: of its names and its order, and
    /// of the numbers that it would have as a `.proto`.
    pub fn of(schema: Schema) -> Lock {
        Lock { schema }
    }

    /// The next schema under the numbers that were promised, with what was removed reserved.
    ///
    /// # Errors
    ///
    /// Every promise that would be broken, in the order of the schema.
    pub fn apply(&self, next: &Schema, numbers: Numbers) -> Result<Schema, Breaches> {
        let mut locked = next.clone();
        let mut breaches = Vec::new();
        for message in locked.messages.iter_mut().filter(|message| is_own(message)) {
            if let Some(old) = self.message(&message.name) {
                lock(self, old, next, message, numbers, &mut breaches);
            }
        }
        for each in &mut locked.enums {
            if let Some(old) = self.schema.enums.iter().find(|old| old.name == each.name) {
                enum_values::lock(old, each, numbers, &mut breaches);
            }
        }
        if breaches.is_empty() { Ok(locked) } else { Err(Breaches(breaches)) }
    }

    /// Whether every record begins with the fields that were promised, in their order and of their
    /// types: what a reader needs that goes by place.
    ///
    /// # Errors
    ///
    /// Every field that moved, was removed, became something else, or stands before one that was
    /// there already.
    pub fn check_places(&self, next: &Schema) -> Result<(), Breaches> {
        let mut breaches = Vec::new();
        for message in next.messages.iter().filter(|message| is_own(message)) {
            if let Some(old) = self.message(&message.name) {
                check(self, old, next, message, &mut breaches);
            }
        }
        if breaches.is_empty() { Ok(()) } else { Err(Breaches(breaches)) }
    }

    /// The messages, fields, enums and values of a schema that were not promised yet, as
    /// `Hotel.stars`: numbers that nobody has written down.
    pub fn lacks(&self, next: &Schema) -> Vec<String> {
        let mut new = Vec::new();
        for message in next.messages.iter().filter(|message| is_own(message)) {
            let Some(old) = self.message(&message.name) else {
                new.push(message.name.clone());
                continue;
            };
            let fields = message.fields.iter().filter(|field| find(old, field).is_none());
            new.extend(fields.map(|field| format!("{}.{}", message.name, field.proto_name)));
        }
        for each in &next.enums {
            let Some(old) = self.schema.enums.iter().find(|old| old.name == each.name) else {
                new.push(each.name.clone());
                continue;
            };
            let values = each.values.iter().filter(|value| enum_values::find(old, value).is_none());
            new.extend(values.map(|value| format!("{}.{}", each.name, value.proto_name)));
        }
        new
    }

    /// The name of the message that stands first among those that no other refers to.
    pub fn root_name(&self) -> &str {
        let own = || self.schema.messages.iter().enumerate().filter(|(_, it)| is_own(it));
        let mut used = HashSet::new();
        for (index, message) in self.schema.messages.iter().enumerate() {
            for field in &message.fields {
                match field.kind {
                    Kind::Message(other) if other != index => _ = used.insert(other),
                    _ => {}
                }
            }
        }
        let free = own().find(|(index, _)| !used.contains(index)).or_else(|| own().next());
        free.map_or("Root", |(_, message)| &message.name)
    }

    fn message(&self, name: &str) -> Option<&Message> {
        self.schema.messages.iter().find(|message| message.name == name && is_own(message))
    }
}

/// Whether a message is written down under its own name.
fn is_own(message: &Message) -> bool {
    message.import.is_none() && message.form != Form::Entry { native: true }
}

/// Gives a message's fields the numbers that were promised.
fn lock(
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
fn find(old: &Message, field: &Field) -> Option<usize> {
    let by_name = old.fields.iter().position(|known| known.proto_name == field.proto_name);
    by_name.or_else(|| {
        let former = |known: &Field| {
            field.aliases.iter().any(|alias| *alias == known.name || *alias == known.proto_name)
        };
        old.fields.iter().position(former)
    })
}

/// Finds the fields of a record that are no longer in their place, or no longer what they were.
fn check(lock: &Lock, old: &Message, next: &Schema, message: &Message, breaches: &mut Vec<Breach>) {
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

impl Lock {
    /// The shape with the fields of its records in the order that was promised, and new ones behind
    /// them: for shapes whose order was found, not written down. `next` is the schema of the shape.
    pub fn arrange(&self, shape: &Shape, next: &Schema) -> Shape {
        let mut builder = ShapeBuilder::default();
        // Added in their order, nodes keep their ids.
        for node in shape.nodes() {
            builder.add(match node {
                Node::Record(record) => Node::Record(self.arranged(record, next)),
                other => other.clone(),
            });
        }
        builder.finish(shape.root())
    }

    fn arranged(&self, record: &Record, next: &Schema) -> Record {
        let mut record = record.clone();
        let own = |message: &&Message| message.name == *record.name && is_own(message);
        let old = self.message(&record.name);
        if let (Some(old), Some(message)) = (old, next.messages.iter().find(own)) {
            let places: HashMap<&str, usize> = message
                .fields
                .iter()
                .filter_map(|field| Some((field.name.as_str(), find(old, field)?)))
                .collect();
            // Stable: what is new stays in the order it was found in.
            record
                .fields
                .sort_by_key(|field| places.get(&*field.name).copied().unwrap_or(usize::MAX));
        }
        record
    }
}
