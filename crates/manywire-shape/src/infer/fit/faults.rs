//! What is wrong, on its way up from where it was found.

use super::check::Fit;
use super::{Misfit, Result, expected};
use crate::Value;

/// A misfit that is gathering its path.
pub(super) struct Fault {
    path: Vec<String>,
    expected: String,
    found: String,
}

/// Those of a part of a value, in its order; never none.
pub(super) struct Faults {
    pub(super) named: Vec<Fault>,
    /// How many there are beyond those that are named.
    pub(super) more: u64,
}

impl Faults {
    #[cold]
    pub(super) fn new(expected: impl Into<String>, found: impl Into<String>) -> Box<Self> {
        let fault = Fault { path: Vec::new(), expected: expected.into(), found: found.into() };
        Box::new(Faults { named: vec![fault], more: 0 })
    }

    #[cold]
    fn step(mut self: Box<Self>, step: &str) -> Box<Self> {
        self.named.iter_mut().for_each(|fault| fault.path.push(step.to_owned()));
        self
    }

    #[cold]
    pub(super) fn under_key(self: Box<Self>, key: &str) -> Box<Self> {
        self.step(&super::super::path::step(key))
    }

    #[cold]
    pub(super) fn under(self: Box<Self>, key: &Value<'_>) -> Box<Self> {
        match key {
            Value::Str(name) => self.under_key(name),
            other => self.under_key(&expected::found(other)),
        }
    }

    #[cold]
    pub(super) fn under_index(self: Box<Self>, index: usize) -> Box<Self> {
        self.step(&format!("[{index}]"))
    }

    /// Whether the value itself was as expected, and something in it was not.
    pub(super) fn are_inside(&self) -> bool {
        self.named.iter().any(|fault| !fault.path.is_empty())
    }

    pub(super) fn first(self) -> Fault {
        let first = self.named.into_iter().next();
        first.unwrap_or(Fault { path: Vec::new(), expected: String::new(), found: String::new() })
    }
}

/// The faults of the parts that were looked at so far.
#[derive(Default)]
pub(super) struct Gathered(Option<Box<Faults>>);

impl Gathered {
    /// Adds what was found in a part; where the first fault is all that is asked for, there is no
    /// need to look on.
    #[cold]
    pub(super) fn add(&mut self, fit: Fit<'_>, faults: Box<Faults>) -> Result<()> {
        let Some(limit) = fit.limit else { return Err(faults) };
        match &mut self.0 {
            None => self.0 = Some(faults),
            Some(all) => {
                let room = limit.saturating_sub(all.named.len());
                all.more += faults.more + faults.named.len().saturating_sub(room) as u64;
                all.named.extend(faults.named.into_iter().take(room));
            }
        }
        Ok(())
    }

    pub(super) fn end(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

impl Fault {
    pub(super) fn misfit(self) -> Misfit {
        let steps = self.path.iter().rev().map(String::as_str);
        let path = std::iter::once("$").chain(steps).collect();
        Misfit { path, expected: self.expected, found: self.found }
    }
}
