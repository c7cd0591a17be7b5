//! The report in sentences.
//!
//! Sentences state only what was measured. A comparison that is not settled is called inconclusive.

mod lanes;

use std::cmp::Ordering;

use manywire_format::{CodingLevel, Format};
use manywire_shape::fidelity::Loss;

use super::Effort;
use super::http::wire_bytes;
use super::report::compare::{Direction, Fastest, Judged, Peers, judge_pairs, peers, quotient};
use super::report::number::{bandwidth, interval, significant};
use super::report::words::list;
use super::report::{
    Answer, BUILT_IN_LANE, CodedSummary, Fidelity, Report, Row, RowVerdict, Summary, codings,
    number,
};
use super::statistics::{Interval, Verdict, sides};

/// The conclusions of a report.
#[derive(Debug, Default)]
pub struct Verdicts {
    /// The sentences on the best formats.
    answers: Vec<Answer>,
    /// The sentences on the best formats, and the sentences on each format.
    sentences: Vec<String>,
    /// Sentences on comparisons whose result depends on the library or the language.
    differences: Vec<String>,
}

impl Verdicts {
    /// Draws the conclusions from the rows of a report.
    pub fn of(report: &Report) -> Verdicts {
        let mut verdicts = Verdicts::default();
        for rows in report.rows.chunk_by(Row::has_same_payload) {
            verdicts.add(&rows.iter().collect::<Vec<_>>(), report);
        }
        verdicts
    }

    /// Returns all sentences.
    pub fn sentences(&self) -> Vec<String> {
        [&self.sentences[..], &self.differences].concat()
    }

    /// Writes the sentences to the report.
    pub(crate) fn write(self, report: &mut Report) {
        report.verdicts = self.sentences();
        report.answers = self.answers;
        report.differences = self.differences;
    }

    /// Adds the conclusions from the rows of one payload, or of one length in a sweep.
    fn add(&mut self, rows: &[&Row], report: &Report) {
        let prefix = prefix(rows[0], report);
        let (rust, others): (Vec<Peers<'_>>, Vec<Peers<'_>>) =
            peers(rows, report).into_iter().partition(|peers| peers.lane == BUILT_IN_LANE);
        let mut answer = |peers: &Peers<'_>, text: String| {
            let (payload, sweep) = (rows[0].payload.clone(), rows[0].sweep.clone());
            let (lane, text) = (peers.lane.to_owned(), prefix.clone() + &text);
            self.sentences.push(text.clone());
            self.answers.push(Answer { payload, sweep, lane, text });
        };
        let by_format = report.is_lane_by_format(BUILT_IN_LANE);
        for peers in &rust {
            let best = if by_format { best_format(peers, report) } else { lanes::best(peers) };
            best.into_iter().for_each(|text| answer(peers, text));
        }
        for peers in &others {
            lanes::best(peers).into_iter().for_each(|text| answer(peers, text));
        }
        let own = own_sentences(rows, report).into_iter();
        self.sentences.extend(own.map(|text| prefix.clone() + &text));
        let differences = lanes::differences(&[rust, others].concat(), report).into_iter();
        self.differences.extend(differences.map(|text| prefix.clone() + &text));
    }
}

