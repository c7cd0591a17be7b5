use std::sync::atomic::{AtomicBool, Ordering};

use crate::payload::{Halt, Item, Schema, Take};
use manywire_shape::infer::Inference;

use crate::convert::adapt::Adapter;

/// Learns the shape of all values: the first of the two readings of an input.
pub(crate) struct Learner<'l> {
    adapter: Adapter,
    inference: Inference,
    interrupted: &'l AtomicBool,
}

impl<'l> Learner<'l> {
    pub(crate) fn new(adapter: Adapter, interrupted: &'l AtomicBool) -> Self {
        Learner { adapter, inference: Inference::new(), interrupted }
    }

    /// What was learnt, if there was a value to learn it from.
    pub(crate) fn schema(&self) -> Option<Schema> {
        (self.inference.samples() > 0).then(|| Schema::from(self.inference.shape()))
    }
}

impl Take for Learner<'_> {
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Halt::Stopped);
        }
        // As it will be written: what the format cannot hold has no place in its schema.
        let value = self.adapter.fit(item.value, item.arena)?;
        self.inference.add(&value);
        Ok(())
    }

    fn pause(&mut self) -> Result<(), Halt> {
        Ok(())
    }
}
