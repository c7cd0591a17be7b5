//! Turns examinations and launches into the rows of the report, with verdicts and warnings.

use std::collections::BTreeMap;

use super::{Conditions, Entry, GroupMeasurement, RowKey, SubjectResult};
use crate::weigh::http;
use crate::weigh::lanes::Memory;
use crate::weigh::launch::{Batch, LaunchError, Refusal, Timing};
use crate::weigh::options::Options;
use crate::weigh::report::{
    Clock, CodedSummary, Fidelity, Reference, Row, RowVerdict, Spread, Status, Summary, number,
};
use crate::weigh::statistics::{
    Comparison, Fit, Interval, Moments, Verdict, judge_each, median, modes,
};
use crate::weigh::subject::{Operation, Subject};

/// Returns the rows of every group. The verdicts of each lane are judged together, as one table, so
/// that they do not depend on the other lanes of a report.
pub(super) fn rows(
    measurements: &[GroupMeasurement<'_>],
    conditions: &Conditions,
    options: &Options,
) -> Vec<Row> {
    let comparisons = compare(measurements, conditions.clock, options);
    let mut rows = Vec::new();
    for (group, measurement) in measurements.iter().enumerate() {
        let builder = RowBuilder {
            group,
            measurement,
            comparisons: &comparisons,
            conditions,
            options,
            two_groups: TwoGroups::of(measurement, conditions, options),
        };
        rows.extend(measurement.examined.iter().map(|examined| builder.row(examined)));
    }
    rows
}

/// Returns the number of entries that have a ratio to their reference by the wall clock, but none
/// by `clock`.
pub(super) fn missing(
    measurements: &[GroupMeasurement<'_>],
    clock: Clock,
    options: &Options,
) -> usize {
    let is_missing = |measurement: &GroupMeasurement<'_>, (index, reference): (usize, usize)| {
        let has = |clock| {
            Interval::of(&measurement.launches.log_ratios(index, reference, clock)).is_some()
        };
        has(Clock::Wall) && !has(clock)
    };
    let of_group = |measurement: &GroupMeasurement<'_>| {
        let pairs = measurement.launches.references(options);
        pairs.filter(|&pair| is_missing(measurement, pair)).count()
    };
    measurements.iter().map(of_group).sum()
}

/// The verdict of each entry, by group and entry.
type Comparisons = BTreeMap<(usize, usize), ReferenceComparison>;

/// The comparison of an entry with its reference.
struct ReferenceComparison {
    /// The logarithm of the ratio in each launch.
    log_ratios: Vec<f64>,
    interval: Interval,
    comparison: Comparison,
}

