//! The report in sentences.
//!
//! Sentences state only what was measured. A comparison that is not settled is called inconclusive.

mod lanes;

use std::cmp::Ordering;

use manywire_format::CodingLevel;
use manywire_shape::fidelity::Loss;

use super::report::number::{bandwidth, significant};
use super::report::{CodedSummary, Fidelity, Report, Row, Summary};
use super::statistics::Interval;

/// Returns the conclusions of a report: the best formats, one sentence per format, then the
/// differences between libraries.
pub fn sentences(report: &Report) -> Vec<String> {
    let mut verdicts = Vec::new();
    for reference in report.rows.iter().filter(|row| is_reference(row, report)) {
        let group: Vec<&Row> =
            report.rows.iter().filter(|row| same_group(row, reference)).collect();
        let mut say = |text: String| verdicts.push(prefix(reference, report) + &text);
        summary_sentence(&group, report).into_iter().for_each(&mut say);
        if reference.status != "ok" {
            let why = &reference.status;
            say(format!("{} is out, so nothing is compared with it: {why}.", reference.format));
            continue;
        }
        for row in group.iter().filter(|row| ours(row) && row.format != reference.format) {
            say(format_sentence(row, reference, report));
        }
        for row in group.iter().filter(|row| !ours(row)) {
            let ours = group.iter().find(|other| ours(other) && other.format == row.format);
            ours.and_then(|ours| library_sentence(row, ours, report))
                .into_iter()
                .for_each(&mut say);
        }
        let about = |row: &&Row| row.payload == reference.payload && row.sweep == reference.sweep;
        let every: Vec<&Row> = report.rows.iter().filter(about).collect();
        lanes::sentences(&every, report).into_iter().for_each(&mut say);
    }
    verdicts
}

fn ours(row: &Row) -> bool {
    row.library == "manywire" && !row.in_lane
}

fn is_reference(row: &Row, report: &Report) -> bool {
    ours(row) && row.format == report.reference
}

fn same_group(row: &Row, reference: &Row) -> bool {
    row.payload == reference.payload
        && row.sweep == reference.sweep
        && row.in_lane == reference.in_lane
        && row.target == reference.target
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

/// Returns the bytes of one operation, as a mean over the payloads.
fn bytes(row: &Row, report: &Report) -> Option<f64> {
    Some(row.size_bytes? as f64 / report.count_of(&row.payload) as f64)
}

/// Returns the ratio of two times, paired by launch; `None` unless every launch has both.
fn ratio(mine: &[f64], theirs: &[f64]) -> Option<Interval> {
    if mine.len() != theirs.len() {
        return None;
    }
    let logs: Vec<f64> =
        mine.iter().zip(theirs).map(|(mine, theirs)| (mine / theirs).ln()).collect();
    Interval::of(&logs)
}

fn samples(summary: Option<&Summary>) -> &[f64] {
    summary.map_or(&[], |summary| &summary.samples)
}

/// Returns the sum of encoding and decoding time, one per launch.
fn both_ways(row: &Row) -> Option<Vec<f64>> {
    let (encode, decode) = (samples(row.encode.as_ref()), samples(row.decode.as_ref()));
    (encode.len() == decode.len())
        .then(|| encode.iter().zip(decode).map(|(encode, decode)| encode + decode).collect())
}

/// `a`, `a and b`, `a, b and c`.
fn list(words: &[impl AsRef<str>]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
    }
}

/// Names the smallest and the fastest formats.
///
/// Formats within δ of the fastest count as fastest too.
fn summary_sentence(group: &[&Row], report: &Report) -> Option<String> {
    let rows: Vec<&Row> =
        group.iter().copied().filter(|row| ours(row) && row.status == "ok").collect();
    let fewest = rows.iter().filter_map(|row| row.size_bytes).min()?;
    let smallest: Vec<&str> = rows
        .iter()
        .filter(|row| row.size_bytes == Some(fewest))
        .map(|row| row.format.as_str())
        .collect();
    let mut parts = vec![format!("{} {} smallest", list(&smallest), are(&smallest))];
    let encode = fastest(&rows, |row| row.encode.as_ref(), report.delta);
    let decode = fastest(&rows, |row| row.decode.as_ref(), report.delta);
    let timed = !encode.is_empty() && !decode.is_empty();
    if timed && encode == decode {
        parts.push(format!("{} {} fastest both ways", list(&encode), are(&encode)));
    } else if timed {
        let s = |formats: &[&str]| if formats.len() == 1 { "s" } else { "" };
        parts.push(format!("{} encode{} fastest", list(&encode), s(&encode)));
        parts.push(format!("{} decode{} fastest", list(&decode), s(&decode)));
    }
    let mut text = format!("For dynamic values in Rust: {}", parts.join("; "));
    if timed {
        text.push_str(&format!(
            " (δ is {} %, measuring stops at ±{} %)",
            percent(report.delta),
            percent(report.target_half_width)
        ));
    }
    Some(text + ".")
}

