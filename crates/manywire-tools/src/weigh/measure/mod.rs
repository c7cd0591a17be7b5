//! Runs `weigh`, from payloads to a report: examines every subject, launches, checks the widths of
//! intervals, and judges.

mod launches;
mod payloads;
mod summary;

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use manywire_format::Format;
use manywire_shape::{Arena, infer};

use crate::payload::{InputError, Payload, Schema};
use crate::weigh::contention::{Contention, busy_note, speeds_note};
use crate::weigh::fields;
use crate::weigh::host;
use crate::weigh::lanes::{
    self, Examination, ExaminationInput, LaneExamination, LaneInput, LaneSet, LaneSubjectResult,
    PreparedLane, SubjectError,
};
use crate::weigh::options::Options;
use crate::weigh::payload::{Corpus, Sample};
use crate::weigh::progress::Progress;
use crate::weigh::report::{
    self, Clock, FormatFields, HoldOut, LaneNote, Misfit, PayloadSummary, Report, Sweep,
};
use crate::weigh::subject::Subject;
use crate::weigh::sweep::{ResizeError, SweepSpec};
use crate::weigh::verdict::Verdicts;
use launches::{Entry, Launches};

pub(crate) use launches::log_ratios;

/// The key of a row: the lane and the subject that its figures belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RowKey {
    lane: String,
    subject: Subject,
    /// The version of the subject's library.
    version: String,
}

impl RowKey {
    /// Ranks this row as the reference of another row of its lane, higher is better; `None` if this
    /// row is not of the reference format. A row with the same kind of value ranks first, then a
    /// row of the lane's reference library. If a language has no typed values of a format, its
    /// dynamic values are used, since its programs have no others.
    fn rank_as_reference(&self, of: &RowKey, format: Format) -> Option<(bool, bool)> {
        let (mine, other) = (&self.subject, &of.subject);
        (mine.format == format).then_some((mine.target == other.target, mine.reference))
    }
}

/// The result of the first pass for one subject of one group.
struct SubjectResult {
    key: RowKey,
    /// The bytes that the subject wrote.
    written: Vec<Vec<u8>>,
    result: Result<Examination, SubjectError>,
}

impl SubjectResult {
    /// Returns whether the subject is at fault, rather than unable to represent the payloads.
    fn is_broken(&self) -> bool {
        self.result.as_ref().is_err_and(SubjectError::is_broken)
    }
}

/// The results of one group from one lane.
struct GroupMeasurement<'a> {
    group: &'a Group<'a>,
    lane: &'a PreparedLane,
    lane_input: &'a LaneInput,
    /// The content codings that batches of the lane may have.
    codings: Vec<String>,
    examined: Vec<SubjectResult>,
    launches: Launches,
}

impl GroupMeasurement<'_> {
    /// Returns the name of the lane.
    fn lane_name(&self) -> &str {
        self.lane.built.lane().name()
    }

    /// Returns δ within the lane: ratios within 1 ± δ count as the same.
    fn delta(&self, options: &Options) -> f64 {
        options.delta_of(self.lane_name())
    }
}

/// A report, and whether a subject failed or the user interrupted.
#[derive(Debug)]
pub struct Outcome {
    /// The report.
    pub report: Report,
    /// True if a subject failed its round trip, crashed, hung or gave an invalid answer.
    pub broken: bool,
    /// True if the user interrupted. The report holds the results up to then.
    pub interrupted: bool,
}

/// Payloads in groups, one group for each set of rows, with the input that every lane receives.
pub struct PreparedPayloads<'a> {
    payloads: &'a [Payload],
    groups: Vec<Group<'a>>,
    /// The input of lanes for each group.
    lane_inputs: Vec<LaneInput>,
    /// The fit of the shape of some payloads to the others.
    hold_out: Option<HoldOut>,
}

impl<'a> PreparedPayloads<'a> {
    /// Reads payloads into values in the arena, groups them, and infers the shape and encodes the
    /// payloads of each group once, for all lanes.
    ///
    /// # Errors
    ///
    /// Fails if a payload cannot be read, if the path of a sweep leads to no array, or if the schema
    /// is invalid.
    pub fn new(
        payloads: &'a [Payload],
        arena: &'a Arena,
        options: &Options,
    ) -> Result<Self, PayloadsError> {
        let schema = options.schema.as_ref().map(|schema| schema.read()).transpose()?;
        let corpus = Corpus::load_all(payloads, schema.as_ref(), arena)?;
        let groups = match &options.sweep {
            Some(plan) => sweep_groups(payloads, plan, schema.as_ref(), arena)?,
            None => groups(payloads, &corpus.samples, options),
        };
        let lane_input = |group: &Group<'_>| {
            LaneInput::encode(&group.samples, options.schema.as_ref(), &options.formats)
        };
        let lane_inputs = groups.iter().map(lane_input).collect::<Result<_, _>>()?;
        // With a schema nothing is inferred.
        let hold_out =
            options.schema.is_none().then(|| hold_out(payloads, &corpus.samples)).flatten();
        Ok(PreparedPayloads { payloads, groups, lane_inputs, hold_out })
    }

    /// Returns the input of lanes for each group.
    pub fn lane_inputs(&self) -> &[LaneInput] {
        &self.lane_inputs
    }
}

