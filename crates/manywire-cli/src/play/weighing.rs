//! Measurements that the page starts: one at a time, with its progress as a stream of events, and the
//! reports of the last ones in memory.

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::thread;

use futures_core::Stream;
use manywire::Shaped;
use manywire::content::Items;
use manywire_playground::ViewRequest;
use manywire_shape::Arena;
use manywire_tools::page;
use manywire_tools::payload::PayloadSource;
use manywire_tools::weigh::lanes::LaneSet;
use manywire_tools::weigh::measure::{self, PreparedPayloads};
use manywire_tools::weigh::{Effort, Options, Progress, SchemaText, worker};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::exit::{CommandError, failed};
use crate::input::{LoadedPayloads, load_sources};

/// The maximum number of reports that are kept. A page takes less than a megabyte.
const REPORTS_KEPT: usize = 8;

/// The error of a measurement that panicked.
const PANICKED: &str = "manywire failed: please report it, with the message on its standard error";

/// One event of a measurement.
#[derive(Clone, Debug, Serialize, Deserialize, Shaped)]
#[serde(rename_all = "snake_case")]
pub(super) enum WeighEvent {
    /// The current step, in words.
    Progress(String),
    /// The last event: the URL of the report, relative to the URL of the page.
    Report(String),
    /// The last event: the reason why there is no report.
    Error(String),
}

/// All measurements of this process.
#[derive(Clone, Debug, Default)]
pub(super) struct Weighings(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    is_running: bool,
    /// The number of reports so far, which is that of the newest.
    count: u64,
    /// The last reports with their numbers, the newest last.
    reports: VecDeque<(u64, String)>,
}

impl Weighings {
    /// Measures a payload, and returns the events. A client that goes away ends the measurement.
    pub(super) fn start(&self, request: ViewRequest) -> Items<WeighEvent> {
        Items::new(self.run(move |progress, interrupted| weigh(&request, progress, interrupted)))
    }

    /// Runs a measurement in a new thread, unless another one is running, and returns the events.
    fn run(
        &self,
        measure: impl FnOnce(EventProgress, &AtomicBool) -> Result<String, CommandError>
        + Send
        + 'static,
    ) -> Events {
        let (sender, receiver) = unbounded_channel();
        let interrupted = Arc::new(AtomicBool::new(false));
        let events = Events { receiver, interrupted: Arc::clone(&interrupted) };
        // Two measurements at once would disturb each other.
        if std::mem::replace(&mut self.state().is_running, true) {
            let message = "another measurement is running; wait for its end or stop it";
            // Sending succeeds, because the receiver is in `events`.
            drop(sender.send(WeighEvent::Error(message.to_owned())));
            return events;
        }
        let weighings = self.clone();
        thread::spawn(move || {
            let running = Running(weighings);
            let progress = EventProgress(sender.clone());
            // The page waits for the last event, also after a fault of this program.
            let measured =
                panic::catch_unwind(AssertUnwindSafe(|| measure(progress, &interrupted)));
            let last = match measured.unwrap_or_else(|_| Err(failed(PANICKED))) {
                Ok(page) => WeighEvent::Report(running.0.keep(page)),
                Err((_, message)) => WeighEvent::Error(message),
            };
            drop(running);
            // A client that is gone needs no event.
            drop(sender.send(last));
        });
        events
    }

    /// Returns the page of a report, if it is still kept.
    pub(super) fn report(&self, number: u64) -> Option<String> {
        let state = self.state();
        state.reports.iter().find(|(known, _)| *known == number).map(|(_, page)| page.clone())
    }

    /// Keeps the page of a report, and returns its URL.
    fn keep(&self, page: String) -> String {
        let mut state = self.state();
        state.count += 1;
        let number = state.count;
        state.reports.push_back((number, page));
        if state.reports.len() > REPORTS_KEPT {
            state.reports.pop_front();
        }
        format!("report/{number}")
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state stays valid even if a thread panicked while it held the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Marks the end of a measurement when it is dropped, also after a panic.
struct Running(Weighings);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.state().is_running = false;
    }
}

/// The events of one measurement, which ends when they are dropped.
struct Events {
    receiver: UnboundedReceiver<WeighEvent>,
    interrupted: Arc<AtomicBool>,
}

impl Stream for Events {
    type Item = WeighEvent;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<WeighEvent>> {
        self.receiver.poll_recv(context)
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }
}

/// Sends progress as events.
struct EventProgress(UnboundedSender<WeighEvent>);

impl Progress for EventProgress {
    fn say(&mut self, line: &str) {
        // A client that is gone needs no event.
        drop(self.0.send(WeighEvent::Progress(line.to_owned())));
    }

    fn note(&mut self, line: &str) {
        self.say(line);
    }
}

/// Measures a payload as `weigh --quick` does, and returns the page of the report.
fn weigh(
    request: &ViewRequest,
    mut progress: EventProgress,
    interrupted: &AtomicBool,
) -> Result<String, CommandError> {
    let (source, form) = request.source().map_err(failed)?;
    let schema = request.schema.as_ref().map(|text| SchemaText {
        file: "schema".to_owned(),
        text: text.clone(),
        message: request.message.clone(),
    });
    let sources = [PayloadSource::new(source, form)];
    let LoadedPayloads { payloads, errors, schema } =
        load_sources(&sources, Vec::new(), schema.as_ref())?;
    if let Some(error) = errors.first() {
        return Err(failed(error));
    }
    let options =
        Options { schema, effort: Effort::Quick, counts_fields: true, ..Options::default() };
    let program = std::env::current_exe();
    let program = program.map_err(|error| failed(format!("cannot find this program: {error}")))?;
    let lanes = LaneSet::built_in(worker::built_in_lane(program, &["worker"]));
    let arena = Arena::new();
    let prepared = PreparedPayloads::new(&payloads, &arena, &options).map_err(failed)?;
    let outcome = measure::weigh(&prepared, &options, &lanes, &mut progress, interrupted);
    match outcome.interrupted {
        true => Err(failed("stopped before its end")),
        false => Ok(page::weigh_page(&outcome.report, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Progress, WeighEvent, Weighings};

    #[test]
    fn a_panic_ends_in_an_error_and_frees_the_place() {
        let weighings = Weighings::default();
        let mut events = weighings.run(|mut progress, _| {
            progress.say("launch 1");
            panic!("out of luck")
        });
        let step = events.receiver.blocking_recv();
        assert!(matches!(step, Some(WeighEvent::Progress(_))), "{step:?}");
        let last = events.receiver.blocking_recv();
        let Some(WeighEvent::Error(error)) = &last else { panic!("no error: {last:?}") };
        assert!(error.contains("please report it"), "{error}");
        assert!(events.receiver.blocking_recv().is_none());
        let mut next = weighings.run(|_, _| Ok("a page".to_owned()));
        let last = next.receiver.blocking_recv();
        assert!(matches!(&last, Some(WeighEvent::Report(url)) if url == "report/1"), "{last:?}");
    }
}
