//! The report in words.

use crate::report::number;
use crate::report::{Fidelity, Report, Row, Summary};

/// What a reader should take away: a sentence or two a format, then what the library changes.
///
/// Only what was measured is said, and what could not be settled is called that.
pub(crate) fn words(report: &Report) -> Vec<String> {
    let mut verdicts = Vec::new();
    for reference in report.rows.iter().filter(|row| is_reference(row, report)) {
        let group: Vec<&Row> =
            report.rows.iter().filter(|row| same_group(row, reference)).collect();
        for row in
            group.iter().filter(|row| row.library == "manywire" && row.format != reference.format)
        {
            verdicts.push(format!(
                "{}{}",
                prefix(row, report),
                format_verdict(row, reference, report)
            ));
        }
        for row in group.iter().filter(|row| row.library != "manywire") {
            let ours =
                group.iter().find(|ours| ours.library == "manywire" && ours.format == row.format);
            verdicts.extend(
                ours.and_then(|ours| library_verdict(row, ours))
                    .map(|text| format!("{}{text}", prefix(row, report))),
            );
        }
        verdicts.extend(summary(&group, reference, report));
    }
    verdicts
}

fn is_reference(row: &Row, report: &Report) -> bool {
    row.library == "manywire" && row.format == report.reference
}

fn same_group(row: &Row, reference: &Row) -> bool {
    row.payload == reference.payload
        && row.sweep == reference.sweep
        && row.lane == reference.lane
        && row.target == reference.target
}

/// Which payload a sentence is about, where there are several.
fn prefix(row: &Row, report: &Report) -> String {
    let several = report.rows.iter().any(|other| other.payload != row.payload);
    match &row.sweep {
        Some(sweep) => format!("{} = {}: ", sweep.path, sweep.length),
        None if row.payload == "*" => "all payloads: ".to_owned(),
        None if several => format!("{}: ", row.payload),
        None => String::new(),
    }
}

fn format_verdict(row: &Row, reference: &Row, report: &Report) -> String {
    if row.status != "ok" {
        return format!("{} is out: {}.", row.format, row.status);
    }
    let mut parts = vec![size_words(row, reference)];
    let encode = time_words("encoding", row.encode.as_ref(), report.delta);
    let decode = time_words("decoding", row.decode.as_ref(), report.delta);
    parts.extend([encode, decode].into_iter().flatten());
    let mut text = format!("{}: {}.", row.format, parts.join("; "));
    text.extend(compressed_words(row, reference));
    text.extend(bandwidth_words(row, reference));
    if let Some(Fidelity::Lost(losses)) = &row.fidelity {
        let first = &losses[0];
        let more = if losses.len() > 1 {
            format!(" and {} more", losses.len() - 1)
        } else {
            String::new()
        };
        text.push_str(&format!(" It is not exact: at {}, {}{more}.", first.path, first.lost));
    }
    text
}

fn size_words(row: &Row, reference: &Row) -> String {
    let (Some(size), Some(base)) = (row.size_bytes, reference.size_bytes) else {
        return "size unknown".to_owned();
    };
    let change = percent(size, base);
    match size.cmp(&base) {
        std::cmp::Ordering::Less => format!("{change} smaller than {}", reference.format),
        std::cmp::Ordering::Equal => format!("as large as {}", reference.format),
        std::cmp::Ordering::Greater => format!("{change} larger than {}", reference.format),
    }
}

/// By how much of `base` a size differs from it.
fn percent(size: u64, base: u64) -> String {
    let change = size.abs_diff(base) as f64 / base.max(1) as f64 * 100.0;
    if change < 1.0 { format!("{change:.1} %") } else { format!("{change:.0} %") }
}

fn time_words(what: &str, summary: Option<&Summary>, delta: f64) -> Option<String> {
    let summary = summary?;
    let (ratio, low, high) = (summary.ratio?, summary.ratio_low?, summary.ratio_high?);
    let times = number::significant;
    Some(match summary.verdict.as_deref()? {
        // Speed is the inverse of time, so the ends of the interval change places.
        "faster" => format!(
            "{what} {}x as fast ({}–{})",
            times(1.0 / ratio),
            times(1.0 / high),
            times(1.0 / low)
        ),
        "slower" => {
            format!("{what} takes {}x as long ({}–{})", times(ratio), times(low), times(high))
        }
        "same" => format!("{what} the same within {:.0} %", delta * 100.0),
        "inconclusive" => {
            let more = summary
                .more_launches
                .map(|more| format!(", about {more} more launches would settle it"));
            format!(
                "{what} inconclusive ({}–{} of the time{})",
                times(low),
                times(high),
                more.unwrap_or_default()
            )
        }
        _ => return None,
    })
}