/// The error for payloads that cannot be weighed.
#[derive(Debug)]
pub enum PayloadsError {
    /// A payload is invalid in its format.
    Payload(InputError),
    /// The schema is invalid.
    Schema(manywire_schema::Error),
    /// The sweep does not fit a payload.
    Sweep(ResizeError),
}

impl fmt::Display for PayloadsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PayloadsError::Payload(error) => error.fmt(f),
            PayloadsError::Schema(error) => error.fmt(f),
            PayloadsError::Sweep(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PayloadsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(match self {
            PayloadsError::Payload(error) => error,
            PayloadsError::Schema(error) => error,
            PayloadsError::Sweep(error) => error,
        })
    }
}

impl From<InputError> for PayloadsError {
    fn from(error: InputError) -> Self {
        PayloadsError::Payload(error)
    }
}

impl From<manywire_schema::Error> for PayloadsError {
    fn from(error: manywire_schema::Error) -> Self {
        PayloadsError::Schema(error)
    }
}

impl From<ResizeError> for PayloadsError {
    fn from(error: ResizeError) -> Self {
        PayloadsError::Sweep(error)
    }
}

/// The conditions of all launches.
struct Conditions {
    /// The clock by which times are compared.
    clock: Clock,
    /// True if a sentence about the whole measurement explains why launches differ.
    is_explained: bool,
    /// Sentences about the whole measurement.
    notes: Vec<String>,
}

impl Conditions {
    /// Finds out whether the machine was busy, or changed its speed. Times on a busy machine include
    /// waiting for other programs, so verdicts then compare CPU time.
    fn of(
        measurements: &[GroupMeasurement<'_>],
        contention: &Contention,
        options: &Options,
    ) -> Conditions {
        if let Some(sign) = contention.sign(host::processors()) {
            let clock = Clock::Cpu;
            let missing = summary::missing(measurements, clock, options);
            let note = busy_note(&sign, "CPU time", "comparison", missing);
            return Conditions { clock, is_explained: true, notes: vec![note] };
        }
        let log_times = |measurement: &GroupMeasurement<'_>| -> Vec<Vec<f64>> {
            let launches = &measurement.launches;
            let entries = 0..launches.entries.len();
            entries.map(|entry| launches.log_times(entry, Clock::Wall)).collect()
        };
        let groups: Vec<Vec<Vec<f64>>> = measurements.iter().map(log_times).collect();
        let deltas = measurements.iter().map(|measurement| measurement.delta(options));
        let note = speeds_note(&groups, deltas.fold(0.0, f64::max));
        let (is_explained, notes) = (note.is_some(), note.into_iter().collect());
        Conditions { clock: Clock::Wall, is_explained, notes }
    }
}

