//! `--check` and `--hold-out`: whether values fit a shape, and where not.

use manywire_shape::infer::{Inference, is_held_out, is_held_out_of};
use manywire_tools::payload::{InputError, Schema};
use serde_json::{Value as Json, json};

use crate::exit::{Exit, Refusal};
use crate::{arguments, output};

use super::input::{Complaints, Samples};
use super::json::{document, place};
use super::misfits::Found;
use super::text::Known;

/// Tries every payload against the shape.
pub(super) fn run(known: &Known, arguments: &arguments::Shape) -> Exit {
    let mut complaints = Complaints::default();
    // What the bytes do not say is read by the schema that they are checked against.
    let schema = Schema { shape: known.shape.clone(), language: known.language.clone() };
    let how = super::input::how(arguments);
    let payloads = Samples::of(&arguments.check, how, Some(schema), &mut complaints);
    let mut found = Found::new(arguments.misfits);
    payloads.each(&mut complaints, &mut |form, file, item| {
        let index = found.checked;
        found.check(&known.shape, form, file, item, index);
    });
    let all = found.checked > 0 && found.fitting == found.checked;
    let exit = complaints.tell().and(if all { Exit::Done } else { Exit::Failed });
    if arguments.json {
        return exit.and(output::print(&as_json(&found, &complaints)));
    }
    let payloads = if found.checked == 1 { "payload fits" } else { "payloads fit" };
    let (text, fitting, checked) = (found.text(), found.fitting, found.checked);
    exit.and(output::print(&format!("{text}{fitting} of {checked} {payloads}\n")))
}

fn as_json(found: &Found, complaints: &Complaints) -> String {
    let unread = complaints.named.iter().map(|error: &InputError| {
        let mut members = place(error);
        members.insert("message".to_owned(), error.message.as_str().into());
        Json::Object(members)
    });
    let answer = json!({
        "checked": found.checked,
        "fitting": found.fitting,
        "misfits": found.json(|_, _| {}),
        "more_misfits": found.more,
        "unreadable": unread.collect::<Vec<_>>(),
        "more_unreadable": complaints.more,
    });
    document("check", answer)
}

/// Reads the samples twice: to infer from most of them, and to try the others.
pub(super) fn run_held_out(
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
