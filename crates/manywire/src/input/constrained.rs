//! The constraints of inputs: those of a type, and those that [`Endpoint::constrain`] adds.
//!
//! The constraints of an input are known when its endpoint is declared, so that a request to an
//! endpoint without any pays one comparison for each input.
//!
//! [`Endpoint::constrain`]: crate::Endpoint::constrain

use std::sync::Arc;

use manywire_shape::path::{self, PrintedStep};
use manywire_shape::{Check, Constraints, Measure, Rule, Shape, Shaped, Violation};

use super::InputReader;
use crate::content::Type;
use crate::problem::{Fault, InputLocation};

/// An input that may have constraints.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot have constraints here",
    label = "not a number, text or list in a path, query, header field or cookie",
    note = "call `.constrain(…)` before `.validate(…)` and `.map(…)`",
    note = "a field of a record has constraints in its type: #[shaped(min = 1)]"
)]
pub trait Constrain {
    /// Adds constraints.
    #[must_use]
    fn constrain(self, constraints: Constraints) -> Self;
}

/// A tuple whose last input may have constraints.
#[diagnostic::on_unimplemented(
    message = "`.constrain(…)` is about the last input, and there is none",
    label = "no input so far"
)]
pub trait ConstrainLast {
    /// Adds constraints to the last input.
    #[must_use]
    fn constrain_last(self, constraints: Constraints) -> Self;
}

/// The constraints of an input of type `T`.
pub(super) struct InputConstraints<T> {
    /// The check of the type, if it has constraints.
    of_type: Option<fn(&T, &mut Check<'_>)>,
    /// The constraints of the input itself, in the order of their declaration.
    own: Vec<OwnConstraints<T>>,
}

struct OwnConstraints<T> {
    constraints: Constraints,
    /// The compiled constraints, or `None` for invalid ones, for which building the API fails.
    rule: Option<Arc<Rule>>,
    check: fn(&Rule, &T, &mut Check<'_>),
}

impl<T: Shaped> InputConstraints<T> {
    /// Returns the constraints of the type.
    pub(super) fn of_type() -> Self {
        let is_constrained = !Shape::of_readable::<T>().constraints().is_empty();
        InputConstraints { of_type: is_constrained.then_some(T::check), own: Vec::new() }
    }

    /// Adds constraints of the input.
    pub(super) fn add(&mut self, constraints: Constraints)
    where
        T: Measure,
    {
        let rule = Rule::new(constraints.clone()).ok().map(Arc::new);
        let check = |rule: &Rule, value: &T, check: &mut Check<'_>| check.value(rule, value);
        self.own.push(OwnConstraints { constraints, rule, check });
    }

    /// Returns the type of the values.
    pub(super) fn ty(&self) -> Type {
        let own = self.own.iter().map(|own| own.constraints.clone());
        own.fold(Type::of::<T>(), Type::constrained)
    }

    /// Returns the value if its constraints hold. Otherwise adds the faults to `reading` and
    /// returns nothing.
    #[inline]
    pub(super) fn checked(
        &self,
        value: T,
        place: InputLocation,
        name: &str,
        reading: &mut InputReader<'_>,
    ) -> Option<T> {
        if self.of_type.is_none() && self.own.is_empty() {
            return Some(value);
        }
        let violations = self.violations(&value, place);
        if violations.is_empty() {
            return Some(value);
        }
        for violation in violations {
            reading.note::<()>(fault(place, name, violation));
        }
        None
    }
}

impl<T> InputConstraints<T> {
    fn violations(&self, value: &T, place: InputLocation) -> Vec<Violation> {
        let walk = |check: &mut Check<'_>| {
            if let Some(of_type) = self.of_type {
                of_type(value, check);
            }
            for OwnConstraints { rule, check: own, .. } in &self.own {
                if let Some(rule) = rule {
                    own(rule, value, check);
                }
            }
        };
        // Header fields and cookies may be credentials, so a problem must not show their values.
        match place {
            InputLocation::Header | InputLocation::Cookie => Check::run_hiding_values(walk),
            InputLocation::Path | InputLocation::Query | InputLocation::Body => Check::run(walk),
        }
    }
}

/// Returns the fault of the parameter `name`. An empty name means the whole query, in which the
/// path of the violation names the parameter.
#[cold]
fn fault(place: InputLocation, name: &str, violation: Violation) -> Fault {
    let Violation { path, detail } = violation;
    if name.is_empty() {
        let (_, mut steps) = path::split(&path);
        let name = steps.next().and_then(PrintedStep::key);
        let inner = steps.as_str();
        let path = (!inner.is_empty()).then(|| format!("${inner}"));
        return Fault::of_check(place, name.as_deref(), path, detail);
    }
    let path = Some(path).filter(|path| path != "$");
    Fault::of_check(place, Some(name), path, detail)
}

impl<T> Clone for InputConstraints<T> {
    fn clone(&self) -> Self {
        InputConstraints { of_type: self.of_type, own: self.own.clone() }
    }
}

impl<T> Clone for OwnConstraints<T> {
    fn clone(&self) -> Self {
        let (constraints, rule) = (self.constraints.clone(), self.rule.clone());
        OwnConstraints { constraints, rule, check: self.check }
    }
}
