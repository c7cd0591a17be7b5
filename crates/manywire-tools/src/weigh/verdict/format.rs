use std::cmp::Ordering;

use manywire_format::CodingLevel;

use super::{both_ways, bytes, ratio};
use crate::weigh::report::number::{bandwidth, significant};
use crate::weigh::report::{CodedSummary, Fidelity, Report, Row, Summary};

/// What one format changes against the reference.
pub(super) fn words(row: &Row, reference: &Row, report: &Report) -> String {
    if row.status != "ok" {
        return format!("{} is out: {}.", row.format, row.status);
    }
    let mut parts: Vec<String> = size_words(row, reference).into_iter().collect();
    parts.extend(time_words("encode", row.encode.as_ref(), report));
    parts.extend(time_words("decode", row.decode.as_ref(), report));
    let mut sentences = vec![format!("{}: {}.", row.format, parts.join("; "))];
    sentences.extend(compressed_words(row, reference));
    sentences.extend(compressing_words(row, reference));
    sentences.extend(bandwidth_words(row, reference, report));
    if let Some(Fidelity::Lost(losses)) = &row.fidelity {
        let first = &losses[0];
        let more = match losses.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        sentences.push(format!("Not exact: {}: {}{more}.", first.path, first.lost));
    }
    sentences.join(" ")
}

fn size_words(row: &Row, reference: &Row) -> Option<String> {
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

fn time_words(verb: &str, summary: Option<&Summary>, report: &Report) -> Option<String> {
    let summary = summary?;
    let (ratio, low, high) = (summary.ratio?, summary.ratio_low?, summary.ratio_high?);
    Some(match summary.verdict.as_deref()? {
        // Speed is the inverse of time, so the ends of the interval change places.
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

/// A share in per cent, without needless digits.
pub(super) fn percent(share: f64) -> f64 {
    (share * 1e5).round() / 1e3
}

/// What compression leaves of the difference in size.
fn compressed_words(row: &Row, reference: &Row) -> Option<String> {
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
        (false, true) => Some(format!("Compressed, the saving is {}.", super::list(&texts))),
        (false, false) => Some(format!("Compressed, it is {}.", super::list(&texts))),
    }
}

/// What compressing costs in time: against not compressing, and against the reference doing it too.
fn compressing_words(row: &Row, reference: &Row) -> Option<String> {
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

/// Networks faster than this are rare enough to say "any".
const FASTEST_NETWORK_BITS_PER_SECOND: f64 = 400e9;

/// At which bandwidth fewer bytes make up for more time, if one format has the one and the other
/// the other; silent where their times cannot be told apart.
fn bandwidth_words(row: &Row, reference: &Row, report: &Report) -> Option<String> {
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