/// Weighs payloads in each lane, in order.
///
/// Setting `interrupted` stops the running launch; the report is then made from the results so far.
pub fn weigh(
    prepared: &PreparedPayloads<'_>,
    options: &Options,
    lane_set: &LaneSet,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Outcome {
    let payloads = prepared.payloads;
    let lane_count = lane_set.names().count();
    let mut notes = lane_set.notes(|lane| options.delta_of(lane));
    let mut measurements = Vec::new();
    for (index, (group, lane_input)) in
        prepared.groups.iter().zip(&prepared.lane_inputs).enumerate()
    {
        for lane in lane_set.of(index) {
            measurements.push(examine(
                group,
                lane,
                lane_input,
                options,
                &mut notes,
                progress,
                interrupted,
            ));
        }
    }
    let mut contention = Contention::default();
    if !options.sizes_only {
        // Each lane has the whole time limit, divided among the groups.
        let groups = u32::try_from(prepared.groups.len()).unwrap_or(u32::MAX).max(1);
        let mut left = vec![options.time_limit; lane_count];
        for (index, measurement) in measurements.iter_mut().enumerate() {
            let (done, lane) = (index / lane_count, index % lane_count);
            let share = left[lane] / groups.saturating_sub(done as u32).max(1);
            let start = std::time::Instant::now();
            launches::measure(measurement, options, share, &mut contention, progress, interrupted);
            left[lane] = left[lane].saturating_sub(start.elapsed());
        }
    }
    progress.finish();
    let broken = measurements.iter().any(|measurement| {
        measurement.examined.iter().any(SubjectResult::is_broken)
            || measurement.launches.failure.is_some()
    });
    let conditions = Conditions::of(&measurements, &contention, options);
    let untimed = match options.sizes_only {
        true => Vec::new(),
        false => launches::untimed_notes(
            &options.timed_codings,
            &codings_of_lanes(&measurements, &notes),
        ),
    };
    let mut report = Report {
        payloads: payloads.iter().map(PayloadSummary::of).collect(),
        payload_count: payloads.len() as u64,
        hold_out: prepared.hold_out.clone(),
        lanes: notes,
        rows: summary::rows(&measurements, &conditions, options),
        payload_comparisons: match options.compares_payloads {
            true => payloads::compare(&measurements, payloads, conditions.clock, options),
            false => Vec::new(),
        },
        fields: fields_of_main_rows(prepared, options, interrupted),
        notes: lane_set
            .replacement_note()
            .into_iter()
            .chain(conditions.notes)
            .chain(untimed)
            .collect(),
        ..empty_report(options)
    };
    report.host.load = contention.load();
    Verdicts::of(&report).write(&mut report);
    let interrupted = interrupted.load(Ordering::Relaxed);
    if interrupted {
        report.mark_interrupted(report.rows_done());
    }
    Outcome { report, broken, interrupted }
}

/// Returns the title and the content codings of each lane whose reference library has figures, which
/// is the library whose times with compression are measured.
fn codings_of_lanes<'n>(
    measurements: &'n [GroupMeasurement<'_>],
    notes: &'n [LaneNote],
) -> Vec<(&'n str, &'n [String])> {
    let of_lane = |note: &'n LaneNote| {
        let is_timed = |found: &SubjectResult| found.key.subject.reference && found.result.is_ok();
        let mut of_lane = measurements.iter().filter(|found| found.lane_name() == note.lane);
        let timed = of_lane.find(|found| found.examined.iter().any(is_timed))?;
        Some((note.title.as_str(), timed.codings.as_slice()))
    };
    notes.iter().filter_map(of_lane).collect()
}

/// Returns a report of these options on this machine, without payloads, lanes and rows.
pub fn empty_report(options: &Options) -> Report {
    Report {
        schema: report::SCHEMA.to_owned(),
        tool: host::tool(),
        host: host::host(),
        options: options.to_json(),
        reference: options.reference,
        delta: options.delta(),
        target_half_width: options.target_half_width(),
        payloads: Vec::new(),
        payload_count: 0,
        hold_out: None,
        lanes: Vec::new(),
        rows: Vec::new(),
        payload_comparisons: Vec::new(),
        fields: Vec::new(),
        gates: Vec::new(),
        baseline: None,
        notes: Vec::new(),
        verdicts: Vec::new(),
        answers: Vec::new(),
        differences: Vec::new(),
        interrupted: false,
        done: None,
    }
}

/// Counts the bytes of each field in the payloads of the first group, if the options ask for
/// fields. In a sweep nothing is counted, because the group of each length has different payloads.
fn fields_of_main_rows(
    prepared: &PreparedPayloads<'_>,
    options: &Options,
    interrupted: &AtomicBool,
) -> Vec<FormatFields> {
    match (prepared.groups.first(), prepared.lane_inputs.first()) {
        (Some(group), Some(lane_input)) if options.counts_fields && group.sweep.is_none() => {
            fields::count(&group.name, lane_input, &options.formats, interrupted)
        }
        _ => Vec::new(),
    }
}

/// Examines the subjects of a lane on the payloads of one group, and adds the lane's runtime to its
/// note in `notes`.
fn examine<'a>(
    group: &'a Group<'a>,
    lane: &'a PreparedLane,
    lane_input: &'a LaneInput,
    options: &Options,
    notes: &mut [LaneNote],
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> GroupMeasurement<'a> {
    let PreparedLane { built, types_error } = lane;
    let input = ExaminationInput {
        samples: &group.samples,
        lane_input,
        codings: &options.codings,
        types_error: types_error.as_ref(),
    };
    let say = |line: &str| progress.say(&format!("{}: {line}", group.name));
    let wanted = |subject: &Subject| options.formats.contains(&subject.format);
    let LaneExamination { runtime, codings, subjects } =
        lanes::examine(built, wanted, &input, interrupted, say);
    let name = built.lane().name();
    let note = notes.iter_mut().find(|note| note.lane == name);
    if let Some(note) = note.filter(|_| !runtime.is_empty()) {
        note.runtime = Some(runtime);
    }
    let results = subjects.into_iter().map(|found| {
        let LaneSubjectResult { subject, version, result } = found;
        let key = RowKey { lane: name.to_owned(), subject, version };
        let (result, written) = match result {
            Ok((examination, written)) => (Ok(examination), written),
            Err(why) => (Err(why), Vec::new()),
        };
        SubjectResult { key, written, result }
    });
    let examined = results.collect();
    GroupMeasurement { group, lane, lane_input, codings, examined, launches: Launches::default() }
}

