//! `weigh`, from payloads to a report: examine every subject, launch, check the widths of
//! intervals, judge.

mod launches;
mod row_source;
mod summary;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use manywire_shape::{Arena, infer};

use super::lanes::{ExaminationInput, LaneInput, LaneSet, PreparedLane};
use super::launch::{Examination, LaunchError, Launcher, Task};
use super::options::Options;
use super::payload::{Corpus, Payload};
use super::report::{HoldOut, Misfit, PayloadSummary, Report, Sweep};
use super::subject::Subject;
use super::sweep::SweepSpec;
use super::{host, lanes, report, verdict};
use launches::{Entry, Launches};
use row_source::{RowKey, RowSource};

pub use launches::Progress;
pub(crate) use launches::log_ratios;
pub use row_source::{BUILT_IN_LANE, lane_delta};

/// The time after which an examination counts as hung.
const EXAMINE_LIMIT: Duration = Duration::from_secs(120);

/// The result of the first pass for one subject of one group.
struct SubjectResult {
    key: RowKey,
    /// The lane's subject and the bytes that it wrote.
    lane: Option<(lanes::Subject, Vec<Vec<u8>>)>,
    result: Result<Examination, String>,
    /// True if the subject is at fault (a crash), rather than unable to hold the payloads.
    broken: bool,
}

/// The results of one group from one source of rows.
struct GroupMeasurement<'a> {
    group: &'a Group<'a>,
    source: RowSource<'a>,
    lane_input: Option<&'a LaneInput>,
    examined: Vec<SubjectResult>,
    launches: Launches,
}

/// A report, and whether a subject failed or the user interrupted.
#[derive(Debug)]
pub struct Outcome {
    /// The report.
    pub report: Report,
    /// True if a subject failed its round trip, crashed, hung or printed garbage.
    pub broken: bool,
    /// True if the user interrupted. The report holds the results up to then.
    pub interrupted: bool,
}

/// Payloads in groups, one for each set of rows.
pub struct PreparedPayloads<'a> {
    payloads: &'a [Payload],
    groups: Vec<Group<'a>>,
    /// The input of lanes for each group; empty without lanes.
    lane_inputs: Vec<LaneInput>,
}

impl<'a> PreparedPayloads<'a> {
    /// Groups payloads, and encodes them for lanes if `lanes` is set.
    ///
    /// # Errors
    ///
    /// Returns a message if the path of a sweep leads to no array, or if the schema is invalid.
    pub fn new(payloads: &'a [Payload], options: &Options, lanes: bool) -> Result<Self, String> {
        let groups = groups(payloads, options)?;
        let lane_input = |group: &Group<'_>| {
            let payloads: Vec<Payload> = group.payloads().into_iter().cloned().collect();
            LaneInput::new(&payloads, options.schema.as_ref(), &options.formats)
        };
        let for_lanes = groups.iter().filter(|_| lanes);
        let lane_inputs = for_lanes.map(lane_input).collect::<Result<_, _>>()?;
        Ok(PreparedPayloads { payloads, groups, lane_inputs })
    }

    /// Returns the input of lanes for each group.
    pub fn lane_inputs(&self) -> &[LaneInput] {
        &self.lane_inputs
    }
}

