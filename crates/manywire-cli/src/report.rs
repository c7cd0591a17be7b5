//! `manywire report`: writes the HTML page of a report that `weigh --json` or `trial --json` wrote earlier.

use std::fs;
use std::path::Path;

use manywire_tools::page;
use manywire_tools::trial::report as trial;
use manywire_tools::weigh::report::{ReadReportError, schema_of};

use crate::arguments::ReportPage;
use crate::exit::{CommandError, Exit, failed, usage};
use crate::output;
use crate::weigh::read_report;

/// Reads one report or two, and writes the page of the last.
pub(crate) fn run(arguments: &ReportPage) -> Exit {
    Exit::of(write(arguments))
}

fn write(arguments: &ReportPage) -> Result<Exit, CommandError> {
    let text = match arguments.reports.as_slice() {
        [only] => match read_trial(only)? {
            Some(report) => page::trial_page(&report),
            None => page::weigh_page(&read_report(only)?.1, None),
        },
        [earlier, later, ..] => {
            if read_trial(earlier)?.is_some() || read_trial(later)?.is_some() {
                return Err(usage("two reports of `weigh` can be compared, not those of `trial`"));
            }
            let ((file, earlier), (_, later)) = (read_report(earlier)?, read_report(later)?);
            page::weigh_page(&later, Some((&file, &earlier)))
        }
        [] => return Ok(Exit::Usage),
    };
    Ok(output::write(&arguments.output, &text))
}

/// Reads a report of `trial`; `None` if the file has one of another command.
fn read_trial(path: &Path) -> Result<Option<trial::Report>, CommandError> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| failed(format!("{name}: {error}")))?;
    let unreadable = |error: ReadReportError| failed(format!("{name}: {error}"));
    if schema_of(&text).map_err(unreadable)? != trial::SCHEMA {
        return Ok(None);
    }
    let report = serde_json::from_str(&text).map_err(ReadReportError::Malformed);
    report.map(Some).map_err(unreadable)
}
