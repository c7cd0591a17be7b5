//! `--hold-out`: how well the shape of most samples fits the others.

use manywire_shape::infer::{Inference, is_held_out, is_held_out_of};
use serde_json::json;

use super::document;
use super::misfits::Found;
use super::samples::{Complaints, Samples};
use crate::exit::{Exit, Refusal};
use crate::output;

/// Reads the samples twice: to infer from most of them, and to try the others.
pub(super) fn run(
    samples: &Samples,
    mut complaints: Complaints,
    named_max: usize,
    as_json: bool,
) -> Result<Exit, Refusal> {
    if !samples.are_repeatable() {
        let message = "--hold-out reads the samples twice: write them to a file first";
        return Err((Exit::Usage, message.to_owned()));
    }
    let (mut kept, mut count) = infer(samples, &mut complaints, &is_held_out);
    let exit = complaints.tell();
    if count < 2 {
        let message = format!("--hold-out needs at least 2 samples, found {count}");
        return Err((Exit::Failed, message));
    }
    let held = |index: u64| is_held_out_of(index, count);
    if (0..count.min(5)).any(|index| held(index) != is_held_out(index)) {
        // Of so few, another one is held out.
        (kept, _) = infer(samples, &mut Complaints::default(), &held);
    }
    let shape = kept.shape();
    let mut found = Found::new(named_max);
    let mut index = 0;
    samples.each(&mut Complaints::default(), &mut |form, file, item| {
        if held(index) {
            found.check(&shape, form, file, item, index);
        }
        index += 1;
    });
    count = kept.samples();
    let text = if as_json { json_text(count, &found) } else { words(count, &found) };
    Ok(exit.and(output::print(&text)))
}

/// What the samples have in common that are not held out, and how many there are in all.
fn infer(
    samples: &Samples,
    complaints: &mut Complaints,
    held: &dyn Fn(u64) -> bool,
) -> (Inference, u64) {
    let mut inference = Inference::new();
    let mut count = 0;
    samples.each(complaints, &mut |_, _, item| {
        if !held(count) {
            inference.add(&item.value);
        }
        count += 1;
    });
    (inference, count)
}

fn words(inferred_from: u64, found: &Found) -> String {
    let Found { checked, fitting, .. } = *found;
    let (low, high) = interval(fitting, checked);
    format!(
        "inferred from {inferred_from} samples; {fitting} of {checked} others fit: {:.0} % \
         (95 % interval {:.0} to {:.0} %)\n{}",
        100.0 * fitting as f64 / checked as f64,
        100.0 * low,
        100.0 * high,
        found.text()
    )
}

fn json_text(inferred_from: u64, found: &Found) -> String {
    let (low, high) = interval(found.fitting, found.checked);
    let answer = json!({
        "inferred_from": inferred_from,
        "tried": found.checked,
        "fitting": found.fitting,
        "share_interval_95": [low, high],
        "misfits": found.json(|index, members| {
            members.insert("sample".to_owned(), index.into());
        }),
        "more_misfits": found.more,
    });
    document("hold_out", answer)
}

/// Wilson's interval for a share, at 95 %: honest where all or none fit, and for few samples.
fn interval(fitting: u64, tried: u64) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    let n = tried as f64;
    let share = fitting as f64 / n;
    let scale = 1.0 + Z * Z / n;
    let middle = (share + Z * Z / (2.0 * n)) / scale;
    let reach = Z / scale * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    ((middle - reach).max(0.0), (middle + reach).min(1.0))
}
