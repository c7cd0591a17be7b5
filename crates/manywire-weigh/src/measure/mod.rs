//! From payloads to a report: examine, launch, look, judge.

mod group;
mod launches;
mod summary;
mod warnings;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use manywire_shape::{Arena, infer};

use crate::launch::{Examination, LaunchError, Launcher, Task};
use crate::options::Options;
use crate::payload::{Corpus, Payload};
use crate::report::{self, HoldOut, Misfit, PayloadSummary, Report};
use crate::subject::Subject;
use crate::{host, verdict};

pub use launches::Progress;
pub(crate) use launches::log_ratios;

use group::Group;
use launches::Launches;

/// A subject may take this long to be examined before it counts as hung.
const EXAMINE_LIMIT: Duration = Duration::from_secs(120);

/// One subject of one group: what the first pass said.
struct Examined {
    subject: Subject,
    result: Result<Examination, String>,
    /// Whether the failure is one of the subject (a crash), not a thing the format cannot hold.
    broken: bool,
}

/// Everything known of one group.
struct Weighed<'a> {
    group: Group<'a>,
    examined: Vec<Examined>,
    launches: Launches,
}

/// A report and whether a subject broke on the way.
#[derive(Debug)]
pub struct Outcome {
    /// The report.
    pub report: Report,
    /// A subject failed its round trip, crashed, hung or printed garbage.
    pub broken: bool,
    /// The user interrupted; the report holds what was known by then.
    pub interrupted: bool,
}

/// Weighs payloads.
///
/// Once `interrupted` is set the launch under way is stopped and the report is made of what is
/// known.
///
/// # Errors
///
/// What keeps a sweep from being made: a path that leads to no array.
pub fn weigh(
    payloads: &[Payload],
    options: &Options,
    launcher: &Launcher,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Result<Outcome, String> {
    let deadline = Instant::now() + options.time_limit;
    let groups = group::groups(payloads, options)?;
    let mut weighed: Vec<Weighed<'_>> = groups
        .into_iter()
        .map(|group| {
            let examined = examine(&group, options, launcher, progress, interrupted);
            Weighed { group, examined, launches: Launches::default() }
        })
        .collect();
    if !options.sizes_only {
        let count = weighed.len();
        for (index, weighed) in weighed.iter_mut().enumerate() {
            let left = deadline.saturating_duration_since(Instant::now());
            let share = left / u32::try_from(count - index).unwrap_or(u32::MAX);
            launches::measure(weighed, options, launcher, share, progress, interrupted);
        }
    }
    progress.finish();
    let broken = weighed.iter().any(|weighed| {
        weighed.examined.iter().any(|examined| examined.broken)
            || weighed.launches.failure.is_some()
    });
    let mut report = Report {
        schema: report::SCHEMA.to_owned(),
        tool: host::tool(),
        host: host::host(),
        options: options.to_json(),
        reference: options.reference.name().to_owned(),
        delta: options.delta(),
        target_half_width: options.target_half_width(),
        payloads: payloads
            .iter()
            .map(|payload| PayloadSummary {
                name: payload.name.clone(),
                bytes: payload.bytes.len() as u64,
            })
            .collect(),
        payload_count: payloads.len() as u64,
        hold_out: hold_out(payloads),
        rows: summary::rows(&weighed, options),
        gates: Vec::new(),
        baseline: None,
        verdicts: Vec::new(),
    };
    report.verdicts = verdict::words(&report);
    Ok(Outcome { report, broken, interrupted: interrupted.load(Ordering::Relaxed) })
}

/// The first pass: each subject in a process of its own.
fn examine(
    group: &Group<'_>,
    options: &Options,
    launcher: &Launcher,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Vec<Examined> {
    let subjects: Vec<Subject> =
        options.formats.iter().flat_map(|&format| Subject::of(format)).collect();
    let payloads: Vec<&Payload> = group.payloads();
    let codings: Vec<String> = options.codings.iter().map(ToString::to_string).collect();
    let limit = EXAMINE_LIMIT + launches::hang_allowance(&payloads);
    subjects
        .into_iter()
        .map(|subject| {
            progress.say(&format!(
                "{}: {} by {}",
                group.label,
                subject.format,
                subject.library.name()
            ));
            let task = Task::Examine { subject, codings: codings.clone() };
            let schema = options.schema.as_ref();
            let answer = if interrupted.load(Ordering::Relaxed) {
                Err(LaunchError::Interrupted)
            } else {
                launcher.launch(&payloads, schema, task, limit, interrupted)
            };
            let broken = answer.as_ref().is_err_and(|error| *error != LaunchError::Interrupted);
            let result = answer.unwrap_or_else(|error| Err(error.to_string()));
            Examined { subject, result, broken }
        })
        .collect()
}

/// Fewer payloads than this leave nothing to hold out.
const HOLD_OUT_MIN: usize = 5;

/// Whether payloads look like each other: a shape from four fifths of them, tried on the rest. A
/// format that goes by shape can only promise what held here.
fn hold_out(payloads: &[Payload]) -> Option<HoldOut> {
    if payloads.len() < HOLD_OUT_MIN {
        return None;
    }
    let arena = Arena::new();
    let (corpus, _) = Corpus::load(payloads, &arena);
    let values: Vec<_> = corpus.values().collect();
    let found = infer::hold_out(&values);
    let misfits = found.misfits.into_iter().map(|(index, misfit)| Misfit {
        payload: corpus.samples[index].name.to_owned(),
        path: misfit.path,
        expected: misfit.expected,
        found: misfit.found,
    });
    Some(HoldOut {
        inferred_from: found.inferred_from,
        fitting: found.fitting,
        misfits: misfits.collect(),
    })
}
