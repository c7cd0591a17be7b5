//! Batches of values that show where they end only to whoever reads them: a thread does.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::payload::{Halt, Input, Item, Take, is_kept, kept_in};
use manywire_format::Form;

use super::batch::{Batch, Division, End};
use crate::weigh::payload::InputError;

/// Bytes gathered before a batch is handed out: enough to make handing out rare, few enough for a
/// batch a thread to stay small.
const BATCH_BYTES: usize = 1 << 20;

/// An input that a thread finds the values of, a batch ahead.
pub(super) struct Values {
    batches: Receiver<Result<Batch, InputError>>,
}

impl Values {
    pub(super) fn start(input: Input) -> Values {
        let (sender, batches) = sync_channel(1);
        thread::spawn(move || Gathering::new(&input, sender).all(input));
        Values { batches }
    }

    /// The next batch; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Batch>, InputError> {
        // A sender that is gone has sent all there was.
        self.batches.recv().ok().transpose()
    }
}

/// A batch that is not full.
struct Gathering {
    form: Form,
    batch: Batch,
    ends: Vec<End>,
    // Values in the batches before.
    before: usize,
    sender: SyncSender<Result<Batch, InputError>>,
}

impl Gathering {
    fn new(input: &Input, sender: SyncSender<Result<Batch, InputError>>) -> Gathering {
        let (file, form) = (input.name().to_owned(), input.form());
        let made_from = (!is_kept(form)).then_some(form);
        let batch = Batch { file, format: kept_in(form), made_from, ..Batch::default() };
        Gathering { form, batch, ends: Vec::new(), before: 0, sender }
    }

    fn all(mut self, mut input: Input) {
        let read = input.each(&mut self);
        // Whoever wants no more has gone, and is told nothing.
        let rest = self.hand_out();
        if let (Ok(()), Err(error)) = (rest, read) {
            drop(self.sender.send(Err(error)));
        }
    }

    fn hand_out(&mut self) -> Result<(), Halt> {
        if self.ends.is_empty() {
            return Ok(());
        }
        let ends = std::mem::take(&mut self.ends);
        let (before, count) = (self.before, ends.len());
        self.before += count;
        let full = Batch {
            bytes: std::mem::take(&mut self.batch.bytes),
            file: self.batch.file.clone(),
            format: self.batch.format,
            made_from: self.batch.made_from,
            division: Division::Values { before, ends },
        };
        self.sender.send(Ok(full)).map_err(|_| Halt::Stopped)
    }
}

impl Take for Gathering {
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt> {
        item.keep(self.form, &mut self.batch.bytes)?;
        self.ends.push(End { at: self.batch.bytes.len(), given: item.bytes.len() });
        if self.batch.bytes.len() >= BATCH_BYTES { self.hand_out() } else { Ok(()) }
    }

    fn pause(&mut self) -> Result<(), Halt> {
        Ok(())
    }
}