/// Weighs payloads.
///
/// Setting `interrupted` stops the running launch; the report is then made from the results so far.
pub fn weigh(
    prepared: &PreparedPayloads<'_>,
    options: &Options,
    launcher: &Launcher,
    lane_set: &LaneSet,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Outcome {
    let payloads = prepared.payloads;
    let sources = 1 + lane_set.prepared.len();
    let mut notes = lane_set.notes.clone();
    let mut measurements = Vec::new();
    for (index, group) in prepared.groups.iter().enumerate() {
        let mut examiner = Examiner { group, options, progress, interrupted };
        let examined = examiner.examine_built_in(launcher);
        let (source, launches) = (RowSource::BuiltIn(launcher), Launches::default());
        measurements.push(GroupMeasurement { group, source, lane_input: None, examined, launches });
        // All lanes receive the same payloads.
        let lane_input = prepared.lane_inputs.get(index).into_iter();
        for (lane, lane_input) in
            lane_input.flat_map(|lane_input| lane_set.of(index).map(move |it| (it, lane_input)))
        {
            let examined = examiner.examine_lane(lane, lane_input, &mut notes);
            let (source, launches) = (RowSource::Lane(&lane.built), Launches::default());
            measurements.push(GroupMeasurement {
                group,
                source,
                lane_input: Some(lane_input),
                examined,
                launches,
            });
        }
    }
    if !options.sizes_only {
        // Each source has the whole time limit, divided among the groups.
        let groups = u32::try_from(prepared.groups.len()).unwrap_or(u32::MAX).max(1);
        let mut left = vec![options.time_limit; sources];
        for (index, measurement) in measurements.iter_mut().enumerate() {
            let (done, source) = (index / sources, index % sources);
            let share = left[source] / groups.saturating_sub(done as u32).max(1);
            let start = std::time::Instant::now();
            launches::measure(measurement, options, share, progress, interrupted);
            left[source] = left[source].saturating_sub(start.elapsed());
        }
    }
    progress.finish();
    let broken = measurements.iter().any(|measurement| {
        measurement.examined.iter().any(|examined| examined.broken)
            || measurement.launches.failure.is_some()
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
                endpoint: payload.endpoint.clone(),
                bytes: payload.given_bytes(),
                made_from: payload.origin.map(|origin| origin.to_string()),
            })
            .collect(),
        payload_count: payloads.len() as u64,
        // With a schema nothing is inferred.
        hold_out: options.schema.is_none().then(|| hold_out(payloads)).flatten(),
        lanes: notes,
        rows: summary::rows(&measurements, options),
        gates: Vec::new(),
        baseline: None,
        verdicts: Vec::new(),
    };
    report.verdicts = verdict::sentences(&report);
    Outcome { report, broken, interrupted: interrupted.load(Ordering::Relaxed) }
}

/// Examines the subjects of one group.
struct Examiner<'h, 'a> {
    group: &'h Group<'a>,
    options: &'h Options,
    progress: &'h mut dyn Progress,
    interrupted: &'h AtomicBool,
}

impl Examiner<'_, '_> {
    /// Examines our own subjects, each in a separate process.
    fn examine_built_in(&mut self, launcher: &Launcher) -> Vec<SubjectResult> {
        let subjects: Vec<Subject> =
            self.options.formats.iter().flat_map(|&format| Subject::of(format)).collect();
        let payloads: Vec<&Payload> = self.group.payloads();
        let codings: Vec<String> = self.options.codings.iter().map(ToString::to_string).collect();
        let limit = EXAMINE_LIMIT + launches::hang_allowance(&payloads);
        let examine = |subject: Subject| {
            self.progress.say(&format!(
                "{}: {} by {}",
                self.group.name,
                subject.format,
                subject.library.name()
            ));
            let task = Task::Examine { subject, codings: codings.clone() };
            let schema = self.options.schema.as_ref();
            let answer = if self.interrupted.load(Ordering::Relaxed) {
                Err(LaunchError::Interrupted)
            } else {
                launcher.launch(&payloads, schema, task, limit, self.interrupted)
            };
            let broken = answer.as_ref().is_err_and(|error| *error != LaunchError::Interrupted);
            let result = answer.unwrap_or_else(|error| Err(error.to_string()));
            SubjectResult { key: subject.into(), lane: None, result, broken }
        };
        subjects.into_iter().map(examine).collect()
    }

    /// Examines the subjects of a lane.
    fn examine_lane(
        &mut self,
        lane: &PreparedLane,
        lane_input: &LaneInput,
        notes: &mut [crate::weigh::report::LaneNote],
    ) -> Vec<SubjectResult> {
        let PreparedLane { built, types_error } = lane;
        let payloads: Vec<Payload> = self.group.payloads().into_iter().cloned().collect();
        let input = ExaminationInput {
            payloads: &payloads,
            schema: self.options.schema.as_ref(),
            lane_input,
            codings: &self.options.codings,
            types_error: types_error.as_ref(),
        };
        let group_name = &self.group.name;
        let progress = &mut *self.progress;
        let say = |line: &str| progress.say(&format!("{group_name}: {line}"));
        let wanted = |subject: &lanes::Subject| self.options.formats.contains(&subject.format);
        let (runtime, examined) = lanes::examine(built, wanted, &input, self.interrupted, say);
        let name = built.lane().name().to_owned();
        if let Some(note) = notes.iter_mut().find(|note| note.lane == name && !runtime.is_empty()) {
            note.runtime = Some(runtime);
        }
        let results = examined.into_iter().map(|found| {
            let key = RowKey::of(&name, &found.subject, found.version);
            let (result, written) = match found.result {
                Ok((examination, written)) => (Ok(examination), written),
                Err(why) => (Err(why), Vec::new()),
            };
            SubjectResult {
                key,
                lane: Some((found.subject, written)),
                result,
                broken: found.broken,
            }
        });
        results.collect()
    }
}

