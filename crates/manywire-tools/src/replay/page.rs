//! Writes the page of all evaluations from their records.

use std::fmt::Write;

use super::evaluation::{Evaluation, Measurement, Published, Unit};
use super::finding;
use super::record::{Measured, Record, Recorded};
use super::table::EVALUATIONS;
use crate::weigh::contention::load_text;
use crate::weigh::host::BUSY_LOAD;
use crate::weigh::report::{Clock, number};

/// Returns the page as Markdown. An evaluation without a record says so.
pub fn page(records: &[Record]) -> String {
    let mut text = INTRODUCTION.to_owned();
    text.push_str("\n| evaluation | published | command |\n|---|---|---|\n");
    for evaluation in EVALUATIONS {
        let Evaluation { name, title, address, year, .. } = evaluation;
        line(&mut text, &format!("| [{title}]({address}) | {year} | `manywire replay {name}` |"));
    }
    for evaluation in EVALUATIONS {
        let record = records.iter().find(|record| record.evaluation == evaluation.name);
        part(&mut text, evaluation, record);
    }
    text
}

const INTRODUCTION: &str = "# Origins

Manywire grew out of four evaluations that people wrote by hand. Each can be run again with one command, as far as its systems can still be had, next to what a team would use now:

```text
manywire replay haskell          # one of them
manywire replay all              # all four: less than 20 minutes, once the lanes are built
manywire replay all --launches 10   # ten launches of each program and pair instead of five
manywire replay --page-only      # this page, from the records alone
```

The commands run in a checkout. They write a record with the estimate of each launch below `benches/records`, and then this page: `manywire replay` writes all of it, and every figure of this machine on it comes from a record. `manywire lanes` says what the lanes need.

A time is the geometric mean of its launches with a 95 % interval. The last column compares a figure with its reference, launch by launch. A finding *stands* if the whole interval is on the same side as then, *does not stand* if it is on the other, and is *undecided* otherwise. Below each table are the systems behind its figures; a library on *typed* values has types of the document, and one on *dynamic* values takes any.
";

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn part(text: &mut String, evaluation: &Evaluation, record: Option<&Record>) {
    let Evaluation { name, title, year, system, about, differences, .. } = evaluation;
    line(text, &format!("\n## {title}, {year}\n\n{about}\n\nThen: {system}.\n"));
    for difference in *differences {
        line(text, &format!("- {difference}"));
    }
    let Some(record) = record else {
        let words = format!("\nNot recorded yet: `manywire replay {name}` measures it.");
        return line(text, &words);
    };
    line(text, &format!("\n{}\n", circumstances(record)));
    line(text, &format!("| | | then, {year} | the same versions | today | the finding |"));
    line(text, "|---|---|--:|--:|--:|---|");
    for (measurement, published) in evaluation.rows() {
        row(text, measurement, published, record);
    }
    for (heading, systems) in [
        ("The same versions", systems(record, |figure| &figure.same)),
        ("Today", systems(record, |figure| &figure.today)),
    ] {
        if !systems.is_empty() {
            line(text, &format!("\n{heading}: {}.", systems.join("; ")));
        }
    }
}

/// Describes the machine, its load, and the number of launches.
fn circumstances(record: &Record) -> String {
    let Record { date, host, launches, tool, clock, notes, .. } = record;
    let cpu = host.cpu.as_deref().unwrap_or("a processor that is not known");
    let cores = host.cores.map_or_else(String::new, |cores| format!(", {cores} cores"));
    let load = match host.load {
        Some(load) => {
            let busy = host.cores.is_some_and(|cores| load >= BUSY_LOAD * cores as f64);
            let words = match (busy, clock) {
                (false, _) => "",
                (true, Clock::Wall) => ": times include waiting for them",
                (true, Clock::Cpu) => ": the machine was busy, so times of programs are CPU time",
            };
            format!("load {} of other programs{words}", load_text(load))
        }
        None => "unknown load".to_owned(),
    };
    let mut text = format!(
        "Recorded {date} by manywire {}, {launches} launches, on {cpu}{cores}, {load}.",
        tool.version
    );
    for note in notes {
        write!(text, " {note}.").expect("writing to a string");
    }
    text
}

fn row(text: &mut String, measurement: &Measurement, published: &Published, record: &Record) {
    let Measurement { measured, unit, .. } = measurement;
    let Published { subject, value, .. } = published;
    let then = value.map_or_else(String::new, |value| show(*unit, value));
    let recorded = record.figure(measured, subject);
    let same = recorded.map_or_else(String::new, |figure| cell(*unit, &figure.same));
    let today = recorded.map_or_else(String::new, |figure| cell(*unit, &figure.today));
    let words = finding::words(measurement, published, record);
    line(text, &format!("| {measured} | {subject} | {then} | {same} | {today} | {words} |"));
}

fn cell(unit: Unit, recorded: &Recorded) -> String {
    match recorded {
        Recorded::Missing { missing } => format!("n/a: {missing}"),
        Recorded::Measured(Measured { value, low, high, .. }) => {
            let text = show(unit, *value);
            match (low, high) {
                (Some(low), Some(high)) if low < high => {
                    finding::with_interval(&text, *low, *high, |end| show(unit, end))
                }
                _ => text,
            }
        }
    }
}

fn show(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Time => number::time(value),
        Unit::Size | Unit::Allocated => format!("{} bytes", number::count(value.round() as u64)),
        Unit::Ratio => number::significant(value),
    }
}

/// Returns the systems of one column, in order, each once.
fn systems(record: &Record, column: fn(&super::record::RecordedFigure) -> &Recorded) -> Vec<&str> {
    let mut systems: Vec<&str> = Vec::new();
    for figure in &record.figures {
        if let Recorded::Measured(measured) = column(figure)
            && !systems.contains(&measured.system.as_str())
        {
            systems.push(&measured.system);
        }
    }
    systems
}