/// Compares the formats of our own codecs with the reference, and the other libraries of Rust with our
/// own codec of their format, on dynamic values.
fn own_sentences(rows: &[&Row], report: &Report) -> Vec<String> {
    let own = |format: Format| {
        rows.iter().copied().find(|row| row.is_of_own_codec() && row.format == format)
    };
    let Some(reference) = own(report.reference) else { return Vec::new() };
    if let Some(why) = reference.status.reason() {
        return vec![format!(
            "{} is out, so nothing is compared with it: {why}.",
            reference.format
        )];
    }
    let formats: Vec<&Row> = rows
        .iter()
        .copied()
        .filter(|row| row.is_of_own_codec() && row.format != reference.format)
        .collect();
    let exchanges: Vec<ExchangePair<'_>> =
        formats.iter().flat_map(|row| exchange_pairs(row, reference, report)).collect();
    let bandwidths = bandwidth_phrases(&exchanges);
    let formats = formats.iter().map(|row| format_sentence(row, reference, &bandwidths, report));
    let libraries = rows.iter().copied().filter(|row| {
        row.lane == reference.lane && row.target == reference.target && !row.is_of_own_codec()
    });
    let libraries: Vec<(&Row, &Row)> =
        libraries.filter_map(|row| Some((row, own(row.format)?))).collect();
    let timed = libraries.iter().filter(|(row, _)| row.status.is_ok());
    let pairs =
        timed.flat_map(|&(row, ours)| Direction::ALL.map(|direction| (direction, row, ours)));
    let judged = judge_pairs(pairs, report.delta);
    let libraries = libraries.iter().filter_map(|(row, _)| library_sentence(row, &judged));
    formats.chain(libraries).collect()
}

/// Returns the name of the table that a sentence is about, if there are several.
fn prefix(row: &Row, report: &Report) -> String {
    let several = report.rows.iter().any(|other| other.payload != row.payload);
    match &row.sweep {
        Some(sweep) => format!("{} = {}: ", sweep.path, sweep.length),
        None if several && row.payload == "*" => "all payloads: ".to_owned(),
        None if several => format!("{}: ", row.payload),
        None => String::new(),
    }
}

/// Names the smallest and the fastest formats of our own codecs.
fn best_format(peers: &Peers<'_>, report: &Report) -> Option<String> {
    let own = peers.rows.iter().copied().filter(|row| row.is_of_own_codec());
    let own = Peers { rows: own.collect(), ..peers.clone() };
    let (mut text, timed) = best_sentence(&own, |row| row.format.to_string())?;
    if timed {
        text.push_str(&format!(" (δ is {} %", percent(report.delta)));
        // A quick measurement makes its launches whatever the width of the intervals is.
        if report.options["effort"] != Effort::Quick.name() {
            let width = percent(report.target_half_width);
            text.push_str(&format!(", measuring stops at ±{width} %"));
        }
        text.push(')');
    }
    Some(text + ".")
}

/// Names the smallest and the fastest of some rows, without a full stop, and returns whether the
/// text says anything about times. `None` if no row has a size.
fn best_sentence(peers: &Peers<'_>, name: impl Fn(&Row) -> String) -> Option<(String, bool)> {
    let mut parts = vec![smallest_claim(&peers.rows)?];
    let claim =
        |found: &Fastest<'_>, predicate: &str| fastest_claim(found, predicate, peers, &name);
    let [encode, decode] = peers.fastest();
    match (encode, decode) {
        (Some(encode), Some(decode)) if encode.is_same(&decode) => {
            parts.push(claim(&encode, "is fastest both ways"));
        }
        (encode, decode) => {
            parts.extend(encode.map(|found| claim(&found, "encodes fastest")));
            parts.extend(decode.map(|found| claim(&found, "decodes fastest")));
        }
    }
    let timed = parts.len() > 1;
    Some((format!("For {} values in {}: {}", peers.target, peers.title, parts.join("; ")), timed))
}

/// Names the smallest formats: `avro is smallest, compressed or not`, or `avro is smallest, cbor
/// with gzip:6`. `None` if no row has a size.
fn smallest_claim(rows: &[&Row]) -> Option<String> {
    let smallest = smallest_formats(rows, |row| row.size_bytes);
    let is = match smallest.len() {
        0 => return None,
        1 => "is",
        _ => "are",
    };
    let mut text = format!("{} {is} smallest", list(&smallest));
    let mut levels: Vec<CodingLevel> = codings(rows.iter().copied())
        .into_iter()
        .filter_map(|coding| coding.parse().ok())
        .collect();
    levels.sort();
    // The codings under which other formats are smallest, by those formats.
    let mut others: Vec<(Vec<&str>, Vec<String>)> = Vec::new();
    for name in levels.iter().map(CodingLevel::to_string) {
        let formats = smallest_formats(rows, |row| row.coded_bytes.get(&name).copied());
        match others.iter_mut().find(|(known, _)| *known == formats) {
            _ if formats == smallest => {}
            Some((_, names)) => names.push(name),
            None => others.push((formats, vec![name])),
        }
    }
    if !levels.is_empty() && others.is_empty() {
        text.push_str(", compressed or not");
    }
    for (formats, names) in others {
        text.push_str(&format!(", {} with {}", list(&formats), list(&names)));
    }
    Some(text)
}

