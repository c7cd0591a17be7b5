use super::{Label, Weighed};
use crate::weigh::report::number;
use crate::weigh::statistics::{median, modes};

/// A compiler at work for longer than this while times are counted is worth a word, in
/// milliseconds.
const COMPILED_MS_MAX: f64 = 5.0;

/// What a reader should know before trusting a subject's times, each with what to do about it.
pub(super) fn of(weighed: &Weighed<'_>, label: &Label) -> Vec<String> {
    let launches = &weighed.launches;
    let mut warnings = Vec::new();
    for (index, entry) in
        launches.entries.iter().enumerate().filter(|(_, entry)| entry.label == *label)
    {
        let logs = launches.log_times(index, |batch| Some(batch.wall_ns));
        if let Some(modes) = modes(&logs) {
            warnings.push(format!(
                "{} by {}, {}: launches fall into two groups, {} near {} and {} near {}; their mean is true of neither, so run it again with the machine to itself",
                label.format,
                label.library,
                entry.operation,
                modes.low_count,
                number::time(modes.low.exp()),
                logs.len() - modes.low_count,
                number::time(modes.high.exp())
            ));
        }
    }
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
            label.lane,
            launches.timings.len()
        ));
    }
    let compiled: Vec<f64> =
        launches.timings.iter().filter_map(|timing| timing.compiled_ms).collect();
    if let Some(median) = median(&compiled).filter(|&ms| ms > COMPILED_MS_MAX) {
        warnings.push(format!(
            "{}: its compiler spent {median:.0} ms of a launch while times were counted",
            label.lane
        ));
    }
    if cfg!(debug_assertions) && label.subject.is_some() {
        warnings.push("debug build: times mean nothing; build with --release".to_owned());
    }
    if let Some(failure) = &launches.failure {
        warnings.push(format!("measuring stopped early: {failure}"));
    }
    warnings
}