fn compare(measurements: &[GroupMeasurement<'_>], clock: Clock, options: &Options) -> Comparisons {
    let mut lanes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (group, measurement) in measurements.iter().enumerate() {
        lanes.entry(measurement.lane_name()).or_default().push(group);
    }
    lanes.values().flat_map(|groups| compare_lane(measurements, groups, clock, options)).collect()
}

/// Judges every entry of a lane's groups.
fn compare_lane(
    measurements: &[GroupMeasurement<'_>],
    groups: &[usize],
    clock: Clock,
    options: &Options,
) -> Comparisons {
    let mut places = Vec::new();
    let mut intervals = Vec::new();
    for &group in groups {
        let measurement = &measurements[group];
        let launches = &measurement.launches;
        for (index, reference) in launches.references(options) {
            let log_ratios = launches.log_ratios(index, reference, clock);
            if let Some(interval) = Interval::of(&log_ratios) {
                places.push(((group, index), log_ratios));
                intervals.push((interval, measurement.delta(options)));
            }
        }
    }
    let judged = intervals.iter().zip(judge_each(&intervals));
    let compared = places.into_iter().zip(judged);
    compared
        .map(|((place, log_ratios), (&(interval, _), comparison))| {
            (place, ReferenceComparison { log_ratios, interval, comparison })
        })
        .collect()
}

struct RowBuilder<'a, 'p> {
    group: usize,
    measurement: &'a GroupMeasurement<'p>,
    comparisons: &'a Comparisons,
    conditions: &'a Conditions,
    options: &'a Options,
    two_groups: Option<TwoGroups<'a>>,
}

impl RowBuilder<'_, '_> {
    fn row(&self, examined: &SubjectResult) -> Row {
        let key = &examined.key;
        let examination = examined.result.as_ref().ok();
        let size_bytes: Option<u64> = examination.map(|examination| examination.sizes.iter().sum());
        // One exchange carries one payload.
        let payloads = self.measurement.group.samples.len().max(1) as u64;
        let body_bytes = size_bytes.unwrap_or(0) / payloads;
        let coded_bytes = examination
            .map(|examination| &examination.coded_sizes)
            .into_iter()
            .flatten()
            .map(|(coding, sizes)| (coding.clone(), sizes.iter().sum()));
        let fidelity = examination.map(|found| Fidelity::of(found.losses.clone()));
        let launches = &self.measurement.launches;
        let timed = launches.entries.iter().any(|entry| entry.key == *key);
        Row {
            payload: self.measurement.group.name.clone(),
            lane: key.lane.clone(),
            library: key.subject.library.clone(),
            library_version: key.version.clone(),
            format: key.subject.format,
            target: key.subject.target,
            buffer: key.subject.buffer,
            status: self.status(examined),
            fidelity,
            size_bytes,
            size_spread: examination
                .filter(|found| found.sizes.len() > 1)
                .and_then(|found| spread(&found.sizes)),
            coded_bytes: coded_bytes.collect(),
            header_bytes: http::header_bytes(key.subject.format, body_bytes),
            encode: self.summary(
                key,
                Operation::Encode,
                examination.and_then(|found| found.encode_memory),
            ),
            decode: self.summary(
                key,
                Operation::Decode,
                examination.and_then(|found| found.decode_memory),
            ),
            coded: self.coded(key),
            reference: self.reference(key),
            sweep: self.measurement.group.sweep.clone(),
            launches: if timed { launches.timings.len() } else { 0 },
            warnings: warnings_of(self.measurement, key, self.two_groups.as_ref()),
        }
    }

    fn status(&self, examined: &SubjectResult) -> Status {
        let launches = &self.measurement.launches;
        let failed = launches.entries.iter().enumerate().find_map(|(index, entry)| {
            let failed = |timing: &Timing| timing.entries[index].as_ref().err().cloned();
            if entry.key == examined.key { launches.timings.iter().find_map(failed) } else { None }
        });
        match &examined.result {
            Err(error) => Status::Failed(error.to_string()),
            Ok(_) => failed.map_or(Status::Ok, |Refusal(words)| Status::Failed(words)),
        }
    }

    /// Returns the subject that the ratios of a row are relative to; `None` if the row was not
    /// timed, or if there is no such subject.
    fn reference(&self, key: &RowKey) -> Option<Reference> {
        let launches = &self.measurement.launches;
        let entry = launches.entries.iter().find(|entry| entry.key == *key)?;
        let reference = launches.reference_of(entry, self.options)?;
        let Subject { ref library, format, target, .. } = launches.entries[reference].key.subject;
        Some(Reference { library: library.clone(), format, target })
    }

    fn coded(&self, key: &RowKey) -> BTreeMap<String, CodedSummary> {
        let timed = |&level| {
            let compress = self.summary(key, Operation::Compress(level), None);
            let decompress = self.summary(key, Operation::Decompress(level), None);
            (compress.is_some() || decompress.is_some())
                .then(|| (level.to_string(), CodedSummary { compress, decompress }))
        };
        self.options.timed_codings.iter().filter_map(timed).collect()
    }

    /// Returns the figures of an operation; `None` if neither time nor memory was measured.
    fn summary(
        &self,
        key: &RowKey,
        operation: Operation,
        memory: Option<Memory>,
    ) -> Option<Summary> {
        let launches = &self.measurement.launches;
        let entry = launches.index_of(key, operation);
        if entry.is_none() && memory.is_none() {
            return None;
        }
        let logs = entry.map(|entry| launches.log_times(entry, Clock::Wall)).unwrap_or_default();
        let cpu = entry.map(|entry| launches.log_times(entry, Clock::Cpu)).unwrap_or_default();
        let time = Interval::of(&logs).map(|interval| interval.exp());
        let compared = entry.and_then(|entry| self.comparisons.get(&(self.group, entry)));
        let is_reference = entry.is_some_and(|entry| {
            launches.reference_of(&launches.entries[entry], self.options) == Some(entry)
        });
        let ratio = match compared {
            Some(compared) => Some(compared.interval.exp()),
            None => (is_reference && time.is_some()).then_some((1.0, 1.0, 1.0)),
        };
        let batches = entry.map(|entry| self.batches(entry)).unwrap_or_default();
        let per_operation: Vec<f64> = batches
            .iter()
            .copied()
            .flatten()
            .map(|batch| batch.wall_ns / batch.operations)
            .collect();
        let (moments, fit) = (Moments::of(&per_operation), self.fit(&batches));
        let Memory { allocs, alloc_bytes, peak_bytes } = memory.unwrap_or_default();
        Some(Summary {
            clock: self.conditions.clock,
            ns: time.map(|time| time.0),
            ns_low: time.map(|time| time.1),
            ns_high: time.map(|time| time.2),
            cpu_ns: Interval::of(&cpu).map(|interval| interval.mean.exp()),
            ratio: ratio.map(|ratio| ratio.0),
            ratio_low: ratio.map(|ratio| ratio.1),
            ratio_high: ratio.map(|ratio| ratio.2),
            p_adjusted: compared.map(|compared| compared.comparison.p_adjusted),
            verdict: match compared {
                Some(compared) => Some(compared.comparison.verdict.into()),
                None => ratio.map(|_| RowVerdict::Reference),
            },
            more_launches: compared.and_then(|compared| match compared.comparison.verdict {
                Verdict::Inconclusive { more_launches } => Some(more_launches),
                _ => None,
            }),
            allocs,
            alloc_bytes,
            peak_bytes,
            collections_per_1000: collections_per_1000(&batches),
            samples: logs.iter().map(|log| log.exp()).collect(),
            cpu_samples: match self.conditions.clock {
                Clock::Cpu if cpu.len() == logs.len() => cpu.iter().map(|log| log.exp()).collect(),
                Clock::Cpu | Clock::Wall => Vec::new(),
            },
            ratio_samples: match compared {
                Some(compared) => compared.log_ratios.iter().map(|log| log.exp()).collect(),
                None if is_reference => vec![1.0; logs.len()],
                None => Vec::new(),
            },
            mean_ns: moments.map(|moments| moments.mean),
            standard_deviation_ns: moments.map(|moments| moments.standard_deviation),
            slope_ns: fit.map(|fit| fit.slope),
            r_squared: fit.map(|fit| fit.r_squared),
        })
    }

    /// Returns the batches of each launch.
    fn batches(&self, entry: usize) -> Vec<&[Batch]> {
        let timings = self.measurement.launches.timings.iter();
        timings.filter_map(|timing| timing.entries[entry].as_deref().ok()).collect()
    }

    /// Fits time against iterations; `None` if rounds use different payloads, because the time then
    /// depends on the payloads.
    fn fit(&self, launches: &[&[Batch]]) -> Option<Fit> {
        let payloads = self.measurement.group.samples.len();
        if self.measurement.launches.timings.iter().any(|timing| timing.window < payloads) {
            return None;
        }
        let points = |batches: &&[Batch]| {
            batches.iter().map(|batch| (batch.operations, batch.wall_ns)).collect()
        };
        Fit::within(&launches.iter().map(points).collect::<Vec<_>>())
    }
}

fn spread(sizes: &[u64]) -> Option<Spread> {
    let median = median(&sizes.iter().map(|&size| size as f64).collect::<Vec<_>>())?;
    Some(Spread { min: *sizes.iter().min()?, median, max: *sizes.iter().max()? })
}

/// Returns the garbage collections in a thousand operations; `None` if unknown.
fn collections_per_1000(launches: &[&[Batch]]) -> Option<f64> {
    let (mut collections, mut operations) = (0.0, 0.0);
    for batch in launches.iter().copied().flatten() {
        collections += batch.collections?;
        operations += batch.operations;
    }
    (operations > 0.0).then(|| collections / operations * 1_000.0)
}

/// The maximum compile time during counting without a warning, in milliseconds.
const COMPILED_MS_MAX: f64 = 5.0;

/// The rows of a table whose launches fall into two groups, and the warning about them. All these
/// rows have the same warning, so that the table shows it once.
struct TwoGroups<'a> {
    keys: Vec<&'a RowKey>,
    warning: String,
}

impl<'a> TwoGroups<'a> {
    fn of(
        measurement: &'a GroupMeasurement<'_>,
        conditions: &Conditions,
        options: &Options,
    ) -> Option<Self> {
        // If the machine was busy or changed its speed, a sentence about the whole measurement
        // explains why launches differ.
        if conditions.is_explained {
            return None;
        }
        let launches = &measurement.launches;
        let bound = measurement.delta(options).ln_1p();
        let in_two_groups = |(index, entry): (usize, &'a Entry)| {
            let logs = launches.log_times(index, Clock::Wall);
            let modes = modes(&logs).filter(|modes| modes.high - modes.low > bound)?;
            Some((entry, modes, logs.len()))
        };
        let found: Vec<_> = launches.entries.iter().enumerate().filter_map(in_two_groups).collect();
        let (entry, modes, count) = found.iter().max_by(|left, right| {
            (left.1.high - left.1.low).total_cmp(&(right.1.high - right.1.low))
        })?;
        let Entry { key, operation } = entry;
        let subject = format!("{} by {}, {operation}", key.subject.format, key.subject.library);
        let groups = format!(
            "{} near {} and {} near {}",
            modes.low_count,
            number::time(modes.low.exp()),
            count - modes.low_count,
            number::time(modes.high.exp())
        );
        let warning = match found.len() {
            1 => format!(
                "{subject}: launches fall into two groups, {groups}; their mean is true of neither, so run it again with the machine to itself"
            ),
            several => format!(
                "launches fall into two groups in {several} of {} times, most of all {subject}: {groups}; such a mean is true of neither group, so run it again with the machine to itself",
                launches.entries.len()
            ),
        };
        Some(TwoGroups { keys: found.iter().map(|(entry, ..)| &entry.key).collect(), warning })
    }
}

/// Returns warnings about a subject's times, each with advice.
fn warnings_of(
    measurement: &GroupMeasurement<'_>,
    key: &RowKey,
    two_groups: Option<&TwoGroups<'_>>,
) -> Vec<String> {
    let launches = &measurement.launches;
    let two_groups = two_groups.filter(|found| found.keys.contains(&key));
    let mut warnings: Vec<String> =
        two_groups.map(|found| found.warning.clone()).into_iter().collect();
    let preempted = launches
        .timings
        .iter()
        .filter(|timing| timing.preemptions.is_some_and(|count| count > 200))
        .count();
    if preempted * 2 > launches.timings.len() {
        warnings.push(
            "noisy machine: most launches were interrupted hundreds of times; close other programs or raise --time-limit".to_owned(),
        );
    }
    let restless = launches.timings.iter().filter(|timing| !timing.steady).count();
    if restless * 2 > launches.timings.len() {
        warnings.push(format!(
            "{}: times had not settled when counting began in {restless} of {} launches; its compiler may still have been at work, so give it the machine to itself",
            key.lane,
            launches.timings.len()
        ));
    }
    let compiled: Vec<f64> =
        launches.timings.iter().filter_map(|timing| timing.compiled_ms).collect();
    if let Some(median) = median(&compiled).filter(|&ms| ms > COMPILED_MS_MAX) {
        warnings.push(format!(
            "{}: its compiler spent {median:.0} ms of a launch while times were counted",
            key.lane
        ));
    }
    if cfg!(debug_assertions) && measurement.lane.built.is_built_in() {
        warnings.push("debug build: times mean nothing; build with --release".to_owned());
    }
    if let Some(failure) = &launches.failure {
        warnings.push(stopped_early(&key.lane, failure));
    }
    let note = measurement.lane.built.lane().manifest().note_of(&key.subject);
    if let Some(note) = note.filter(|_| !launches.timings.is_empty()) {
        let Subject { library, format, target, .. } = &key.subject;
        warnings.push(format!("{}: {format} by {library}, {target}: {note}", key.lane));
    }
    warnings
}

/// Returns the warning about a failure that ended the launches of a lane early.
fn stopped_early(lane: &str, failure: &LaunchError) -> String {
    format!("{lane}: measuring stopped early: {failure}")
}

#[cfg(test)]
mod tests {
    use super::{LaunchError, stopped_early};

    #[test]
    fn a_lane_that_stopped_early_is_named() {
        let crashed = LaunchError::Crashed("signal 9".to_owned());
        assert_eq!(stopped_early("go", &crashed), "go: measuring stopped early: crashed: signal 9");
    }
}
