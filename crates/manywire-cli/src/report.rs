//! `manywire report`: writes the HTML page of a report that `weigh --json` wrote earlier.

use manywire_tools::page;

use crate::arguments::ReportPage;
use crate::exit::{CommandError, Exit};
use crate::output;
use crate::weigh::read_report;

/// Reads one report or two, and writes the page of the last.
pub(crate) fn run(arguments: &ReportPage) -> Exit {
    Exit::of(write(arguments))
}

fn write(arguments: &ReportPage) -> Result<Exit, CommandError> {
    let reports = arguments.reports.iter().map(|path| read_report(path));
    let reports = reports.collect::<Result<Vec<_>, CommandError>>()?;
    let text = match reports.as_slice() {
        [(_, only)] => page::weigh_page(only, None),
        [(file, earlier), (_, later), ..] => page::weigh_page(later, Some((file, earlier))),
        [] => return Ok(Exit::Usage),
    };
    Ok(output::write(&arguments.output, &text))
}
