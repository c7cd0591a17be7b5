//! `manywire replay`: repeats published evaluations, and writes their records and the page about them.
//!
//! The command runs in a checkout, because the examples, the records and the page are there.

use std::fs;
use std::path::Path;

use manywire_tools::replay::{
    self, EVALUATIONS, Evaluation, Record, ReplayError, ReplayOptions, newest_records,
};
use manywire_tools::weigh::Progress;

use crate::arguments::Replay;
use crate::exit::{CommandError, Exit, failed, usage};
use crate::output::{self, ProgressLine};
use crate::signals::{INTERRUPTED, catch_interrupts};

/// The folder of the example documents.
const EXAMPLES: &str = "examples";

/// The folder of all records.
const RECORDS: &str = "benches/records";

/// The file of the page about all evaluations.
const PAGE: &str = "docs/origins.md";

/// Measures evaluations, unless only the page is requested, and writes the page.
pub(crate) fn run(arguments: &Replay) -> Exit {
    Exit::of(replay(arguments))
}

fn replay(arguments: &Replay) -> Result<Exit, CommandError> {
    let evaluations = select(&arguments.evaluations)?;
    if arguments.launches == 0 {
        return Err(usage("--launches: expected at least 1"));
    }
    for path in [EXAMPLES, RECORDS] {
        if !Path::new(path).is_dir() {
            let message =
                "there is no such folder here: run `manywire replay` in a checkout of Manywire";
            return Err(failed(format!("{path}: {message}")));
        }
    }
    catch_interrupts();
    let lanes = crate::lanes::folder();
    let options = ReplayOptions {
        examples: &fs::canonicalize(EXAMPLES)
            .map_err(|error| failed(format!("{EXAMPLES}: {error}")))?,
        lanes: lanes.as_deref(),
        launches: arguments.launches,
    };
    let mut exit = Exit::Done;
    for evaluation in evaluations {
        let mut line = ProgressLine::new();
        let outcome = replay::replay(evaluation, &options, &mut line, &INTERRUPTED);
        line.finish();
        match outcome {
            Ok(outcome) => {
                exit = exit.and(write_record(&outcome.record)?);
                exit = exit.and(Exit::Broken.when(outcome.broken));
            }
            Err(error) => {
                // The record and the page of other evaluations stay as they are.
                eprintln!("{}: not measured: {error}", evaluation.name);
                exit = exit.and(match error {
                    ReplayError::Interrupted => return Ok(Exit::Interrupted),
                    ReplayError::Lanes(_) => Exit::Missing,
                    ReplayError::Example(..) | ReplayError::Select(_) | ReplayError::Input(_) => {
                        Exit::Failed
                    }
                    ReplayError::Program(..) | ReplayError::Figure(..) | ReplayError::Trial(_) => {
                        Exit::Broken
                    }
                });
            }
        }
    }
    let records = newest_records(Path::new(RECORDS)).map_err(failed)?;
    Ok(exit.and(output::write(Path::new(PAGE), &replay::page(&records))))
}

/// Returns the evaluations that the arguments name, in the order of the page.
fn select(names: &[String]) -> Result<Vec<&'static Evaluation>, CommandError> {
    let known = || EVALUATIONS.iter().map(|evaluation| evaluation.name).collect::<Vec<_>>();
    if let Some(name) =
        names.iter().find(|name| *name != "all" && !known().contains(&name.as_str()))
    {
        let known = known().join(", ");
        return Err(usage(format!("{name:?}: unknown evaluation, expected {known} or all")));
    }
    let wanted = |evaluation: &&Evaluation| {
        names.iter().any(|name| name == "all" || name == evaluation.name)
    };
    Ok(EVALUATIONS.iter().filter(wanted).collect())
}

/// Writes a record below the folder of all records.
fn write_record(record: &Record) -> Result<Exit, CommandError> {
    let path = Path::new(RECORDS).join(record.path());
    let folder = path.parent().unwrap_or(Path::new(RECORDS));
    let unusable = |error: std::io::Error| failed(format!("{}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(unusable)?;
    let readme = folder.join("README.md");
    let mut exit = Exit::Done;
    if !readme.exists() {
        exit = exit.and(output::write(&readme, &replay::readme(&record.date)));
    }
    let text = serde_json::to_string_pretty(record).map_err(failed)?;
    println!("{}", path.display());
    Ok(exit.and(output::write(&path, &(text + "\n"))))
}
