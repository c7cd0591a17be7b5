mod check;
mod expected;
mod faults;
mod key;
mod record;
mod variant;

use std::fmt;

use check::Fit;
use faults::{Fault, Faults};

use crate::{Shape, Value};

/// Values nested deeper than this fit no shape but [`Node::Any`](crate::Node::Any).
pub(super) const DEPTH_MAX: usize = 512;

/// Where a value parts from a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The place in the value: `$.hotels[3].name`.
    pub path: String,
    /// What the shape says.
    pub expected: String,
    /// What the value has.
    pub found: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, found {}", self.path, self.expected, self.found)
    }
}

impl std::error::Error for Misfit {}

/// Whether a value fits a shape; if not, the first place where it does not.
///
/// Strict about names: an entry that is no field of a record fits only a record with a rest. An
/// integer fits a float that holds it exactly, a 64-bit float fits a 32-bit one within its range
/// (what rounding it loses is not judged here), and text fits the keys of a map of numbers if it
/// is one, as JSON has no other keys.
///
/// # Errors
///
/// The first misfit, in the order of the value.
pub fn fits(shape: &Shape, value: &Value<'_>) -> Result<(), Misfit> {
    let fit = Fit { shape, limit: None };
    fit.node(shape.root(), value, 0).map_err(|faults| faults.first().misfit())
}

/// Every place where a value does not fit a shape, as [`fits`] judges it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Misfits {
    /// The first of them, in the order of the value.
    pub named: Vec<Misfit>,
    /// How many more there are.
    pub more: u64,
}

impl Misfits {
    /// The misfits of a value; no more than so many, and at least one, are named.
    ///
    /// A value that fits none of the branches of a union counts once, or as often as the first
    /// branch of its kind finds something wrong in it.
    pub fn of(shape: &Shape, value: &Value<'_>, named_max: usize) -> Misfits {
        let fit = Fit { shape, limit: Some(named_max.max(1)) };
        match fit.node(shape.root(), value, 0) {
            Ok(()) => Misfits::default(),
            Err(faults) => {
                let Faults { named, more } = *faults;
                Misfits { named: named.into_iter().map(Fault::misfit).collect(), more }
            }
        }
    }

    /// Whether there is none: the value fits.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// How many there are in all.
    pub fn count(&self) -> u64 {
        self.named.len() as u64 + self.more
    }
}

type Result<T, E = Box<Faults>> = std::result::Result<T, E>;
