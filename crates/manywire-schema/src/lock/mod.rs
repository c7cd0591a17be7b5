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

mod arrange;
mod breach;
mod datums;
mod fields;
mod kinds;
mod places;
mod values;

use std::collections::HashSet;

use manywire_shape::proto::{Form, Kind, Message, Schema};

pub use breach::{Breach, Breaches};
pub use datums::Datums;
pub(crate) use kinds::{Place, plain};

use crate::Error;

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
                fields::lock(self, old, next, message, numbers, &mut breaches);
            }
        }
        for each in &mut locked.enums {
            if let Some(old) = self.schema.enums.iter().find(|old| old.name == each.name) {
                values::lock(old, each, numbers, &mut breaches);
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
                places::check(self, old, next, message, &mut breaches);
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
            let fields = message.fields.iter().filter(|field| fields::find(old, field).is_none());
            new.extend(fields.map(|field| format!("{}.{}", message.name, field.proto_name)));
        }
        for each in &next.enums {
            let Some(old) = self.schema.enums.iter().find(|old| old.name == each.name) else {
                new.push(each.name.clone());
                continue;
            };
            let values = each.values.iter().filter(|value| values::find(old, value).is_none());
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