/// The minimum number of payloads for a hold-out test.
const HOLD_OUT_MIN: usize = 5;

/// Infers a shape from four fifths of the payloads and checks the rest against it. A format that
/// needs a shape is only as reliable as this fit.
fn hold_out(payloads: &[Payload], samples: &[Sample<'_>]) -> Option<HoldOut> {
    // Payloads of different endpoints need not have one shape.
    if payloads.len() < HOLD_OUT_MIN || payloads.iter().any(|payload| payload.endpoint.is_some()) {
        return None;
    }
    let values: Vec<_> = samples.iter().map(|sample| sample.value).collect();
    let found = infer::hold_out(&values);
    let misfits = found.misfits.into_iter().map(|(index, misfit)| Misfit {
        payload: samples[index].name.to_owned(),
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

/// The name of the group of all payloads.
const ALL_PAYLOADS: &str = "*";

/// Payloads that share their rows.
struct Group<'a> {
    /// The name in the rows: the payload's name, its endpoint, or `*` for several.
    name: String,
    /// The length of the array, in a sweep.
    sweep: Option<Sweep>,
    samples: Vec<Sample<'a>>,
}

impl<'a> Group<'a> {
    /// Returns one group per payload.
    fn individual_groups(&self) -> impl Iterator<Item = Group<'a>> {
        self.samples.iter().map(|sample| Group {
            name: sample.name.to_owned(),
            sweep: None,
            samples: vec![sample.clone()],
        })
    }
}

/// Groups payloads: by endpoint if any payload has one, otherwise all together. A single payload
/// without an endpoint has only a group of its own. If requested, each payload of a group with
/// several also gets its own group.
fn groups<'a>(
    payloads: &'a [Payload],
    samples: &[Sample<'a>],
    options: &Options,
) -> Vec<Group<'a>> {
    let mut groups = Vec::new();
    if payloads.iter().any(|payload| payload.endpoint.is_some()) {
        groups = group_by_endpoint(payloads, samples);
        if options.each {
            let shared = groups.iter().filter(|group| group.samples.len() > 1);
            let alone: Vec<Group<'_>> =
                shared.flat_map(|group| group.individual_groups()).collect();
            groups.extend(alone);
        }
        return groups;
    }
    let all = Group { name: ALL_PAYLOADS.to_owned(), sweep: None, samples: samples.to_vec() };
    if payloads.len() == 1 || options.each {
        groups.extend(all.individual_groups());
    }
    if payloads.len() > 1 {
        groups.insert(0, all);
    }
    groups
}

/// Groups payloads by endpoint, in the order of first appearance. A payload without an endpoint has
/// its own group.
fn group_by_endpoint<'a>(payloads: &'a [Payload], samples: &[Sample<'a>]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (payload, sample) in payloads.iter().zip(samples) {
        let known = payload.endpoint.as_deref().and_then(|endpoint| places.get(endpoint));
        if let Some(&place) = known {
            groups[place].samples.push(sample.clone());
            continue;
        }
        if let Some(endpoint) = &payload.endpoint {
            places.insert(endpoint, groups.len());
        }
        let name = payload.endpoint.as_ref().unwrap_or(&payload.name).clone();
        groups.push(Group { name, sweep: None, samples: vec![sample.clone()] });
    }
    groups
}

/// Makes one group for each length of a sweep.
fn sweep_groups<'a>(
    payloads: &'a [Payload],
    plan: &SweepSpec,
    schema: Option<&Schema>,
    arena: &'a Arena,
) -> Result<Vec<Group<'a>>, PayloadsError> {
    let mut groups = Vec::new();
    for &length in &plan.lengths {
        let resized = |payload: &'a Payload| -> Result<Sample<'a>, PayloadsError> {
            let resized = plan.resized(payload, length)?;
            let bytes: &'a [u8] = arena.alloc_slice_copy(&resized.bytes);
            Sample::read(&payload.name, resized.format, bytes, schema, arena)
                .map_err(|error| resized.error(&error).into())
        };
        let samples = payloads.iter().map(resized).collect::<Result<Vec<_>, _>>()?;
        let name =
            if payloads.len() == 1 { payloads[0].name.clone() } else { ALL_PAYLOADS.to_owned() };
        let sweep = Sweep { path: plan.path.clone(), length };
        groups.push(Group { name, sweep: Some(sweep), samples });
    }
    Ok(groups)
}
