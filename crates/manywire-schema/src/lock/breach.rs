//! Breaches of a lock, with suggested fixes.

use std::fmt;

/// A change in the next schema that breaks readers of the locked one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// A field or value declares a number that differs from the lock.
    Renumbered {
        /// The name in the `.proto`: `Hotel.stars`.
        place: String,
        /// The number in the lock.
        locked: i64,
        /// The declared number.
        asked: i64,
    },
    /// Old bytes are not valid for the new type.
    Retyped {
        /// `Hotel.stars`
        place: String,
        /// The number.
        number: i64,
        /// The type in the lock, in the syntax of `.proto`.
        locked: String,
        /// The new type.
        asked: String,
    },
    /// The field at a position has another type, for readers that depend on the order.
    Changed {
        /// `Hotel.stars`
        place: String,
        /// The type in the lock, in the syntax of `.proto`, or as `[null, string]` for Avro.
        locked: String,
        /// The new type.
        asked: String,
    },
    /// A new field or value uses a number or name that was used before.
    Reused {
        /// `Hotel.stars`
        place: String,
        /// The number or name.
        taken: String,
        /// The owner of the number or name.
        owner: String,
    },
    /// A field was removed or has another position, for readers that depend on the order.
    Moved {
        /// `Hotel.stars`
        place: String,
        /// The position in the lock, from 1.
        locked: usize,
        /// The new position, from 1; `None` if the field was removed.
        asked: Option<usize>,
    },
    /// The value 0 of an enum was removed.
    ZeroRemoved {
        /// `Color.RED`
        place: String,
    },
    /// No number is free.
    Exhausted {
        /// `Hotel.stars`
        place: String,
    },
}

/// Writes the breach and how to fix it.
impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Breach::Renumbered { place, locked, asked } => write!(
                f,
                "{place} has number {locked} in the lock but declares {asked}: \
                 declare {locked}, or no number"
            ),
            Breach::Retyped { place, number, locked, asked } => write!(
                f,
                "{place} = {number} is {locked} in the lock and would become {asked}, which cannot \
                 read old bytes: keep {locked}, or give the new field a new name"
            ),
            Breach::Changed { place, locked, asked } => write!(
                f,
                "{place} is {locked} in the lock and would become {asked}, which cannot read old \
                 bytes: keep {locked}, or add a new field at the end"
            ),
            Breach::Reused { place, taken, owner } => write!(
                f,
                "{place} takes {taken}, which belongs to {owner}: readers of old bytes would \
                 confuse them; choose another"
            ),
            Breach::Moved { place, locked, asked: Some(asked) } => write!(
                f,
                "{place} was field {locked} and would be field {asked}, but readers without field \
                 numbers depend on the order: add new fields at the end"
            ),
            Breach::Moved { place, locked, asked: None } => write!(
                f,
                "{place} was field {locked} and is removed, which would move the fields after it: \
                 keep it"
            ),
            Breach::ZeroRemoved { place } => write!(
                f,
                "{place} = 0 is removed, but an enum of proto3 needs the value 0: keep it"
            ),
            Breach::Exhausted { place } => {
                write!(f, "{place} gets no number: all numbers above the used ones are reserved")
            }
        }
    }
}

/// All breaches of a lock; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breaches(pub Vec<Breach>);

/// Writes one breach per line.
impl fmt::Display for Breaches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, breach) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{breach}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Breaches {}
