use std::fmt;

/// A promise that the next schema would break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// Something asks for another number than it has.
    Renumbered {
        /// `Hotel.stars`, in the words of the `.proto`.
        place: String,
        /// The number that was promised.
        locked: i64,
        /// The number that is asked for.
        asked: i64,
    },
    /// The bytes of old values do not hold the new type.
    Retyped {
        /// `Hotel.stars`
        place: String,
        /// The number.
        number: i64,
        /// The type that was promised, as a `.proto` writes it.
        locked: String,
        /// The type that it would have.
        asked: String,
    },
    /// What readers by place find is of another type.
    Changed {
        /// `Hotel.stars`
        place: String,
        /// The type that was promised, as a `.proto` writes it.
        locked: String,
        /// The type that it would have.
        asked: String,
    },
    /// Something new takes a number or a name that was given before.
    Reused {
        /// `Hotel.stars`
        place: String,
        /// The number or name.
        taken: String,
        /// Whose it is.
        owner: String,
    },
    /// Something that must stay is gone or stands elsewhere.
    Moved {
        /// `Hotel.stars`
        place: String,
        /// Where it was, from 1.
        locked: usize,
        /// Where it is now, from 1; nothing if it is gone.
        asked: Option<usize>,
    },
    /// The value 0 of an enum is gone.
    ZeroRemoved {
        /// `Color.RED`
        place: String,
    },
    /// There is no number left.
    Exhausted {
        /// `Hotel.stars`
        place: String,
    },
}

/// What is broken, and what to do.
impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Breach::Renumbered { place, locked, asked } => write!(
                f,
                "{place} has number {locked} in the lock and asks for {asked}: \
                 ask for {locked}, or for none"
            ),
            Breach::Retyped { place, number, locked, asked } => write!(
                f,
                "{place} = {number} is {locked} in the lock and would become {asked}, which old \
                 bytes are not: keep {locked}, or give the new field a new name"
            ),
            Breach::Changed { place, locked, asked } => write!(
                f,
                "{place} is {locked} in the lock and would become {asked}, which old bytes are \
                 not: keep {locked}, or add a new field at the end"
            ),
            Breach::Reused { place, taken, owner } => write!(
                f,
                "{place} takes {taken}, which belongs to {owner}: readers of old bytes would mistake \
                 one for the other; choose another"
            ),
            Breach::Moved { place, locked, asked: Some(asked) } => write!(
                f,
                "{place} was in place {locked} and would be in {asked}, where readers by place look \
                 for another: add new fields at the end"
            ),
            Breach::Moved { place, locked, asked: None } => write!(
                f,
                "{place} was in place {locked} and is gone, so all that follow would move: keep it"
            ),
            Breach::ZeroRemoved { place } => write!(
                f,
                "{place} = 0 is gone, and an enum of proto3 cannot be without the value 0: keep it"
            ),
            Breach::Exhausted { place } => {
                write!(f, "{place} gets no number: all above those given are reserved")
            }
        }
    }
}

/// Every promise that would be broken; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breaches(pub Vec<Breach>);

/// A breach a line.
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
