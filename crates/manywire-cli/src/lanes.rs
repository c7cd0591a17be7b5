//! `manywire lanes`: lists, builds, cleans and checks the languages to measure in.

use std::env;
use std::path::PathBuf;
use std::slice;

use manywire_tools::weigh::Progress;
use manywire_tools::weigh::lanes::{
    self, Lane, LaneInput, LaneStatus, Readiness, RemovedBuilds, Selection, SkipReason, ToolStatus,
};

use crate::arguments::{Lanes, LanesCheck, LanesCommand};
use crate::exit::{CommandError, Exit, failed, usage};
use crate::input::{self, InputOptions, LoadedPayloads, report_errors, schema_text};
use crate::output::{self, ProgressLine};
use crate::signals::{INTERRUPTED, catch_interrupts, is_interrupted};

/// Runs a subcommand of `lanes`, or lists the lanes.
pub(crate) fn run(arguments: &Lanes) -> Exit {
    Exit::of(match &arguments.command {
        Some(LanesCommand::Build { names }) => build(names),
        Some(LanesCommand::Clean { all }) => clean(*all),
        Some(LanesCommand::Check(arguments)) => check(arguments),
        None => lanes::all(folder().as_deref())
            .map(|lanes| output::print(&if arguments.json { json(&lanes) } else { text(&lanes) }))
            .map_err(failed),
    })
}

