use super::{ratio, samples};
use crate::weigh::report::number::significant;
use crate::weigh::report::{Report, Row, Summary};

/// What the library changes, the format being the same.
pub(super) fn words(row: &Row, ours: &Row, report: &Report) -> Option<String> {
    if row.status != "ok" {
        return Some(format!("{} with {} is out: {}.", row.format, row.library, row.status));
    }
    let encode = time_words("to encode", row.encode.as_ref(), ours.encode.as_ref(), report)?;
    let decode = time_words("to decode", row.decode.as_ref(), ours.decode.as_ref(), report)?;
    Some(format!(
        "{} with {} instead of manywire takes {encode} and {decode}.",
        row.format, row.library
    ))
}

fn time_words(
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
