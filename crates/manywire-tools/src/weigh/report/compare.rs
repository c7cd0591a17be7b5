//! Comparisons of rows with each other.
//!
//! Only rows of one language and one kind of value are compared. The ratio of two rows is the quotient
//! of their ratios to the reference, launch by launch, so that a sentence and the table beside it
//! show one number for one comparison. Verdicts that are reported together are adjusted together
//! (Holm).

use manywire_format::Format;

use super::{CodedSummary, LaneNote, Report, Row, Summary};
use crate::weigh::statistics::{Interval, Verdict, judge};
use crate::weigh::subject::ValueKind;

/// A direction of a codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From values to bytes.
    Encode,
    /// From bytes to values.
    Decode,
}

impl Direction {
    /// Both directions, in the order of reports.
    pub(crate) const ALL: [Direction; 2] = [Direction::Encode, Direction::Decode];

    /// Returns the verb.
    pub(crate) const fn verb(self) -> &'static str {
        match self {
            Direction::Encode => "encode",
            Direction::Decode => "decode",
        }
    }

    /// Returns the figures of a row in this direction.
    pub(crate) fn of(self, row: &Row) -> Option<&Summary> {
        match self {
            Direction::Encode => row.encode.as_ref(),
            Direction::Decode => row.decode.as_ref(),
        }
    }

    /// Returns the figures with a content coding in this direction.
    pub(crate) fn of_coded(self, times: &CodedSummary) -> Option<&Summary> {
        match self {
            Direction::Encode => times.compress.as_ref(),
            Direction::Decode => times.decompress.as_ref(),
        }
    }
}

/// Returns the interval of the ratio of two times, paired by launch, on the logarithmic scale;
/// `None` unless both have the same number of launches, at least two.
pub(crate) fn ratio(mine: &Summary, theirs: &Summary) -> Option<Interval> {
    let by_rounds = !mine.ratio_samples.is_empty() && !theirs.ratio_samples.is_empty();
    match by_rounds {
        true => quotient(&mine.ratio_samples, &theirs.ratio_samples),
        // Reports of earlier versions have no ratios of launches.
        false => quotient(mine.compared_samples(), theirs.compared_samples()),
    }
}

/// Returns the interval of the quotient of two figures, paired by launch, on the logarithmic scale;
/// `None` unless both have the same number of launches, at least two.
pub(crate) fn quotient(mine: &[f64], theirs: &[f64]) -> Option<Interval> {
    if mine.len() != theirs.len() {
        return None;
    }
    let pairs = mine.iter().zip(theirs);
    let logs: Vec<f64> = pairs.map(|(mine, theirs)| mine.ln() - theirs.ln()).collect();
    Interval::of(&logs)
}

/// The rows of one lane and one kind of value that have figures: those that may be compared.
#[derive(Clone)]
pub(crate) struct Peers<'r> {
    /// The name of the lane.
    pub(crate) lane: &'r str,
    /// The usual name of the language or runtime, such as `Go` or `Node.js`.
    pub(crate) title: &'r str,
    /// The kind of value.
    pub(crate) target: ValueKind,
    /// δ: ratios within 1 ± δ count as the same.
    pub(crate) delta: f64,
    /// The rows.
    pub(crate) rows: Vec<&'r Row>,
}

/// Divides rows of one payload into peers, in the order of the lanes of the report.
pub(crate) fn peers<'r>(rows: &[&'r Row], report: &'r Report) -> Vec<Peers<'r>> {
    let mut all = Vec::new();
    for LaneNote { lane, title, delta, .. } in &report.lanes {
        for target in ValueKind::ALL {
            let is_peer =
                |row: &&Row| row.lane == *lane && row.target == target && row.status.is_ok();
            let rows: Vec<&Row> = rows.iter().copied().filter(is_peer).collect();
            if !rows.is_empty() {
                all.push(Peers { lane, title, target, delta: *delta, rows });
            }
        }
    }
    all
}

/// A pair of rows, judged together with other pairs.
pub(crate) struct Judged<'r> {
    pub(crate) direction: Direction,
    /// The row whose time is the numerator of the ratio.
    pub(crate) row: &'r Row,
    /// The row whose time is the denominator of the ratio.
    pub(crate) base: &'r Row,
    /// The ratio of the two times, on the logarithmic scale.
    pub(crate) interval: Interval,
    pub(crate) verdict: Verdict,
}

/// A direction, a row, and the row that it is compared with.
pub(crate) type Pair<'r> = (Direction, &'r Row, &'r Row);

/// Judges pairs of rows against ±δ, adjusted for all pairs. Pairs for which [`ratio`] returns
/// `None` are left out.
pub(crate) fn judge_pairs<'r>(
    pairs: impl IntoIterator<Item = Pair<'r>>,
    delta: f64,
) -> Vec<Judged<'r>> {
    let timed = pairs.into_iter().filter_map(|(direction, row, base)| {
        Some((direction, row, base, ratio(direction.of(row)?, direction.of(base)?)?))
    });
    let timed: Vec<_> = timed.collect();
    let intervals: Vec<Interval> = timed.iter().map(|&(.., interval)| interval).collect();
    let comparisons = judge(&intervals, delta);
    let judged = timed.into_iter().zip(comparisons);
    judged
        .map(|((direction, row, base, interval), comparison)| Judged {
            direction,
            row,
            base,
            interval,
            verdict: comparison.verdict,
        })
        .collect()
}

