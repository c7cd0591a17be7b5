//! Locks: keep the field numbers and types of a published `.proto` stable.
//!
//! Readers of old bytes depend on the field numbers that the bytes were written with. A [`Lock`] is
//! the previous `.proto`. [`Lock::apply`] assigns its numbers to the next schema: fields with the same
//! name in JSON, fields and values with the same name in the `.proto`, and those with the old name as
//! an alias keep their numbers; new ones get numbers above all earlier ones; the numbers and names of
//! removed ones are reserved, and so are the names that a value of an enum had beside others. A change
//! that breaks readers is an error with a suggested fix: a different declared number
//! ([`Breach::Renumbered`]), a type that old bytes do not hold ([`Breach::Retyped`]), or a number or
//! name that belongs to another field or is reserved ([`Breach::Reused`]).
//!
//! Messages are matched by name; a message that the next schema lacks is dropped. An integer may
//! become wider within its encoding (`int32` to `int64`), `optional` may be added or removed, and a
//! list may be packed or not, because readers of Protocol Buffers accept both. A map may become a
//! list of its entries, which has the same bytes. Inferred shapes first take the types of the lock
//! ([`Lock::retype`]).
//!
//! Formats without field numbers (records as arrays, Avro without the writer's schema) depend on
//! the order of fields. [`Lock::check_order`] checks it, and [`Lock::reorder`] applies the order of
//! the lock to an inferred shape. Bare Avro also writes the index of the branch before a nullable
//! value, so [`AvroLock`] checks the unions.

mod avro;
mod breach;
mod inferred;
mod numbered;
mod proto_type;

use std::collections::{HashMap, HashSet};

use manywire_shape::proto::{Enum, EnumValue, Field, Form, Kind, Message, Schema};
use manywire_shape::{Node, Record, Shape, ShapeBuilder};

use crate::Error;
use numbered::{Locked, pairs};
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
        let mut schema = next.clone();
        let mut breaches = Vec::new();
        for message in schema.messages.iter_mut().filter(|message| message.is_declared()) {
            let Some(old) = self.message(&message.name) else { continue };
            let Message { name, fields: items, reserved, .. } = old;
            let found = pair_fields(old, &message.fields);
            let check = |known: &Field, field: &Field, breaches: &mut Vec<Breach>| {
                let locked = FieldType::of(&self.schema, known);
                let asked = FieldType::of(next, field);
                if !reads(&locked, &asked) {
                    breaches.push(Breach::Retyped {
                        place: format!("{name}.{}", field.proto_name),
                        number: known.number.into(),
                        locked: locked.to_string(),
                        asked: asked.to_string(),
                    });
                }
            };
            let locked = Locked { name, items, reserved, numbers };
            locked.apply(&mut message.fields, &mut message.reserved, &found, check, &mut breaches);
        }
        for each in schema.enums.iter_mut().filter(|each| each.import.is_none()) {
            let Some(old) = self.enumeration(&each.name) else { continue };
            let Enum { name, values: items, reserved, .. } = old;
            let found = pair_values(old, &each.values);
            let check = |_: &EnumValue, _: &EnumValue, _: &mut Vec<Breach>| {};
            let locked = Locked { name, items, reserved, numbers };
            locked.apply(&mut each.values, &mut each.reserved, &found, check, &mut breaches);
            reserve_former_names(old, each, &found, &mut breaches);
            check_aliases(each, &mut breaches);
        }
        if breaches.is_empty() { Ok(schema) } else { Err(Breaches(breaches)) }
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
            let fields = message.fields.iter().zip(pair_fields(old, &message.fields));
            let fields = fields.filter(|(_, found)| found.is_none());
            new.extend(fields.map(|(field, _)| format!("{}.{}", message.name, field.proto_name)));
        }
        for each in next.enums.iter().filter(|each| each.import.is_none()) {
            let Some(old) = self.enumeration(&each.name) else {
                new.push(each.name.clone());
                continue;
            };
            let values = each.values.iter().zip(pair_values(old, &each.values));
            let values = values.filter(|(_, found)| found.is_none());
            new.extend(values.map(|(value, _)| format!("{}.{}", each.name, value.proto_name)));
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

    fn enumeration(&self, name: &str) -> Option<&Enum> {
        self.schema.enums.iter().find(|each| each.name == name)
    }
}

