//! [`Check`]: the walk over a value that collects the constraints which it violates.

use std::borrow::Cow;

use super::{Measure, Measured, Rule};
use crate::path::KeyStep;

/// A constraint that a value violates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The path in the value: `$.rooms[0].rate`.
    pub path: String,
    /// The message: what was expected and what was found.
    pub detail: String,
}

/// The maximum number of violations of one value that are collected. A client corrects a few at a
/// time, and a body of a million wrong items must not make a larger response.
const VIOLATIONS_MAX: usize = 100;

/// The place within a value whose constraints are checked, and the violations found so far.
///
/// The steps of the path are a list on the stack, so that a place without violations costs nothing
/// but the walk.
#[derive(Debug)]
pub struct Check<'c> {
    place: Place<'c>,
    found: &'c mut Found,
}

#[derive(Debug, Default)]
struct Found {
    violations: Vec<Violation>,
    hides_values: bool,
}

#[derive(Debug)]
struct Place<'c> {
    outer: Option<&'c Place<'c>>,
    step: Step<'c>,
}

#[derive(Debug)]
enum Step<'c> {
    Root,
    Key(Cow<'c, str>),
    /// A key that has no text in JSON.
    AnyKey,
    Index(usize),
}

impl Check<'_> {
    /// Returns the violations that a walk over a whole value finds.
    pub fn run(walk: impl FnOnce(&mut Check<'_>)) -> Vec<Violation> {
        Check::collect(Found::default(), walk)
    }

    /// Returns the violations as [`Check::run`] does, without the values in their messages: for
    /// values that may be credentials.
    pub fn run_hiding_values(walk: impl FnOnce(&mut Check<'_>)) -> Vec<Violation> {
        Check::collect(Found { hides_values: true, ..Found::default() }, walk)
    }

    fn collect(mut found: Found, walk: impl FnOnce(&mut Check<'_>)) -> Vec<Violation> {
        let place = Place { outer: None, step: Step::Root };
        walk(&mut Check { place, found: &mut found });
        found.violations
    }

    /// Returns the check of a field.
    pub fn field<'s>(&'s mut self, name: &'s str) -> Check<'s> {
        self.below(Step::Key(Cow::Borrowed(name)))
    }

    /// Returns the check of the item at an index.
    pub fn item(&mut self, index: usize) -> Check<'_> {
        self.below(Step::Index(index))
    }

    /// Returns the check of the value under a key of a map, or of the key itself.
    pub(crate) fn entry<'s>(&'s mut self, key: Option<Cow<'s, str>>) -> Check<'s> {
        self.below(key.map_or(Step::AnyKey, Step::Key))
    }

    fn below<'s>(&'s mut self, step: Step<'s>) -> Check<'s> {
        Check { place: Place { outer: Some(&self.place), step }, found: &mut *self.found }
    }

    /// Checks the value at this place.
    pub fn value<T: Measure + ?Sized>(&mut self, rule: &Rule, value: &T) {
        self.measured(rule, &value.measured());
    }

    pub(crate) fn measured(&mut self, rule: &Rule, value: &Measured<'_>) {
        let (place, found) = (&self.place, &mut *self.found);
        let hidden = found.hides_values;
        rule.check(value, hidden, |detail| {
            if found.violations.len() < VIOLATIONS_MAX {
                found.violations.push(Violation { path: place.text(), detail });
            }
        });
    }
}

impl Place<'_> {
    #[cold]
    fn text(&self) -> String {
        let mut steps = Vec::new();
        let mut place = Some(self);
        while let Some(Place { outer, step: inner }) = place {
            match inner {
                Step::Root => {}
                Step::Key(key) => steps.push(KeyStep(key).to_string()),
                Step::AnyKey => steps.push("[*]".to_owned()),
                Step::Index(index) => steps.push(format!("[{index}]")),
            }
            place = *outer;
        }
        steps.push("$".to_owned());
        steps.into_iter().rev().collect()
    }
}
