//! `--compat`: compares two versions of a schema, and shows which readers the change breaks.

use std::path::Path;

use manywire_schema::compat::{Report, compare};
use serde_json::{Value as Json, json};

use super::input;
use super::json::document;
use crate::arguments;
use crate::exit::{CommandError, Exit, usage};
use crate::output;

/// Compares two schemas. The exit is a failure if the change breaks any reader.
pub(super) fn run(
    old: &Path,
    new: &Path,
    arguments: &arguments::Shape,
) -> Result<Exit, CommandError> {
    let old = input::schema(old, arguments)?;
    let new = input::schema(new, arguments)?;
    let report = compare(&old, &new).map_err(usage)?;
    let exit = Exit::Failed.when(!(report.backward() && report.forward()));
    let text = if arguments.json { as_json(&report) } else { table(&report) };
    Ok(exit.and(output::print(&text)))
}

/// Formats one line per change, and the two verdicts.
fn table(report: &Report) -> String {
    let verdict = |compatible: bool| if compatible { "ok" } else { "BREAKS" };
    let mut text = String::new();
    if !report.changes.is_empty() {
        text.push_str("backward  forward  change\n");
    }
    for change in &report.changes {
        let (backward, forward) = (verdict(change.backward), verdict(change.forward));
        let line = format!("{backward:8}  {forward:7}  {}: {}", change.path, change.message);
        text.extend(line.chars().map(|c| if c.is_control() { '·' } else { c }));
        text.push('\n');
    }
    let yes_or_no = |compatible: bool| if compatible { "yes" } else { "no" };
    text.push_str(&format!(
        "backward: {} (the new schema reads data of the old one)\n\
         forward: {} (the old schema reads data of the new one)\n",
        yes_or_no(report.backward()),
        yes_or_no(report.forward())
    ));
    text
}

fn as_json(report: &Report) -> String {
    let changes = report.changes.iter().map(|change| {
        json!({
            "path": change.path,
            "message": change.message,
            "backward": change.backward,
            "forward": change.forward,
        })
    });
    let changes: Vec<Json> = changes.collect();
    let answer =
        json!({ "backward": report.backward(), "forward": report.forward(), "changes": changes });
    document("compat", answer)
}