impl<'r> Peers<'r> {
    /// Returns the rows that may be fastest in each direction; `None` unless the times of at least
    /// two rows can be compared.
    ///
    /// A row is excluded only if the interval of its ratio to the leader, launch by launch, is beyond
    /// δ. The intervals of both to the reference may overlap nevertheless, because they include the
    /// noise that the two rows have in common. One sentence names the fastest rows of both
    /// directions, so the verdicts of both are adjusted together.
    pub(crate) fn fastest(&self) -> [Option<Fastest<'r>>; 2] {
        let leaders = Direction::ALL.into_iter().filter_map(|direction| {
            Some((direction, quickest(self.rows.iter().copied(), direction)?))
        });
        let pairs = leaders.flat_map(|(direction, leader)| {
            self.others(direction, leader).map(move |other| (direction, other, leader))
        });
        let judged = judge_pairs(pairs, self.delta);
        Direction::ALL.map(|direction| {
            let judged: Vec<&Judged<'_>> =
                judged.iter().filter(|judged| judged.direction == direction).collect();
            let leader = judged.first()?.base;
            let mut found = Fastest { leader, level: Vec::new(), undecided: Vec::new() };
            for other in self.others(direction, leader) {
                let judged = judged.iter().find(|judged| std::ptr::eq(judged.row, other));
                match judged.map(|judged| judged.verdict) {
                    Some(Verdict::Slower) => {}
                    Some(Verdict::Same) => found.level.push(other),
                    // An inconclusive row, or a row that was not compared with the leader, may be
                    // as fast.
                    _ => found.undecided.push(other),
                }
            }
            Some(found)
        })
    }

    /// Returns the timed rows other than the leader.
    fn others(&self, direction: Direction, leader: &Row) -> impl Iterator<Item = &'r Row> {
        let rows = self.rows.iter().copied();
        rows.filter(move |&row| !std::ptr::eq(row, leader) && direction.of(row).is_some())
    }

    /// Compares the fastest library of each format with the fastest of the reference, adjusted for all
    /// formats and both directions.
    pub(crate) fn best_of_formats(&self, reference: Format) -> Vec<Judged<'r>> {
        let mut pairs: Vec<Pair<'r>> = Vec::new();
        for direction in Direction::ALL {
            let Some(base) = self.best(reference, direction) else { continue };
            let mut formats: Vec<Format> = Vec::new();
            for row in &self.rows {
                if row.format != reference && !formats.contains(&row.format) {
                    formats.push(row.format);
                    let best = self.best(row.format, direction);
                    pairs.extend(best.map(|best| (direction, best, base)));
                }
            }
        }
        judge_pairs(pairs, self.delta)
    }

    /// Returns the fastest row of a format.
    pub(crate) fn best(&self, format: Format, direction: Direction) -> Option<&'r Row> {
        quickest(self.rows.iter().copied().filter(|row| row.format == format), direction)
    }
}

/// Returns the row with the lowest ratio to the reference, or with the shortest time if there are no
/// ratios.
fn quickest<'r>(rows: impl Iterator<Item = &'r Row>, direction: Direction) -> Option<&'r Row> {
    let timed = rows.filter_map(|row| {
        let summary = direction.of(row)?;
        Some((summary.ratio.unwrap_or(f64::INFINITY), summary.ns?, row))
    });
    let order = |left: &(f64, f64, &Row), right: &(f64, f64, &Row)| {
        left.0.total_cmp(&right.0).then(left.1.total_cmp(&right.1))
    };
    timed.min_by(order).map(|(.., row)| row)
}

/// The rows that may be fastest.
pub(crate) struct Fastest<'r> {
    /// The row with the lowest ratio to the reference, or with the shortest time if there are no
    /// ratios.
    pub(crate) leader: &'r Row,
    /// Rows that take the same time as the leader, within δ.
    pub(crate) level: Vec<&'r Row>,
    /// Rows that may take less, the same or more time than the leader.
    pub(crate) undecided: Vec<&'r Row>,
}

impl Fastest<'_> {
    /// Returns whether both have the same leader, the same level rows and the same undecided rows.
    pub(crate) fn is_same(&self, other: &Fastest<'_>) -> bool {
        let same = |left: &[&Row], right: &[&Row]| {
            left.len() == right.len()
                && left.iter().all(|row| right.iter().any(|other| std::ptr::eq(*row, *other)))
        };
        same(&[self.leader], &[other.leader])
            && same(&self.level, &other.level)
            && same(&self.undecided, &other.undecided)
    }
}
