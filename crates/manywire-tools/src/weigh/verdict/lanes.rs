//! Sentences about lanes: the best format of each language, and where library or language decides.

use manywire_format::FORMATS;

use super::{list, ratio, samples};
use crate::weigh::report::number::significant;
use crate::weigh::report::{BUILT_IN_LANE, Report, Row, Summary};

/// Returns sentences about the lanes: the best of each language, then where the answer depends on
/// the library, then where it depends on the language. `group` has the rows of every lane.
pub(super) fn sentences(group: &[&Row], report: &Report) -> Vec<String> {
    let lanes: Vec<LaneRows<'_>> = report
        .lanes
        .iter()
        .map(|note| LaneRows { name: Some(&note.lane), title: &note.title, delta: note.delta })
        .collect();
    // Our own rows represent Rust if there is no lane of that name.
    let title =
        if lanes.iter().any(|lane| lane.name == Some(BUILT_IN_LANE)) { "Manywire" } else { "Rust" };
    let built_in = LaneRows { name: None, title, delta: report.delta };
    let mut sentences: Vec<String> = lanes.iter().filter_map(|lane| lane.best(group)).collect();
    sentences.extend(lanes.iter().flat_map(|lane| lane.library_reversals(group, report)));
    if !sentences.is_empty() {
        let all: Vec<&LaneRows<'_>> = std::iter::once(&built_in).chain(&lanes).collect();
        sentences.extend(language_reversals(&all, group, report));
    }
    sentences
}

struct LaneRows<'a> {
    /// `None` for our own rows.
    name: Option<&'a str>,
    title: &'a str,
    /// δ: ratios within 1 ± δ count as the same.
    delta: f64,
}

/// A direction of a codec: its verb and its figures.
type Direction = (&'static str, fn(&Row) -> Option<&Summary>);
const DIRECTIONS: [Direction; 2] =
    [("encode", |row| row.encode.as_ref()), ("decode", |row| row.decode.as_ref())];

/// The side of 1 ± δ on which the whole interval of a ratio lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Faster,
    Slower,
}

impl LaneRows<'_> {
    fn has(&self, row: &Row) -> bool {
        match self.name {
            Some(name) => row.in_lane && row.lane == name,
            None => !row.in_lane,
        }
    }

    fn rows<'r>(&self, group: &[&'r Row]) -> Vec<&'r Row> {
        let mine = group.iter().copied();
        mine.filter(|row| self.has(row) && row.status == "ok").collect()
    }

    /// Names the smallest and the fastest of a language.
    fn best(&self, group: &[&Row]) -> Option<String> {
        let rows = self.rows(group);
        let smallest = rows.iter().min_by_key(|row| row.size_bytes.unwrap_or(u64::MAX))?;
        let mut parts = vec![format!("{} is smallest", smallest.format)];
        for (verb, summary) in DIRECTIONS {
            if let Some(row) = fastest(&rows, summary) {
                parts.push(format!("{} {verb}s fastest", name(row)));
            }
        }
        Some(format!("In {}: {}.", self.title, parts.join("; ")))
    }

    /// Finds formats for which one library is faster than a library of the reference, and another
    /// is slower.
    fn library_reversals(&self, group: &[&Row], report: &Report) -> Vec<String> {
        let rows = self.rows(group);
        let mut sentences = Vec::new();
        for (verb, summary) in DIRECTIONS {
            for format in FORMATS.iter().filter(|row| row.name != report.reference) {
                let mine = rows.iter().filter(|row| row.format == format.name);
                let pairs: Vec<_> = mine
                    .flat_map(|&row| {
                        rows.iter()
                            .filter(|other| other.format == report.reference)
                            .filter(|other| comparable(&rows, row, other))
                            .filter_map(move |&other| {
                                Some((
                                    row,
                                    other,
                                    ratio(samples(summary(row)), samples(summary(other)))?,
                                ))
                            })
                    })
                    .collect();
                let found =
                    |side| pairs.iter().find(|(_, _, ratio)| self.side(ratio) == Some(side));
                let (Some(faster), Some(slower)) = (found(Side::Faster), found(Side::Slower))
                else {
                    continue;
                };
                let times = |ratio: &crate::weigh::statistics::Interval| significant(ratio.exp().0);
                sentences.push(format!(
                    "In {} the library decides whether {} {verb}s faster than {}: {} takes {}x the time of {}, but {} {}x that of {}.",
                    self.title,
                    format.name,
                    report.reference,
                    faster.0.library,
                    times(&faster.2),
                    faster.1.library,
                    slower.0.library,
                    times(&slower.2),
                    slower.1.library
                ));
            }
        }
        sentences
    }

    fn side(&self, ratio: &crate::weigh::statistics::Interval) -> Option<Side> {
        let bound = self.delta.ln_1p();
        match (ratio.high() < -bound, ratio.low() > bound) {
            (true, _) => Some(Side::Faster),
            (_, true) => Some(Side::Slower),
            _ => None,
        }
    }

    /// Compares the fastest library of a format with the fastest of the reference.
    fn best_ratio(
        &self,
        group: &[&Row],
        format: &str,
        reference: &str,
        direction: Direction,
    ) -> Option<(Side, f64)> {
        let rows = self.rows(group);
        let of = |format: &str| {
            let rows: Vec<&Row> = rows.iter().copied().filter(|row| row.format == format).collect();
            fastest(&rows, direction.1)
        };
        let found = ratio(samples(direction.1(of(format)?)), samples(direction.1(of(reference)?)))?;
        Some((self.side(&found)?, found.exp().0))
    }
}

/// Returns whether two rows have the same kind of value, or the language has only one kind for the
/// reference.
fn comparable(rows: &[&Row], row: &Row, reference: &Row) -> bool {
    row.target == reference.target
        || !rows.iter().any(|other| other.format == reference.format && other.target == row.target)
}

fn fastest<'r>(rows: &[&'r Row], summary: fn(&Row) -> Option<&Summary>) -> Option<&'r Row> {
    let timed = rows.iter().filter_map(|&row| Some((summary(row)?.ns?, row)));
    timed.min_by(|left, right| left.0.total_cmp(&right.0)).map(|(_, row)| row)
}

fn name(row: &Row) -> String {
    let typed = if row.target == "typed" { ", typed" } else { "" };
    format!("{} by {}{typed}", row.format, row.library)
}

/// Finds formats that are faster than the reference in one language and slower in another.
fn language_reversals(lanes: &[&LaneRows<'_>], group: &[&Row], report: &Report) -> Vec<String> {
    let mut sentences = Vec::new();
    for direction in DIRECTIONS {
        for format in FORMATS.iter().filter(|row| row.name != report.reference) {
            let found: Vec<(&str, Side, f64)> = lanes
                .iter()
                .filter_map(|lane| {
                    let (side, times) =
                        lane.best_ratio(group, format.name, &report.reference, direction)?;
                    Some((lane.title, side, times))
                })
                .collect();
            let of = |wanted| {
                let texts: Vec<String> = found
                    .iter()
                    .filter(|(_, side, _)| *side == wanted)
                    .map(|(title, _, times)| format!("{title} ({}x the time)", significant(*times)))
                    .collect();
                texts
            };
            let (faster, slower) = (of(Side::Faster), of(Side::Slower));
            if !faster.is_empty() && !slower.is_empty() {
                sentences.push(format!(
                    "The language decides whether {} {}s faster than {}, the fastest library of each: it does in {}, not in {}.",
                    format.name,
                    direction.0,
                    report.reference,
                    list(&faster),
                    list(&slower)
                ));
            }
        }
    }
    sentences
}