/// Returns the formats of the rows with the fewest bytes.
fn smallest_formats(rows: &[&Row], bytes: impl Fn(&Row) -> Option<u64>) -> Vec<&'static str> {
    let fewest = rows.iter().filter_map(|row| bytes(row)).min();
    let mut formats: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| fewest.is_some() && bytes(row) == fewest) {
        if !formats.contains(&row.format.name()) {
            formats.push(row.format.name());
        }
    }
    formats
}

/// The maximum number of names in a list of rows; further rows are only counted.
const NAMED_MAX: usize = 3;

/// Names the fastest rows: `msgpack encodes fastest, cbor within 5 % of msgpack`, or `msgpack or
/// bson encodes fastest (undecided)`.
fn fastest_claim(
    found: &Fastest<'_>,
    predicate: &str,
    peers: &Peers<'_>,
    name: impl Fn(&Row) -> String,
) -> String {
    let names = |rows: &[&Row]| -> Vec<String> {
        let mut names: Vec<String> = rows.iter().take(NAMED_MAX).map(|row| name(row)).collect();
        match rows.len().saturating_sub(NAMED_MAX) {
            0 => {}
            more => names.push(format!("{more} more")),
        }
        names
    };
    let leader = name(found.leader);
    let mut text = match names(&found.undecided).as_slice() {
        [] => format!("{leader} {predicate}"),
        undecided => format!("{leader} or {} {predicate} (undecided)", undecided.join(" or ")),
    };
    if !found.level.is_empty() {
        let level = list(&names(&found.level));
        text.push_str(&format!(", {level} within {} % of {leader}", percent(peers.delta)));
    }
    text
}

/// Compares one format with the reference. `bandwidths` has the phrases about bandwidths of all
/// formats, each with its row.
fn format_sentence(
    row: &Row,
    reference: &Row,
    bandwidths: &[(&Row, String)],
    report: &Report,
) -> String {
    if let Some(reason) = row.status.reason() {
        return format!("{} is out: {reason}.", row.format);
    }
    let mut parts: Vec<String> = size_phrase(row, reference).into_iter().collect();
    for direction in Direction::ALL {
        let phrase =
            direction.of(row).and_then(|it| time_phrase(direction.verb(), it, row, report));
        parts.extend(phrase);
    }
    let mut sentences = vec![format!("{}: {}.", row.format, parts.join("; "))];
    sentences.extend(compressed_phrase(row, reference));
    sentences.extend(compressing_phrase(row, reference));
    let of_row = bandwidths.iter().filter(|(of, _)| std::ptr::eq(*of, row));
    sentences.extend(of_row.map(|(_, phrase)| phrase.clone()));
    if let Some(Fidelity::Lost(losses)) = &row.fidelity {
        // A loss that every row has, such as that of a duplicate key, says nothing about a format.
        let mut own = losses.iter().filter(|loss| !is_in_every_row(loss, row, report));
        if let Some(first) = own.next() {
            let more = match own.count() {
                0 => String::new(),
                more if Fidelity::is_full(losses) => format!(", and at least {more} more"),
                more => format!(", and {more} more"),
            };
            sentences.push(format!("Not exact: {}: {}{more}.", first.path, first.lost));
        }
    }
    sentences.join(" ")
}

/// Returns whether every row of the same payload that has figures has this loss, at the same path.
fn is_in_every_row(loss: &Loss, row: &Row, report: &Report) -> bool {
    let has = |other: &Row| match &other.fidelity {
        Some(Fidelity::Lost(losses)) => {
            losses.iter().any(|known| known.path == loss.path && known.lost == loss.lost)
        }
        _ => false,
    };
    let same = |other: &&Row| other.has_same_payload(row) && other.status.is_ok();
    report.rows.iter().filter(same).all(has)
}

