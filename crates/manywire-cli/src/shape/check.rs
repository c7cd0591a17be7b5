//! `--check` and `--hold-out`: count the values that fit a shape, and show where the others do not.

use manywire_shape::infer::{Inference, is_held_out, is_held_out_of};
use manywire_tools::payload::{InputError, Schema};
use serde_json::{Value as Json, json};

use crate::exit::{CommandError, Exit, failed, usage};
use crate::{arguments, output};

use super::input::{ReadErrors, Samples};
use super::json::{document, position};
use super::misfits::MisfitReport;

/// Checks every payload against the shape.
pub(super) fn run(schema: &Schema, arguments: &arguments::Shape) -> Exit {
    let mut errors = ReadErrors::default();
    let how = super::input::input_options(arguments);
    // Formats that need a schema are read by the schema that they are checked against.
    let payloads = Samples::of(&arguments.check, how, Some(schema.clone()), &mut errors);
    let mut report = MisfitReport::new(arguments.misfits);
    payloads.each(&mut errors, &mut |form, file, item| {
        let index = report.checked;
        report.check(&schema.shape, form, file, item, index);
    });
    let all = report.checked > 0 && report.fitting == report.checked;
    let exit = errors.report().and(Exit::Failed.when(!all));
    if arguments.json {
        return exit.and(output::print(&check_json(&report, &errors)));
    }
    let payloads = if report.checked == 1 { "payload fits" } else { "payloads fit" };
    let (text, fitting, checked) = (report.text(), report.fitting, report.checked);
    exit.and(output::print(&format!("{text}{fitting} of {checked} {payloads}\n")))
}

fn check_json(report: &MisfitReport, errors: &ReadErrors) -> String {
    let unread = errors.listed.iter().map(|error: &InputError| {
        let mut members = position(error);
        members.insert("message".to_owned(), error.message.as_str().into());
        Json::Object(members)
    });
    let answer = json!({
        "checked": report.checked,
        "fitting": report.fitting,
        "misfits": report.json(|_, _| {}),
        "more_misfits": report.more,
        "unreadable": unread.collect::<Vec<_>>(),
        "more_unreadable": errors.more,
    });
    document("check", answer)
}

/// Reads the samples twice: to infer a shape from most of them, and to check the others against it.
pub(super) fn run_hold_out(
    samples: &Samples,
    mut errors: ReadErrors,
    named_max: usize,
    as_json: bool,
) -> Result<Exit, CommandError> {
    if !samples.are_repeatable() {
        return Err(usage("--hold-out reads the samples twice: write them to a file first"));
    }
    let (mut inference, mut count) = infer(samples, &mut errors, &is_held_out);
    let exit = errors.report();
    if count < 2 {
        return Err(failed(format!("--hold-out needs at least 2 samples, found {count}")));
    }
    let is_held_out_here = |index: u64| is_held_out_of(index, count);
    if (0..count.min(5)).any(|index| is_held_out_here(index) != is_held_out(index)) {
        // With fewer than five samples, the choice of held-out samples depends on their count.
        (inference, _) = infer(samples, &mut ReadErrors::default(), &is_held_out_here);
    }
    let shape = inference.shape();
    let mut report = MisfitReport::new(named_max);
    let mut index = 0;
    samples.each(&mut ReadErrors::default(), &mut |form, file, item| {
        if is_held_out_here(index) {
            report.check(&shape, form, file, item, index);
        }
        index += 1;
    });
    count = inference.samples();
    let text = if as_json { hold_out_json(count, &report) } else { hold_out_text(count, &report) };
    Ok(exit.and(output::print(&text)))
}

/// Infers from the samples that are not held out. Returns the inference and the count of all samples.
fn infer(
    samples: &Samples,
    errors: &mut ReadErrors,
    is_held_out_here: &dyn Fn(u64) -> bool,
) -> (Inference, u64) {
    let mut inference = Inference::new();
    let mut count = 0;
    samples.each(errors, &mut |_, _, item| {
        if !is_held_out_here(count) {
            inference.add(&item.value);
        }
        count += 1;
    });
    (inference, count)
}

fn hold_out_text(inferred_from: u64, report: &MisfitReport) -> String {
    let MisfitReport { checked, fitting, .. } = *report;
    let (low, high) = interval(fitting, checked);
    format!(
        "inferred from {inferred_from} samples; {fitting} of {checked} others fit: {:.0} % \
         (95 % interval {:.0} to {:.0} %)\n{}",
        100.0 * fitting as f64 / checked as f64,
        100.0 * low,
        100.0 * high,
        report.text()
    )
}

fn hold_out_json(inferred_from: u64, report: &MisfitReport) -> String {
    let (low, high) = interval(report.fitting, report.checked);
    let answer = json!({
        "inferred_from": inferred_from,
        "tried": report.checked,
        "fitting": report.fitting,
        "share_interval_95": [low, high],
        "misfits": report.json(|index, members| {
            members.insert("sample".to_owned(), index.into());
        }),
        "more_misfits": report.more,
    });
    document("hold_out", answer)
}

/// Returns the Wilson score interval of a share at 95 %, which is valid even if all or none fit, and
/// for few samples.
fn interval(fitting: u64, tried: u64) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    let n = tried as f64;
    let share = fitting as f64 / n;
    let scale = 1.0 + Z * Z / n;
    let middle = (share + Z * Z / (2.0 * n)) / scale;
    let reach = Z / scale * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    ((middle - reach).max(0.0), (middle + reach).min(1.0))
}
