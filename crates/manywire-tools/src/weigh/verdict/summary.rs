use super::format::percent;
use super::{list, ours, ratio, samples};
use crate::weigh::report::{Report, Row, Summary};

/// The smallest and the fastest, and for what that holds.
///
/// Formats that cannot be told from the fastest by more than δ share the place with it.
pub(super) fn words(group: &[&Row], report: &Report) -> Option<String> {
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

/// The format of the least time, and those not clearly slower than it by more than δ.
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