/// Returns for each field the index of the field of the lock with its name in values, or else with its
/// name in the `.proto`, or with one of its aliases.
fn pair_fields(old: &Message, fields: &[Field]) -> Vec<Option<usize>> {
    let is_former = |known: &Field, field: &Field| {
        field.aliases.iter().any(|alias| *alias == known.name || *alias == known.proto_name)
    };
    pairs(&old.fields, fields, &[&is_former])
}

/// Returns for each value the index of the value of the lock with its name, or with one of its aliases.
/// The names in the lock include those of `allow_alias`.
fn pair_values(old: &Enum, values: &[EnumValue]) -> Vec<Option<usize>> {
    let is_alias = |known: &EnumValue, value: &EnumValue| has_name(known, &value.proto_name);
    let is_former = |known: &EnumValue, value: &EnumValue| {
        names_of(known).any(|name| is_former_name(old, value, name))
    };
    pairs(&old.values, values, &[&is_alias, &is_former])
}

/// Returns the names of a value in the `.proto`.
fn names_of(value: &EnumValue) -> impl Iterator<Item = &String> {
    std::iter::once(&value.proto_name).chain(&value.proto_aliases)
}

/// Returns whether a value has a name in the `.proto`.
fn has_name(value: &EnumValue, name: &str) -> bool {
    names_of(value).any(|known| known == name)
}

/// Returns whether a name in the lock is that of one of the aliases of a value.
fn is_former_name(old: &Enum, value: &EnumValue, name: &str) -> bool {
    let mut aliases = value.aliases.iter();
    aliases.any(|alias| alias == name || name.eq_ignore_ascii_case(&old.value_name(alias)))
}

/// Reserves the names that the values of the lock no longer have, and adds a breach for each that
/// belongs to another value now. The first name of a removed value is reserved already. The value 0
/// may stay in the text although no variant has it.
fn reserve_former_names(
    old: &Enum,
    each: &mut Enum,
    found: &[Option<usize>],
    breaches: &mut Vec<Breach>,
) {
    for (at, known) in old.values.iter().enumerate() {
        let now = found.iter().position(|found| *found == Some(at));
        if now.is_none() && known.number == 0 {
            continue;
        }
        for name in names_of(known).skip(usize::from(now.is_none())) {
            let is_kept = now.is_some_and(|now| {
                let value = &each.values[now];
                has_name(value, name) || is_former_name(old, value, name)
            });
            if is_kept || each.reserved.has_name(name) {
                continue;
            }
            if each.values.iter().any(|value| has_name(value, name)) {
                breaches.push(Breach::Reused {
                    place: format!("{}.{name}", each.name),
                    taken: format!("the name {name:?}"),
                    owner: format!("{}.{}", each.name, known.proto_name),
                });
            } else {
                each.reserved.names.push(name.clone());
            }
        }
    }
}

/// Adds a breach for every further name of a value (`allow_alias`) that is reserved. A `.proto` must
/// not declare a name that it reserves.
fn check_aliases(locked: &Enum, breaches: &mut Vec<Breach>) {
    for alias in locked.values.iter().flat_map(|value| &value.proto_aliases) {
        if locked.reserved.has_name(alias) {
            breaches.push(Breach::Reused {
                place: format!("{}.{alias}", locked.name),
                taken: format!("the name {alias:?}"),
                owner: "a value that was removed".to_owned(),
            });
        }
    }
}

/// Adds a breach for every field of a record that moved or changed its type.
fn check(lock: &Lock, old: &Message, next: &Schema, message: &Message, breaches: &mut Vec<Breach>) {
    if !matches!(message.form, Form::Record { .. } | Form::Tuple) {
        return;
    }
    let found = pair_fields(old, &message.fields);
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
            let fields = message.fields.iter().zip(pair_fields(old, &message.fields));
            let positions: HashMap<&str, usize> =
                fields.filter_map(|(field, found)| Some((field.name.as_str(), found?))).collect();
            // The sort is stable: new fields keep their order.
            record
                .fields
                .sort_by_key(|field| positions.get(&*field.name).copied().unwrap_or(usize::MAX));
        }
        record
    }
}
