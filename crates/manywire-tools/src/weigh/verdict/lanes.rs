//! Sentences about lanes: the best format of each language, and where library or language decides.
//!
//! Rows are compared only with rows of the same kind of value. The comparisons within one language
//! are adjusted together, so that they do not depend on the other languages of the report.

use manywire_format::Format;

use super::{best_sentence, times};
use crate::weigh::report::compare::{Direction, Judged, Peers, judge_pairs};
use crate::weigh::report::words::list;
use crate::weigh::report::{Report, Row};
use crate::weigh::statistics::Verdict;
use crate::weigh::subject::ValueKind;

/// Names the smallest and the fastest rows of one lane and kind of value, by format and library.
pub(super) fn best(peers: &Peers<'_>) -> Option<String> {
    let name = |row: &Row| format!("{} by {}", row.format, row.library);
    best_sentence(peers, name).map(|(sentence, _)| sentence + ".")
}

/// Returns the sentences on comparisons whose result depends on the library, then those on
/// comparisons whose result depends on the language. `all` has the rows of one payload in every
/// lane.
pub(super) fn differences(all: &[Peers<'_>], report: &Report) -> Vec<String> {
    // The sentences on libraries leave out a lane whose rows are named by format, because each of
    // its libraries is compared with our own codec of its format elsewhere. The sentences on
    // languages include it.
    let lanes = || all.iter().filter(|peers| !report.is_lane_by_format(peers.lane));
    if lanes().next().is_none() {
        return Vec::new();
    }
    let mut sentences: Vec<String> =
        lanes().flat_map(|peers| library_reversals(peers, report)).collect();
    for target in ValueKind::ALL {
        let same: Vec<&Peers<'_>> = all.iter().filter(|peers| peers.target == target).collect();
        sentences.extend(language_reversals(&same, target, report));
    }
    sentences
}

/// Finds formats for which one library is faster than a library of the reference, and another is
/// slower.
fn library_reversals(peers: &Peers<'_>, report: &Report) -> Vec<String> {
    let of_reference = |row: &&&Row| row.format == report.reference;
    let others = peers.rows.iter().filter(|row| row.format != report.reference);
    let pairs = others.flat_map(|&row| {
        let references = peers.rows.iter().filter(of_reference);
        references.flat_map(move |&base| Direction::ALL.map(|direction| (direction, row, base)))
    });
    let judged = judge_pairs(pairs, peers.delta);
    let mut sentences = Vec::new();
    for direction in Direction::ALL {
        for format in Format::ALL.into_iter().filter(|format| *format != report.reference) {
            let of_format = |it: &&Judged<'_>| it.direction == direction && it.row.format == format;
            let with = |verdict| {
                judged.iter().filter(of_format).filter(move |judged| judged.verdict == verdict)
            };
            let order = |left: &&Judged<'_>, right: &&Judged<'_>| {
                left.interval.mean.total_cmp(&right.interval.mean)
            };
            let fastest = with(Verdict::Faster).min_by(order);
            let Some((faster, slower)) = fastest.zip(with(Verdict::Slower).max_by(order)) else {
                continue;
            };
            let verb = direction.verb();
            let phrase = |judged: &Judged<'_>| {
                let (row, base) = (&judged.row.library, &judged.base.library);
                format!("{row} takes {} as long as {base}", times(judged.interval.exp().0))
            };
            sentences.push(format!(
                "For {} values in {} the library decides whether {} {verb}s faster than {}: {}, but {}.",
                peers.target,
                peers.title,
                format,
                report.reference,
                phrase(faster),
                phrase(slower)
            ));
        }
    }
    sentences
}

/// Finds formats that are faster than the reference in one language and slower in another, by the
/// fastest library of each.
fn language_reversals(all: &[&Peers<'_>], target: ValueKind, report: &Report) -> Vec<String> {
    let judged: Vec<(&str, Vec<Judged<'_>>)> =
        all.iter().map(|peers| (peers.title, peers.best_of_formats(report.reference))).collect();
    let mut sentences = Vec::new();
    for direction in Direction::ALL {
        for format in Format::ALL.into_iter().filter(|format| *format != report.reference) {
            let languages = |wanted: Verdict| -> Vec<String> {
                let found = judged.iter().filter_map(|(title, judged)| {
                    let is_it =
                        |it: &&Judged<'_>| it.direction == direction && it.row.format == format;
                    let found = judged.iter().find(is_it)?;
                    let times = times(found.interval.exp().0);
                    (found.verdict == wanted).then(|| format!("{title} ({times} as long)"))
                });
                found.collect()
            };
            let (faster, slower) = (languages(Verdict::Faster), languages(Verdict::Slower));
            if !faster.is_empty() && !slower.is_empty() {
                sentences.push(format!(
                    "For {target} values the language decides whether {} {}s faster than {}, the \
                     fastest library of each: it does in {}, not in {}.",
                    format,
                    direction.verb(),
                    report.reference,
                    list(&faster),
                    list(&slower)
                ));
            }
        }
    }
    sentences
}