/// What compression leaves of the saving, for the first coding, and what it does to the time.
fn compressed_words(row: &Row, reference: &Row) -> Option<String> {
    let (size, base) = (row.size_bytes?, reference.size_bytes?);
    let mut texts = Vec::new();
    for (coding, &coded) in &row.coded_bytes {
        let base_coded = *reference.coded_bytes.get(coding)?;
        let direction = if coded <= base_coded { "smaller" } else { "larger" };
        texts.push(format!("{} {direction} under {coding}", percent(coded, base_coded)));
    }
    let raw = if size <= base { "saving" } else { "excess" };
    let times = row.coded.iter().filter_map(|(coding, times)| {
        let compress = times.compress.as_ref().and_then(|summary| summary.ratio)?;
        let decompress = times.decompress.as_ref().and_then(|summary| summary.ratio)?;
        Some(format!(
            "with {coding}, both sides take {}x and {}x the time",
            number::significant(compress),
            number::significant(decompress)
        ))
    });
    texts.extend(times);
    (!texts.is_empty()).then(|| format!(" Compressed, the {raw} becomes {}.", texts.join(", ")))
}

/// Below which bandwidth the smaller of two formats wins although it costs more time.
fn bandwidth_words(row: &Row, reference: &Row) -> Option<String> {
    let time = |row: &Row| Some(row.encode.as_ref()?.ns? + row.decode.as_ref()?.ns?);
    let (mine, theirs) = (time(row)?, time(reference)?);
    let (size, base) = (row.size_bytes? as f64, reference.size_bytes? as f64);
    let (saved_bytes, extra_ns) =
        if size < base { (base - size, mine - theirs) } else { (size - base, theirs - mine) };
    if extra_ns <= 0.0 || saved_bytes == 0.0 {
        return None;
    }
    let (smaller, larger) = if size < base { (row, reference) } else { (reference, row) };
    let bits_per_second = 8.0 * saved_bytes / (extra_ns / 1e9);
    Some(format!(
        " Below {} the smaller {} wins over {} although it costs more time.",
        number::bandwidth(bits_per_second),
        smaller.format,
        larger.format
    ))
}

/// What the library changes, the format being the same.
fn library_verdict(row: &Row, ours: &Row) -> Option<String> {
    if row.status != "ok" {
        return Some(format!("{} with {} is out: {}.", row.format, row.library, row.status));
    }
    let against = |theirs: &Option<Summary>, ours: &Option<Summary>| {
        let ratio = theirs.as_ref()?.ns? / ours.as_ref()?.ns?;
        Some(number::significant(ratio))
    };
    let encode = against(&row.encode, &ours.encode)?;
    let decode = against(&row.decode, &ours.decode)?;
    Some(format!(
        "the library matters: {} with {} takes {encode}x to encode and {decode}x to decode what ours takes.",
        row.format, row.library
    ))
}

/// The smallest and the fastest, and for what that holds.
fn summary(group: &[&Row], reference: &Row, report: &Report) -> Option<String> {
    let ours = || group.iter().filter(|row| row.library == "manywire" && row.status == "ok");
    let smallest = ours().min_by_key(|row| row.size_bytes.unwrap_or(u64::MAX))?;
    let fastest = |time: fn(&Row) -> Option<f64>| {
        ours()
            .filter_map(|row| Some((time(row)?, &row.format)))
            .min_by(|left, right| left.0.total_cmp(&right.0))
    };
    let encode = fastest(|row| row.encode.as_ref()?.ns);
    let decode = fastest(|row| row.decode.as_ref()?.ns);
    let mut text = format!(
        "{}For dynamic values in Rust: {} is smallest",
        prefix(reference, report),
        smallest.format
    );
    match (encode, decode) {
        (Some((_, encode)), Some((_, decode))) if encode == decode => {
            text.push_str(&format!(", {encode} is fastest both ways"));
        }
        (Some((_, encode)), Some((_, decode))) => {
            text.push_str(&format!(", {encode} encodes fastest, {decode} decodes fastest"));
        }
        _ => {}
    }
    if encode.is_some() {
        text.push_str(&format!(
            "; δ is {} %, measuring stops at ±{} %",
            report.delta * 100.0,
            report.target_half_width * 100.0
        ));
    }
    Some(text + ".")
}