/// The minimum number of payloads for a hold-out test.
const HOLD_OUT_MIN: usize = 5;

/// Infers a shape from four fifths of the payloads and checks the rest against it. A format that
/// needs a shape is only as reliable as this fit.
fn hold_out(payloads: &[Payload]) -> Option<HoldOut> {
    // Payloads of different endpoints need not have one shape.
    if payloads.len() < HOLD_OUT_MIN || payloads.iter().any(|payload| payload.endpoint.is_some()) {
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

/// Payloads that share their rows.
struct Group<'a> {
    /// The name in the rows: the payload's name, its endpoint, or `*` for several.
    name: String,
    /// The length of the array, in a sweep.
    sweep: Option<Sweep>,
    payloads: Vec<Cow<'a, Payload>>,
}

impl<'a> Group<'a> {
    fn payloads(&self) -> Vec<&Payload> {
        self.payloads.iter().map(Cow::as_ref).collect()
    }

    /// Returns one group per payload.
    fn individual_groups(&self) -> impl Iterator<Item = Group<'a>> {
        self.payloads.iter().map(|payload| Group {
            name: payload.name.clone(),
            sweep: None,
            payloads: vec![payload.clone()],
        })
    }
}

/// Groups payloads: all together, each alone if requested, or one group for each length of a sweep.
fn groups<'a>(payloads: &'a [Payload], options: &Options) -> Result<Vec<Group<'a>>, String> {
    if let Some(plan) = &options.sweep {
        return sweep_groups(payloads, plan);
    }
    let mut groups = Vec::new();
    if payloads.iter().any(|payload| payload.endpoint.is_some()) {
        groups = group_by_endpoint(payloads);
        if options.each {
            let shared = groups.iter().filter(|group| group.payloads.len() > 1);
            let alone: Vec<Group<'_>> =
                shared.flat_map(|group| group.individual_groups()).collect();
            groups.extend(alone);
        }
        return Ok(groups);
    }
    let all = payloads.iter().map(Cow::Borrowed).collect();
    let all = Group { name: "*".to_owned(), sweep: None, payloads: all };
    if payloads.len() == 1 || options.each {
        groups.extend(all.individual_groups());
    }
    if payloads.len() > 1 {
        groups.insert(0, all);
    }
    Ok(groups)
}

/// Groups payloads by endpoint, in the order of first appearance. A payload without an endpoint has
/// its own group.
fn group_by_endpoint(payloads: &[Payload]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for payload in payloads {
        let known = payload.endpoint.as_deref().and_then(|endpoint| places.get(endpoint));
        if let Some(&place) = known {
            groups[place].payloads.push(Cow::Borrowed(payload));
            continue;
        }
        if let Some(endpoint) = &payload.endpoint {
            places.insert(endpoint, groups.len());
        }
        let name = payload.endpoint.as_ref().unwrap_or(&payload.name).clone();
        groups.push(Group { name, sweep: None, payloads: vec![Cow::Borrowed(payload)] });
    }
    groups
}

fn sweep_groups<'a>(payloads: &'a [Payload], plan: &SweepSpec) -> Result<Vec<Group<'a>>, String> {
    let mut groups = Vec::new();
    for &length in &plan.lengths {
        let resized: Result<Vec<_>, String> =
            payloads.iter().map(|payload| plan.resized(payload, length).map(Cow::Owned)).collect();
        let name = if payloads.len() == 1 { payloads[0].name.clone() } else { "*".to_owned() };
        let sweep = Sweep { path: plan.path.clone(), length };
        groups.push(Group { name, sweep: Some(sweep), payloads: resized? });
    }
    Ok(groups)
}