fn size_phrase(row: &Row, reference: &Row) -> Option<String> {
    let (size, base) = (row.size_bytes?, reference.size_bytes?);
    Some(match size.cmp(&base) {
        Ordering::Equal => format!("as large as {}", reference.format),
        _ => format!("{} than {}", difference(size, base), reference.format),
    })
}

/// Describes a difference in size: `28 % smaller`.
fn difference(size: u64, base: u64) -> String {
    let percent = number::percent(size.abs_diff(base) as f64 / base.max(1) as f64);
    match size.cmp(&base) {
        Ordering::Less => format!("{percent} smaller"),
        Ordering::Equal => "as large".to_owned(),
        Ordering::Greater => format!("{percent} larger"),
    }
}

/// Formats a ratio of times, as every table and sentence does.
fn times(ratio: f64) -> String {
    format!("{}x", significant(ratio))
}

/// Formats a ratio of times with its interval: `1.42x (±1 %)`.
fn times_within(ratio: f64, low: f64, high: f64) -> String {
    format!("{} ({})", times(ratio), interval(low, high, significant))
}

fn time_phrase(verb: &str, summary: &Summary, row: &Row, report: &Report) -> Option<String> {
    let (ratio, low, high) = (summary.ratio?, summary.ratio_low?, summary.ratio_high?);
    let interval = interval(low, high, significant);
    Some(match summary.verdict? {
        RowVerdict::Faster | RowVerdict::Slower => {
            format!("takes {} as long to {verb} ({interval})", times(ratio))
        }
        RowVerdict::Same => {
            format!("{verb}s in the same time (within {} %)", percent(report.delta))
        }
        RowVerdict::Inconclusive => {
            let more = summary.more_launches.map(|more| {
                format!("; about {more} more launch{} needed", if more == 1 { "" } else { "es" })
            });
            let bound = report.delta.ln_1p();
            let decides =
                low.ln() > bound || high.ln() < -bound || low.ln() > -bound && high.ln() < bound;
            let adjusted = decides.then(|| {
                let count = comparisons_beside(row, report);
                format!("; decided by this interval alone, but not among {count} comparisons")
            });
            format!(
                "inconclusive to {verb} ({} as long, {interval}{}{})",
                times(ratio),
                adjusted.unwrap_or_default(),
                more.unwrap_or_default()
            )
        }
        RowVerdict::Reference => return None,
    })
}

/// Returns the number of comparisons that were judged together with those of a row: all comparisons
/// of the row's lane.
fn comparisons_beside(row: &Row, report: &Report) -> usize {
    let of_lane = report.rows.iter().filter(|other| other.lane == row.lane);
    of_lane.flat_map(Row::summaries).filter(|summary| summary.p_adjusted.is_some()).count()
}

/// Returns a share in per cent, rounded.
fn percent(share: f64) -> f64 {
    (share * 1e5).round() / 1e3
}

/// Describes the difference in size under compression.
fn compressed_phrase(row: &Row, reference: &Row) -> Option<String> {
    let mut coded: Vec<(CodingLevel, String, Ordering)> = Vec::new();
    for (coding, &size) in &row.coded_bytes {
        let base = *reference.coded_bytes.get(coding)?;
        coded.push((coding.parse().ok()?, difference(size, base), size.cmp(&base)));
    }
    coded.sort_by_key(|&(level, ..)| level);
    let smaller = row.size_bytes? < reference.size_bytes?;
    let kept = smaller && coded.iter().all(|(.., order)| order.is_lt());
    let texts: Vec<String> = coded
        .iter()
        .map(|(level, difference, _)| match difference.strip_suffix(" smaller") {
            Some(saving) if kept => format!("{saving} ({level})"),
            _ => format!("{difference} ({level})"),
        })
        .collect();
    match (coded.is_empty(), kept) {
        (true, _) => None,
        (false, true) => Some(format!("Compressed, the saving is {}.", list(&texts))),
        (false, false) => Some(format!("Compressed, it is {}.", list(&texts))),
    }
}