/// Returns the folder of lanes in the environment variable `MANYWIRE_LANES`, which replaces the
/// built-in lanes while a lane is developed.
pub(crate) fn folder() -> Option<PathBuf> {
    env::var_os("MANYWIRE_LANES").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

fn build(names: &[String]) -> Result<Exit, CommandError> {
    catch_interrupts();
    let selection = match names {
        [] => Selection::All,
        names => names.join(",").parse().map_err(usage)?,
    };
    let mut line = ProgressLine::new();
    let lane_set =
        lanes::prepare_lanes(&selection, folder().as_deref(), &[], &mut line, &INTERRUPTED)
            .map_err(usage)?;
    line.finish();
    let mut text = String::new();
    for lane in lane_set.names() {
        text += &format!("{lane}: built\n");
    }
    let mut failed = false;
    for (lane, reason) in lane_set.skipped() {
        failed |= matches!(reason, SkipReason::Build(error) if !error.is_interrupt());
        text += &format!("{lane}: skipped: {reason}\n");
    }
    let interrupted = Exit::Interrupted.when(is_interrupted());
    let exit = Exit::Missing.when(lane_set.missing || failed);
    Ok(output::print(&text).and(exit).and(interrupted))
}

fn clean(all: bool) -> Result<Exit, CommandError> {
    // `--all` does not read the lanes, so that it works even if their sources are invalid.
    let lanes = match all {
        true => Vec::new(),
        false => lanes::all(folder().as_deref()).map_err(failed)?,
    };
    let RemovedBuilds { builds, bytes } = lanes::clean(&lanes, all).map_err(failed)?;
    let what = if builds == 1 { "build" } else { "builds" };
    Ok(output::print(&format!("{builds} {what} removed, {} MB\n", bytes.div_ceil(1 << 20))))
}

/// Checks that every library reads what every other wrote, and prints the pairs that disagree.
fn check(arguments: &LanesCheck) -> Result<Exit, CommandError> {
    let LanesCheck { inputs, from, web, recording, lanes: selection, schema, reading, verbose } =
        arguments;
    input::check_form(*from, schema.is_some())?;
    let selection = selection.parse().map_err(|error| usage(format!("--lanes {error}")))?;
    let schema = schema_text(schema.as_deref(), reading)?;
    catch_interrupts();
    let options = InputOptions { from: *from, web, recording };
    let LoadedPayloads { payloads, errors, schema } =
        input::load_payloads(inputs, options, schema.as_ref())?;
    report_errors(&errors);
    if payloads.is_empty() {
        return Ok(Exit::Failed);
    }
    let lane_input = LaneInput::every(&payloads, schema.as_ref()).map_err(failed)?;
    let mut line = ProgressLine::new();
    let folder = folder();
    let lane_set = lanes::prepare_lanes(
        &selection,
        folder.as_deref(),
        slice::from_ref(&lane_input),
        &mut line,
        &INTERRUPTED,
    );
    let lane_set = lane_set.map_err(usage)?;
    let found = lanes::check(lane_set.of(0), &payloads, &lane_input, &mut line, &INTERRUPTED);
    line.finish();
    // The only error is an interrupt.
    let found = found.map_err(|error| (Exit::Interrupted, error.to_string()))?;
    for (lane, reason) in lane_set.skipped() {
        eprintln!("lane {lane} skipped: {reason}");
    }
    let mut text = String::new();
    for agreement in found.formats.iter().filter(|agreement| agreement.readers > 0) {
        text += &format!(
            "{}: {} of {} pairs agree ({} wrote, {} read)\n",
            agreement.format,
            agreement.agreed,
            agreement.writers * agreement.readers,
            agreement.writers,
            agreement.readers
        );
    }
    for (format, reason) in &found.unsuitable {
        text += &format!("{format}: not checked: {reason}\n");
    }
    for failure in &found.failures {
        text += &if *verbose { format!("  {failure:#}\n") } else { format!("  {failure}\n") };
    }
    for stale in &found.stale {
        text += &format!("  {stale} in failing.txt, but it passes: remove the line\n");
    }
    for passing in &found.passing {
        text += &format!("  {passing} in failing.txt, but it passes with these payloads\n");
    }
    let exit = Exit::Failed
        .when(!errors.is_empty())
        .and(Exit::Broken.when(!found.passed()))
        .and(Exit::Missing.when(lane_set.missing))
        .and(Exit::Interrupted.when(is_interrupted()));
    Ok(output::print(&text).and(exit))
}

fn text(lanes: &[Lane]) -> String {
    let mut text = String::new();
    for (lane, LaneStatus { tools, readiness }) in lanes.iter().zip(lanes::lane_statuses(lanes)) {
        let state = match readiness {
            Readiness::Ready => "ready".to_owned(),
            Readiness::Buildable => {
                let first_use = match lane.manifest().by_name {
                    true => format!("`--lanes {}`; `all` includes it from then on", lane.name()),
                    false => "the first use".to_owned(),
                };
                format!("not built yet: `manywire lanes build {}`, or {first_use}", lane.name())
            }
            Readiness::Missing(_) => "missing".to_owned(),
        };
        text += &format!("{} ({}): {state}\n", lane.name(), lane.title());
        for (program, found) in tools {
            let line = match found {
                ToolStatus::Ready(version) => match version.package {
                    Some(_) => format!("{program} ({version})"),
                    None => format!("{program} {version}"),
                },
                ToolStatus::Missing(why) => format!("missing: {why}"),
            };
            text += &format!("  {line}\n");
        }
        let mut libraries: Vec<&str> = Vec::new();
        for entry in &lane.manifest().subject {
            if !libraries.contains(&entry.library.as_str()) {
                libraries.push(&entry.library);
            }
        }
        text += &format!("  weighs {}\n", libraries.join(", "));
        let servers = lane.server_names();
        if !servers.is_empty() {
            text += &format!("  also serves as {}\n", servers.join(", "));
        }
    }
    text
}

fn json(lanes: &[Lane]) -> String {
    let lanes = lanes.iter().zip(lanes::lane_statuses(lanes));
    let lanes: Vec<serde_json::Value> =
        lanes.map(|(lane, status)| describe(lane, status)).collect();
    format!("{:#}\n", serde_json::json!({ "schema": "manywire.lanes/1", "lanes": lanes }))
}

fn describe(lane: &Lane, LaneStatus { tools, readiness }: LaneStatus) -> serde_json::Value {
    let state = match readiness {
        Readiness::Ready => "ready",
        Readiness::Buildable => "buildable",
        Readiness::Missing(_) => "missing",
    };
    let tools: Vec<serde_json::Value> = tools
        .into_iter()
        .map(|(program, found)| {
            let (version, missing) = match found {
                ToolStatus::Ready(version) => (Some(version.number), None),
                ToolStatus::Missing(why) => (None, Some(why)),
            };
            serde_json::json!({ "program": program, "version": version, "missing": missing })
        })
        .collect();
    let subjects: Vec<serde_json::Value> = lane
        .subjects()
        .into_iter()
        .map(|subject| {
            serde_json::json!({
                "library": subject.library,
                "format": subject.format.name(),
                "target": subject.target.name(),
                "buffer": subject.buffer,
                "operations": ["encode", "decode"],
                "reference": subject.reference,
            })
        })
        .collect();
    let failing: Vec<serde_json::Value> = lane
        .known_failures()
        .iter()
        .map(|known| {
            serde_json::json!({
                "library": known.library,
                "format": known.format.map(|format| format.name()),
                "target": known.target.map(|target| target.name()),
                "missing": known.missing,
                "reading": known.writer,
                "reason": known.reason,
            })
        })
        .collect();
    serde_json::json!({
        "name": lane.name(),
        "title": lane.title(),
        "state": state,
        "fingerprint": lane.fingerprint(),
        "toolchain": tools,
        "subjects": subjects,
        "servers": lane.server_names(),
        "failing": failing,
    })
}