fn are(formats: &[&str]) -> &'static str {
    if formats.len() == 1 { "is" } else { "are" }
}

/// Returns the fastest format, and those that are not clearly slower by more than δ.
fn fastest<'a>(
    rows: &[&'a Row],
    summary: impl Fn(&'a Row) -> Option<&'a Summary>,
    delta: f64,
) -> Vec<&'a str> {
    let time = |row: &'a Row| Some((summary(row)?.ns?, row));
    let first =
        rows.iter().filter_map(|&row| time(row)).min_by(|left, right| left.0.total_cmp(&right.0));
    let Some((_, first)) = first else { return Vec::new() };
    let level = |row: &'a Row| {
        let behind = ratio(samples(summary(row)), samples(summary(first)));
        row.format == first.format || behind.is_some_and(|ratio| ratio.low() <= delta.ln_1p())
    };
    rows.iter()
        .filter(|&&row| time(row).is_some() && level(row))
        .map(|row| row.format.as_str())
        .collect()
}

/// Compares one format with the reference.
fn format_sentence(row: &Row, reference: &Row, report: &Report) -> String {
    if row.status != "ok" {
        return format!("{} is out: {}.", row.format, row.status);
    }
    let mut parts: Vec<String> = size_phrase(row, reference).into_iter().collect();
    parts.extend(time_phrase("encode", row.encode.as_ref(), report));
    parts.extend(time_phrase("decode", row.decode.as_ref(), report));
    let mut sentences = vec![format!("{}: {}.", row.format, parts.join("; "))];
    sentences.extend(compressed_phrase(row, reference));
    sentences.extend(compressing_phrase(row, reference));
    sentences.extend(bandwidth_phrase(row, reference, report));
    if let Some(Fidelity::Lost(losses)) = &row.fidelity {
        // A loss that every row has, such as that of a duplicate key, says nothing about a format.
        let mut own = losses.iter().filter(|loss| !is_in_every_row(loss, row, report));
        if let Some(first) = own.next() {
            let more = match own.count() {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            sentences.push(format!("Not exact: {}: {}{more}.", first.path, first.lost));
        }
    }
    sentences.join(" ")
}

/// Returns whether every row of the same payload lost this, at the same path.
fn is_in_every_row(loss: &Loss, row: &Row, report: &Report) -> bool {
    let has = |other: &Row| match &other.fidelity {
        Some(Fidelity::Lost(losses)) => {
            losses.iter().any(|known| known.path == loss.path && known.lost == loss.lost)
        }
        _ => false,
    };
    let mut same = report.rows.iter().filter(|other| {
        other.payload == row.payload && other.sweep == row.sweep && other.status == "ok"
    });
    same.all(has)
}

fn size_phrase(row: &Row, reference: &Row) -> Option<String> {
    let (size, base) = (row.size_bytes?, reference.size_bytes?);
    Some(match size.cmp(&base) {
        Ordering::Equal => format!("as large as {}", reference.format),
        _ => format!("{} than {}", difference(size, base), reference.format),
    })
}

/// `28 % smaller`.
fn difference(size: u64, base: u64) -> String {
    let percent = size.abs_diff(base) as f64 / base.max(1) as f64 * 100.0;
    let percent =
        if percent < 0.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") };
    match size.cmp(&base) {
        Ordering::Less => format!("{percent} smaller"),
        Ordering::Equal => "as large".to_owned(),
        Ordering::Greater => format!("{percent} larger"),
    }
}

fn time_phrase(verb: &str, summary: Option<&Summary>, report: &Report) -> Option<String> {
    let summary = summary?;
    let (ratio, low, high) = (summary.ratio?, summary.ratio_low?, summary.ratio_high?);
    Some(match summary.verdict.as_deref()? {
        // Speed is the inverse of time, so the ends of the interval are swapped.
        "faster" => format!(
            "{verb}s {}x as fast ({}–{})",
            significant(1.0 / ratio),
            significant(1.0 / high),
            significant(1.0 / low)
        ),
        "slower" => format!(
            "takes {}x as long to {verb} ({}–{})",
            significant(ratio),
            significant(low),
            significant(high)
        ),
        "same" => format!("{verb}s in the same time (within {} %)", percent(report.delta)),
        "inconclusive" => {
            let more = summary.more_launches.map(|more| {
                format!("; about {more} more launch{} needed", if more == 1 { "" } else { "es" })
            });
            format!(
                "inconclusive to {verb} ({}–{} of the time{})",
                significant(low),
                significant(high),
                more.unwrap_or_default()
            )
        }
        _ => return None,
    })
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
    let (encode, decode) = (row.encode.as_ref()?.ns?, row.decode.as_ref()?.ns?);
    let texts: Vec<String> = row
        .coded
        .iter()
        .filter_map(|(coding, CodedSummary { compress, decompress })| {
            let (compress, decompress) = (compress.as_ref()?, decompress.as_ref()?);
            Some(format!(
                "{coding} makes encoding take {}x and decoding {}x as long, {}x and {}x as {} under it",
                significant(compress.ns? / encode),
                significant(decompress.ns? / decode),
                significant(compress.ratio?),
                significant(decompress.ratio?),
                reference.format
            ))
        })
        .collect();
    (!texts.is_empty()).then(|| format!("In time, {}.", texts.join("; ")))
}

/// The bandwidth above which the sentence says "any network".
const FASTEST_NETWORK_BITS_PER_SECOND: f64 = 400e9;

/// Describes the bandwidth at which fewer bytes compensate for more time. Returns nothing if one
/// format has both, or if their times cannot be distinguished.
fn bandwidth_phrase(row: &Row, reference: &Row, report: &Report) -> Option<String> {
    let (mine, theirs) = (both_ways(row)?, both_ways(reference)?);
    let times = ratio(&mine, &theirs)?;
    let (size, base) = (bytes(row, report)?, bytes(reference, report)?);
    let slower = times.low() > 0.0;
    let faster = times.high() < 0.0;
    if size == base || !(slower || faster) {
        return None;
    }
    let smaller = size < base;
    if smaller == faster {
        let (what, winner) = if smaller {
            ("Smaller and faster both ways together", &row.format)
        } else {
            ("Larger and slower both ways together", &reference.format)
        };
        return Some(format!("{what}: {winner} wins at any bandwidth."));
    }
    let theirs = reference.encode.as_ref()?.ns? + reference.decode.as_ref()?.ns?;
    let extra_ns = (times.mean.exp() - 1.0).abs() * theirs;
    let break_even = 8.0 * (base - size).abs() / (extra_ns / 1e9);
    let winner = if smaller { &row.format } else { &reference.format };
    let which = if break_even > FASTEST_NETWORK_BITS_PER_SECOND {
        format!("Over any network (below {})", bandwidth(break_even))
    } else {
        format!("Below {}", bandwidth(break_even))
    };
    Some(format!("{which} {winner} wins: its fewer bytes outweigh its longer time."))
}

/// Compares a library with ours in the same format.
fn library_sentence(row: &Row, ours: &Row, report: &Report) -> Option<String> {
    if row.status != "ok" {
        return Some(format!("{} with {} is out: {}.", row.format, row.library, row.status));
    }
    let encode =
        library_time_phrase("to encode", row.encode.as_ref(), ours.encode.as_ref(), report)?;
    let decode =
        library_time_phrase("to decode", row.decode.as_ref(), ours.decode.as_ref(), report)?;
    Some(format!(
        "{} with {} instead of manywire takes {encode} and {decode}.",
        row.format, row.library
    ))
}

fn library_time_phrase(
    what: &str,
    theirs: Option<&Summary>,
    ours: Option<&Summary>,
    report: &Report,
) -> Option<String> {
    let interval = ratio(samples(theirs), samples(ours))?;
    let (ratio, low, high) = interval.exp();
    let bound = report.delta.ln_1p();
    Some(if interval.low() > -bound && interval.high() < bound {
        format!("the same time {what}")
    } else {
        let (ratio, low, high) = (significant(ratio), significant(low), significant(high));
        format!("{ratio}x as long {what} ({low}–{high})")
    })
}
