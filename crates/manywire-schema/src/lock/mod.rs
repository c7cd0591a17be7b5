//! Locks: keep the field numbers and types of a published `.proto` stable.
//!
//! Readers of old bytes depend on the field numbers that the bytes were written with. A [`Lock`] is
//! the previous `.proto`. [`Lock::apply`] assigns its numbers to the next schema: fields and values
//! with the same name, or with the old name as an alias, keep their numbers; new ones get numbers
//! above all earlier ones; the numbers and names of removed ones are reserved. A change that breaks
//! readers is an error with a suggested fix: a different declared number ([`Breach::Renumbered`]),
//! a type that old bytes do not hold ([`Breach::Retyped`]), or a number or name that belongs to
//! another field or is reserved ([`Breach::Reused`]).
//!
//! Messages are matched by name; a message that the next schema lacks is dropped. An integer may
//! become wider within its encoding (`int32` to `int64`), `optional` may be added or removed, and a
//! list may be packed or not, because readers of Protocol Buffers accept both. A map may become a
//! list of its entries, which has the same bytes.
//!
//! Formats without field numbers (records as arrays, Avro without the writer's schema) depend on
//! the order of fields. [`Lock::check_order`] checks it, and [`Lock::reorder`] applies the order of
//! the lock to an inferred shape. Bare Avro also writes the index of the branch before a nullable
//! value, so [`AvroLock`] checks the unions.

mod avro;
mod breach;
mod enum_values;
mod proto_type;

use std::collections::{HashMap, HashSet};

use manywire_shape::proto::{
    FIELD_NUMBER_MAX, Field, Form, Kind, Message, RESERVED_NUMBERS, Schema,
};
use manywire_shape::{Node, Record, Shape, ShapeBuilder};

use crate::Error;
use proto_type::{reads, reads_without_tags};

pub use avro::AvroLock;
pub use breach::{Breach, Breaches};
pub(crate) use proto_type::FieldType;

/// The published schema whose numbers, order and types must stay.
#[derive(Clone, Debug)]
pub struct Lock {
    schema: Schema,
}

/// The source of the numbers in the next schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// The author declared the numbers (`#[shaped(number = 7)]`): a number that differs from the
    /// lock is an error.
    Declared,
    /// The numbers were assigned automatically, as by inference: the numbers of the lock replace
    /// them.
    Suggested,
}

impl Lock {
    /// Reads all messages and enums of a `.proto` file.
    ///
    /// `file` is used only in error messages.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a valid `.proto`.
    pub fn read(file: &str, text: &str) -> Result<Lock, Error> {
        crate::proto::read_whole(file, text).map(|schema| Lock { schema })
    }

    /// Returns the lock of a schema in any language: its names, its order, and the numbers that it
    /// has as a `.proto`.
    pub fn of(schema: Schema) -> Lock {
        Lock { schema }
    }

