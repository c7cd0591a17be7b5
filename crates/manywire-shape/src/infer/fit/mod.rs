mod check;
mod expected;
mod key;
mod record;
mod variant;

use std::fmt;

use check::Fit;

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
    Fit { shape }.node(shape.root(), value, 0).map_err(|fault| fault.misfit())
}

type Result<T, E = Box<Fault>> = std::result::Result<T, E>;

/// A misfit on its way up, gathering its path.
struct Fault {
    path: Vec<String>,
    expected: String,
    found: String,
}

impl Fault {
    #[cold]
    fn new(expected: impl Into<String>, found: impl Into<String>) -> Box<Self> {
        Box::new(Fault { path: Vec::new(), expected: expected.into(), found: found.into() })
    }

    #[cold]
    fn under_key(mut self: Box<Self>, key: &str) -> Box<Self> {
        self.path.push(super::path::step(key));
        self
    }

    #[cold]
    fn under(self: Box<Self>, key: &Value<'_>) -> Box<Self> {
        match key {
            Value::Str(name) => self.under_key(name),
            other => self.under_key(&expected::found(other)),
        }
    }

    #[cold]
    fn under_index(mut self: Box<Self>, index: usize) -> Box<Self> {
        self.path.push(format!("[{index}]"));
        self
    }

    /// Whether the value itself was as expected, and something in it was not.
    fn is_inside(&self) -> bool {
        !self.path.is_empty()
    }

    fn misfit(self) -> Misfit {
        let steps = self.path.iter().rev().map(String::as_str);
        let path = std::iter::once("$").chain(steps).collect();
        Misfit { path, expected: self.expected, found: self.found }
    }
}
