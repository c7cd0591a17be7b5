//! Compares payloads with each other: the same library, format and kind of value on another payload.
//!
//! Each payload is measured in separate launches, so a ratio is the quotient of two separate means,
//! and its interval is wider than that of two formats in the same launches.

use super::{GroupMeasurement, SubjectResult};
use crate::payload::Payload;
use crate::weigh::options::Options;
use crate::weigh::report::{Clock, PayloadComparison, TimeComparison};
use crate::weigh::statistics::{Interval, judge_each};
use crate::weigh::subject::Operation;

/// Compares each payload with the first one. The verdicts of each lane are judged together.
pub(super) fn compare(
    measurements: &[GroupMeasurement<'_>],
    payloads: &[Payload],
    clock: Clock,
    options: &Options,
) -> Vec<PayloadComparison> {
    let mut lanes: Vec<Vec<&GroupMeasurement<'_>>> = Vec::new();
    // Rows of several payloads together are not compared with single payloads.
    for measurement in measurements.iter().filter(|it| it.group.samples.len() == 1) {
        match lanes.iter_mut().find(|lane| lane[0].lane_name() == measurement.lane_name()) {
            Some(lane) => lane.push(measurement),
            None => lanes.push(vec![measurement]),
        }
    }
    // Single payloads of an endpoint follow the rows of all endpoints.
    for lane in &mut lanes {
        lane.sort_by_cached_key(|measurement| {
            let name = measurement.group.samples[0].name;
            payloads.iter().position(|payload| payload.name == name)
        });
    }
    lanes.iter().flat_map(|lane| compare_lane(lane, clock, options)).collect()
}

fn compare_lane(
    lane: &[&GroupMeasurement<'_>],
    clock: Clock,
    options: &Options,
) -> Vec<PayloadComparison> {
    let Some((base, others)) = lane.split_first() else { return Vec::new() };
    let mut comparisons = Vec::new();
    let mut intervals = Vec::new();
    for other in others {
        for examined in &other.examined {
            let same = |it: &&SubjectResult| it.key.subject.is_same(&examined.key.subject);
            let Some(of_base) = base.examined.iter().find(same) else { continue };
            let subject = &examined.key.subject;
            let mut time = |operation| {
                let interval = Interval::of_difference(
                    &log_times(other, examined, operation, clock),
                    &log_times(base, of_base, operation, clock),
                )?;
                intervals.push((interval, other.delta(options)));
                Some(intervals.len() - 1)
            };
            let times = [time(Operation::Encode), time(Operation::Decode)];
            let comparison = PayloadComparison {
                payload: other.group.name.clone(),
                base: base.group.name.clone(),
                lane: examined.key.lane.clone(),
                library: subject.library.clone(),
                format: subject.format,
                target: subject.target,
                bytes: bytes(examined).zip(bytes(of_base)).map(|(mine, base)| mine / base),
                encode: None,
                decode: None,
            };
            comparisons.push((comparison, times));
        }
    }
    let judged: Vec<TimeComparison> = intervals
        .iter()
        .zip(judge_each(&intervals))
        .map(|((interval, _), comparison)| {
            let (ratio, ratio_low, ratio_high) = interval.exp();
            let verdict = comparison.verdict.into();
            let p_adjusted = comparison.p_adjusted;
            TimeComparison { clock, ratio, ratio_low, ratio_high, p_adjusted, verdict }
        })
        .collect();
    let with_times = |(comparison, [encode, decode]): (PayloadComparison, [Option<usize>; 2])| {
        let time = |index: Option<usize>| index.map(|index| judged[index].clone());
        PayloadComparison { encode: time(encode), decode: time(decode), ..comparison }
    };
    comparisons.into_iter().map(with_times).collect()
}

/// Returns the bytes of one payload, as a mean; `None` if the subject could not write them.
fn bytes(examined: &SubjectResult) -> Option<f64> {
    let sizes = &examined.result.as_ref().ok()?.sizes;
    let sum: u64 = sizes.iter().sum();
    (sum > 0).then(|| sum as f64 / sizes.len() as f64)
}

/// Returns the logarithm of the time of one operation in each launch.
fn log_times(
    measurement: &GroupMeasurement<'_>,
    examined: &SubjectResult,
    operation: Operation,
    clock: Clock,
) -> Vec<f64> {
    let launches = &measurement.launches;
    let index = launches.index_of(&examined.key, operation);
    index.map(|index| launches.log_times(index, clock)).unwrap_or_default()
}
