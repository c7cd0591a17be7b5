use super::Weighed;
use crate::report::number;
use crate::statistics::modes;
use crate::subject::Subject;

/// What a reader should know before trusting a subject's times, each with what to do about it.
pub(super) fn of(weighed: &Weighed<'_>, subject: Subject) -> Vec<String> {
    let launches = &weighed.launches;
    let mut warnings = Vec::new();
    for (index, entry) in
        launches.entries.iter().enumerate().filter(|(_, entry)| entry.subject == subject)
    {
        let logs = launches.log_times(index, |batch| Some(batch.wall_ns));
        if let Some(modes) = modes(&logs) {
            warnings.push(format!(
                "{} by {}, {}: launches fall into two groups, {} near {} and {} near {}; their mean is true of neither, so run it again with the machine to itself",
                subject.format,
                subject.library.name(),
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
    if cfg!(debug_assertions) {
        warnings.push("debug build: times mean nothing; build with --release".to_owned());
    }
    if let Some(failure) = &launches.failure {
        warnings.push(format!("measuring stopped early: {failure}"));
    }
    warnings
}
