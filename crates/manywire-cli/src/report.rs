//! `manywire report`: writes the HTML page of a report that `weigh --json` or `trial --json` wrote earlier.

use std::fs;
use std::path::Path;

use manywire_tools::page;
use manywire_tools::trial::report as trial;
use manywire_tools::weigh::report::{self as weigh, ReadReportError, schema_of};

use crate::arguments::ReportPage;
use crate::exit::{CommandError, Exit, failed, usage};
use crate::output;
use crate::weigh::{check_complete, parse_report};

/// Reads one report or two, and writes the page of the last.
pub(crate) fn run(arguments: &ReportPage) -> Exit {
    Exit::of(write(arguments))
}

fn write(arguments: &ReportPage) -> Result<Exit, CommandError> {
    let reports = arguments.reports.iter().map(|path| read(path));
    let reports = reports.collect::<Result<Vec<_>, CommandError>>()?;
    let text = match reports.as_slice() {
        [(_, AnyReport::Weigh(only))] => page::weigh_page(only, None),
        [(_, AnyReport::Trial(only))] => page::trial_page(only),
        [(file, AnyReport::Weigh(earlier)), (_, AnyReport::Weigh(later)), ..] => {
            page::weigh_page(later, Some((file, earlier)))
        }
        [] => return Ok(Exit::Usage),
        _ => return Err(usage("two reports of `weigh` can be compared, not those of `trial`")),
    };
    Ok(output::write(&arguments.output, &text))
}

/// A report of one of the commands that measure.
enum AnyReport {
    Weigh(Box<weigh::Report>),
    Trial(Box<trial::Report>),
}

/// Reads a report. Returns the name of the file and the report.
fn read(path: &Path) -> Result<(String, AnyReport), CommandError> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|error| failed(format!("{name}: {error}")))?;
    let unreadable = |error: ReadReportError| failed(format!("{name}: {error}"));
    let report = if schema_of(&text).map_err(unreadable)? == trial::SCHEMA {
        let report = serde_json::from_str(&text).map_err(ReadReportError::Malformed);
        let report: Box<trial::Report> = report.map_err(unreadable)?;
        check_complete(&name, report.interruption())?;
        AnyReport::Trial(report)
    } else {
        AnyReport::Weigh(Box::new(parse_report(&name, &text)?))
    };
    Ok((name, report))
}