/// Describes the time of compression, against no compression and against the reference with
/// compression.
fn compressing_phrase(row: &Row, reference: &Row) -> Option<String> {
    let (encode, decode) = (row.encode.as_ref()?, row.decode.as_ref()?);
    let slower = |coded: &Summary, plain: &Summary| {
        let (ratio, low, high) =
            quotient(coded.compared_samples(), plain.compared_samples())?.exp();
        Some(times_within(ratio, low, high))
    };
    let of_reference =
        |coded: &Summary| Some(times_within(coded.ratio?, coded.ratio_low?, coded.ratio_high?));
    let texts: Vec<String> = row
        .coded
        .iter()
        .filter_map(|(coding, CodedSummary { compress, decompress })| {
            let (compress, decompress) = (compress.as_ref()?, decompress.as_ref()?);
            Some(format!(
                "{coding} makes encoding take {} and decoding {} as long, {} and {} as {} under it",
                slower(compress, encode)?,
                slower(decompress, decode)?,
                of_reference(compress)?,
                of_reference(decompress)?,
                reference.format
            ))
        })
        .collect();
    (!texts.is_empty()).then(|| format!("In time, {}.", texts.join("; ")))
}

/// The bandwidth above which the sentence says "any network".
const FASTEST_NETWORK_BITS_PER_SECOND: f64 = 400e9;

/// The exchange of a body in a format, and that in the reference format, without compression or with
/// one coding.
struct ExchangePair<'r> {
    row: &'r Row,
    reference: Format,
    /// The coding; `None` if the bodies are uncompressed.
    coding: Option<&'r str>,
    mine: Exchange,
    theirs: Exchange,
    /// The ratio of both times, on the logarithmic scale.
    ratio: Interval,
}

/// Returns the exchanges of a format whose bytes and times can be compared with those of the
/// reference: first with compression, where it was timed, because most services compress.
fn exchange_pairs<'r>(row: &'r Row, reference: &Row, report: &Report) -> Vec<ExchangePair<'r>> {
    let codings = row.coded.keys().map(|coding| Some(coding.as_str()));
    let pair = |coding: Option<&'r str>| {
        let mine = Exchange::of(row, coding, report)?;
        let theirs = Exchange::of(reference, coding, report)?;
        let ratio = quotient(&mine.launches, &theirs.launches)?;
        Some(ExchangePair { row, reference: reference.format, coding, mine, theirs, ratio })
    };
    codings.chain([None]).filter_map(pair).collect()
}

/// Describes for which bandwidth each format wins, each phrase with the row of its format. The
/// comparisons of times are adjusted together.
fn bandwidth_phrases<'r>(pairs: &[ExchangePair<'r>]) -> Vec<(&'r Row, String)> {
    let ratios: Vec<Interval> = pairs.iter().map(|pair| pair.ratio).collect();
    let phrase = |(pair, side): (&ExchangePair<'r>, Option<Ordering>)| {
        let phrase = bandwidth_phrase(pair, side?)?;
        let start = match pair.coding {
            Some(coding) => format!("Compressed with {coding}"),
            None => "Uncompressed".to_owned(),
        };
        Some((pair.row, format!("{start}: {phrase}.")))
    };
    pairs.iter().zip(sides(&ratios)).filter_map(phrase).collect()
}

/// The bytes of an exchange over HTTP, and the time to write its body on one side and to read it on the
/// other, by the clock of the verdicts.
struct Exchange {
    /// The number of bytes on the line, with the headers of HTTP and of every segment, as in the cost
    /// model of `trial`.
    bytes: f64,
    /// The time to write and read the body in each launch, in nanoseconds.
    launches: Vec<f64>,
    /// The time to write and read the body, in nanoseconds.
    ns: f64,
}