    /// Returns the next schema with the numbers of the lock; the numbers and names of removed
    /// fields are reserved.
    ///
    /// # Errors
    ///
    /// Returns every breach, in the order of the schema.
    pub fn apply(&self, next: &Schema, numbers: Numbers) -> Result<Schema, Breaches> {
        let mut locked = next.clone();
        let mut breaches = Vec::new();
        for message in locked.messages.iter_mut().filter(|message| message.is_declared()) {
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

    /// Checks that every record begins with the fields of the lock, in the same order and with
    /// compatible types, for readers that depend on the order.
    ///
    /// # Errors
    ///
    /// Returns every field that moved, was removed, changed its type, or was inserted before an
    /// existing field.
    pub fn check_order(&self, next: &Schema) -> Result<(), Breaches> {
        let mut breaches = Vec::new();
        for message in next.messages.iter().filter(|message| message.is_declared()) {
            if let Some(old) = self.message(&message.name) {
                check(self, old, next, message, &mut breaches);
            }
        }
        if breaches.is_empty() { Ok(()) } else { Err(Breaches(breaches)) }
    }

    /// Returns the messages, fields, enums and values of a schema that the lock does not have, as
    /// `Hotel.stars`.
    pub fn missing(&self, next: &Schema) -> Vec<String> {
        let mut new = Vec::new();
        for message in next.messages.iter().filter(|message| message.is_declared()) {
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

    /// Returns the name of the first message that no other message refers to. If there is no such
    /// message, returns the name of the first message, or `Root` if there is no message.
    pub fn root_name(&self) -> &str {
        let own = || self.schema.messages.iter().enumerate().filter(|(_, it)| it.is_declared());
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
        self.schema.messages.iter().find(|message| message.name == name && message.is_declared())
    }
}

/// Assigns the numbers of the lock to the fields of a message.
fn lock(
    lock: &Lock,
    old: &Message,
    next: &Schema,
    message: &mut Message,
    numbers: Numbers,
    breaches: &mut Vec<Breach>,
) {
    let full_name = |field: &Field| format!("{}.{}", old.name, field.proto_name);
    let mut matched = vec![false; old.fields.len()];
    let mut added = Vec::new();
    // Names come before aliases: a field with the name of the old field is the old field.
    let names_in_use: HashSet<String> =
        message.fields.iter().map(|field| field.proto_name.clone()).collect();
    for (index, field) in message.fields.iter_mut().enumerate() {
        let found = find(old, field).filter(|at| {
            let name = &old.fields[*at].proto_name;
            !matched[*at] && (*name == field.proto_name || !names_in_use.contains(name))
        });
        let Some(at) = found else {
            added.push(index);
            continue;
        };
        matched[at] = true;
        let known = &old.fields[at];
        if numbers == Numbers::Declared && field.given && field.number != known.number {
            breaches.push(Breach::Renumbered {
                place: full_name(field),
                locked: known.number.into(),
                asked: field.number.into(),
            });
        }
        let (locked, asked) = (FieldType::of(&lock.schema, known), FieldType::of(next, field));
        if !reads(&locked, &asked) {
            breaches.push(Breach::Retyped {
                place: full_name(field),
                number: known.number.into(),
                locked: locked.to_string(),
                asked: asked.to_string(),
            });
        }
        field.number = known.number;
    }
    // Removed numbers are reserved, and reserved ones stay reserved.
    message.reserved = old.reserved.clone();
    for (_, known) in matched.iter().zip(&old.fields).filter(|(matched, _)| !**matched) {
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
    let staying = staying.filter(|(index, field)| !added.contains(index) || declared(field));
    let mut taken: HashSet<u32> = staying.map(|(_, field)| field.number).collect();
    for index in added {
        let field = &mut message.fields[index];
        let reused =
            |taken: String, owner: String| Breach::Reused { place: full_name(field), taken, owner };
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
        // A range is skipped at once: `reserved 2 to max` has half a billion numbers.
        while free <= FIELD_NUMBER_MAX {
            let range = i32::try_from(free).ok().and_then(|it| message.reserved.range_of(it));
            free = match range {
                Some(range) => range.end().unsigned_abs() + 1,
                None if RESERVED_NUMBERS.contains(&free) || taken.contains(&free) => free + 1,
                None => break,
            };
        }
        if free > FIELD_NUMBER_MAX {
            breaches.push(Breach::Exhausted { place: full_name(field) });
            continue;
        }
        field.number = free;
        taken.insert(free);
    }
}

/// Returns the field of the lock with the name of a field, or with one of its aliases.
fn find(old: &Message, field: &Field) -> Option<usize> {
    let by_name = old.fields.iter().position(|known| known.proto_name == field.proto_name);
    by_name.or_else(|| {
        let former = |known: &Field| {
            field.aliases.iter().any(|alias| *alias == known.name || *alias == known.proto_name)
        };
        old.fields.iter().position(former)
    })
}

/// Adds a breach for every field of a record that moved or changed its type.
fn check(lock: &Lock, old: &Message, next: &Schema, message: &Message, breaches: &mut Vec<Breach>) {
    if !matches!(message.form, Form::Record { .. } | Form::Tuple) {
        return;
    }
    let found: Vec<Option<usize>> = message.fields.iter().map(|field| find(old, field)).collect();
    for (at, known) in old.fields.iter().enumerate() {
        let name = format!("{}.{}", old.name, known.proto_name);
        let now = found.iter().position(|found| *found == Some(at));
        if let Some(now) = now {
            let locked = FieldType::of(&lock.schema, known);
            let asked = FieldType::of(next, &message.fields[now]);
            if !reads_without_tags(&locked, &asked) {
                let (locked, asked) = (locked.to_string(), asked.to_string());
                breaches.push(Breach::Changed { place: name.clone(), locked, asked });
            }
        }
        if now != Some(at) {
            let asked = now.map(|now| now + 1);
            breaches.push(Breach::Moved { place: name, locked: at + 1, asked });
        }
    }
}

impl Lock {
    /// Returns the shape with the fields of its records in the order of the lock, and new fields
    /// after them. The method is for inferred shapes, whose order is not declared. `next` is the
    /// schema of the shape.
    pub fn reorder(&self, shape: &Shape, next: &Schema) -> Shape {
        let mut builder = ShapeBuilder::default();
        // Nodes that are added in order keep their ids.
        for node in shape.nodes() {
            builder.add(match node {
                Node::Record(record) => Node::Record(self.reordered(record, next)),
                other => other.clone(),
            });
        }
        builder.finish(shape.root())
    }

    fn reordered(&self, record: &Record, next: &Schema) -> Record {
        let mut record = record.clone();
        let own = |message: &&Message| message.name == *record.name && message.is_declared();
        let old = self.message(&record.name);
        if let (Some(old), Some(message)) = (old, next.messages.iter().find(own)) {
            let positions: HashMap<&str, usize> = message
                .fields
                .iter()
                .filter_map(|field| Some((field.name.as_str(), find(old, field)?)))
                .collect();
            // The sort is stable: new fields keep their order.
            record
                .fields
                .sort_by_key(|field| positions.get(&*field.name).copied().unwrap_or(usize::MAX));
        }
        record
    }
}
