use std::fmt;
use std::sync::Arc;

use super::{Described, Input, Read, Reading};
use crate::problem::{Fault, Place};

/// Why a value that was read is not one that the endpoint takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid(pub String);

impl<S: Into<String>> From<S> for Invalid {
    fn from(detail: S) -> Self {
        Invalid(detail.into())
    }
}

/// An input whose value is made into another one, or refused.
pub struct Checked<I: Input, U> {
    input: I,
    check: Arc<Check<I::Value, U>>,
}

type Check<V, U> = dyn Fn(V) -> Result<U, Invalid> + Send + Sync;

impl<I: Input, U> Checked<I, U> {
    #[cfg(feature = "client")]
    pub(super) fn input(&self) -> &I {
        &self.input
    }

    pub(crate) fn new(
        input: I,
        check: impl Fn(I::Value) -> Result<U, Invalid> + Send + Sync + 'static,
    ) -> Self {
        Checked { input, check: Arc::new(check) }
    }
}

impl<I: Input, U: Send + 'static> Input for Checked<I, U> {
    type Value = U;

    fn describe(&self, description: &mut Vec<Described>) {
        self.input.describe(description);
    }
}

impl<I: Read, U: Send + 'static> Read for Checked<I, U> {
    fn read(&self, reading: &mut Reading<'_>) -> Option<U> {
        let value = self.input.read(reading)?;
        match (self.check)(value) {
            Ok(value) => Some(value),
            Err(Invalid(detail)) => {
                let mut described = Vec::new();
                self.input.describe(&mut described);
                reading.note(match described.into_iter().next() {
                    Some(Described::Parameter { place, name, .. }) => {
                        Fault::new(place, name, detail)
                    }
                    _ => Fault::new(Place::Body, "", detail),
                })
            }
        }
    }
}

impl<I: Input + Clone, U> Clone for Checked<I, U> {
    fn clone(&self) -> Self {
        Checked { input: self.input.clone(), check: Arc::clone(&self.check) }
    }
}

impl<I: Input + fmt::Debug, U> fmt::Debug for Checked<I, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Checked").field(&self.input).finish()
    }
}