impl Exchange {
    /// Returns the exchange of one payload of a row, with a coding or without one; `None` if a figure is
    /// missing.
    fn of(row: &Row, coding: Option<&str>, report: &Report) -> Option<Exchange> {
        let (size, write, read) = match coding {
            None => (row.size_bytes?, &row.encode, &row.decode),
            Some(coding) => {
                let CodedSummary { compress, decompress } = row.coded.get(coding)?;
                (*row.coded_bytes.get(coding)?, compress, decompress)
            }
        };
        let (write, read) = (write.as_ref()?, read.as_ref()?);
        let body_bytes = size as f64 / report.count_of(&row.payload) as f64;
        let bytes = wire_bytes((body_bytes + row.header_bytes as f64).round() as u64) as f64;
        let (writes, reads) = (write.compared_samples(), read.compared_samples());
        let pairs = writes.iter().zip(reads);
        let whole = writes.len() == reads.len();
        let launches = whole.then(|| pairs.map(|(write, read)| write + read).collect())?;
        Some(Exchange { bytes, launches, ns: write.compared_ns()? + read.compared_ns()? })
    }
}

/// Describes the bandwidth below which fewer bytes compensate for more time, or says that one
/// format wins at any bandwidth because it has both fewer bytes and less time. `side` says whether the
/// time is less than that of the reference. `None` if the bytes are equal.
fn bandwidth_phrase(pair: &ExchangePair<'_>, side: Ordering) -> Option<String> {
    let ExchangePair { row, reference, mine, theirs, ratio, .. } = pair;
    let format = row.format;
    let smaller = match mine.bytes.total_cmp(&theirs.bytes) {
        Ordering::Less => true,
        Ordering::Equal => return None,
        Ordering::Greater => false,
    };
    if smaller == side.is_lt() {
        return Some(match smaller {
            true => format!(
                "fewer bytes on the line and less time both ways together, so {format} wins at any bandwidth"
            ),
            false => format!(
                "more bytes on the line and more time both ways together, so {reference} wins at any bandwidth"
            ),
        });
    }
    let winner = if smaller { format } else { *reference };
    let bits = 8.0 * (theirs.bytes - mine.bytes).abs();
    let break_even = |log: f64| bits / ((log.exp() - 1.0).abs() * theirs.ns / 1e9);
    let (one, other) = (break_even(ratio.low()), break_even(ratio.high()));
    let at = format!(
        "{} ({})",
        bandwidth(break_even(ratio.mean)),
        interval(one.min(other), one.max(other), bandwidth)
    );
    let which = match break_even(ratio.mean) > FASTEST_NETWORK_BITS_PER_SECOND {
        true => format!("over any network (below {at})"),
        false => format!("below {at}"),
    };
    Some(format!("{which} {winner} wins, because its fewer bytes outweigh its longer time"))
}

/// Compares the times of a library with those of our own codec of the same format, by the verdicts on
/// all libraries.
fn library_sentence(row: &Row, judged: &[Judged<'_>]) -> Option<String> {
    if let Some(reason) = row.status.reason() {
        return Some(format!("{} with {} is out: {reason}.", row.format, row.library));
    }
    let mut phrases = Vec::new();
    for direction in Direction::ALL {
        let is_it = |it: &&Judged<'_>| it.direction == direction && std::ptr::eq(it.row, row);
        phrases.push(library_time_phrase(judged.iter().find(is_it)?));
    }
    Some(format!(
        "{} with {} instead of manywire takes {}.",
        row.format,
        row.library,
        list(&phrases)
    ))
}

fn library_time_phrase(judged: &Judged<'_>) -> String {
    let verb = judged.direction.verb();
    let (ratio, low, high) = judged.interval.exp();
    let (times, interval) = (times(ratio), interval(low, high, significant));
    match judged.verdict {
        Verdict::Same => format!("the same time to {verb}"),
        Verdict::Faster | Verdict::Slower => format!("{times} as long to {verb} ({interval})"),
        Verdict::Inconclusive { .. } => {
            format!("an undecided time to {verb} ({times} as long, {interval})")
        }
    }
}
