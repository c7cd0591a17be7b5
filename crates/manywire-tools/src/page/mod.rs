//! A report as one HTML file: it opens from disk, loads nothing, and prints.
//!
//! [`weigh_page`] writes the page of a `weigh` report. Its first screen answers which format to
//! choose for each need (`decision`); below are charts, the table of all rows, a cost model to
//! play with, and what changed since an earlier report. [`trial_page`] writes the page of a `trial`
//! report: the same for each client and server, and what the time of a request is made of. `parts` has
//! what both pages share.
//!
//! Charts are SVG, drawn here and not in the browser: they show without scripts, print sharply,
//! and a test can read them. The script (`page.js`) only switches charts, sorts and filters the
//! table, and recomputes the cost model, whose formulas are those of
//! [`trial::cost`](crate::trial::cost). The page carries a Content-Security-Policy that allows
//! this one script and this one style sheet, by their hashes, and no connection; every text that
//! comes from a report is escaped.

mod chart;
mod decision;
mod html;
mod model;
mod parts;
mod trial;
mod weigh;

use crate::trial::report::Report as TrialReport;
use crate::weigh::baseline;
use crate::weigh::report::Report;

use html::{Text, source_hash};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Returns the page of a report. `earlier` is the file name and the content of an earlier report to
/// compare with. Without it, the page shows the comparison that the report contains, if there is
/// one.
pub fn weigh_page(report: &Report, earlier: Option<(&str, &Report)>) -> String {
    let changes = earlier.map(|(file, earlier)| baseline::compare(file, earlier, report));
    let body = [
        weigh::head(report),
        weigh::answer(report),
        weigh::changes(changes.as_ref().or(report.baseline.as_ref())),
        weigh::size_against_time(report),
        weigh::fields(report),
        weigh::launches(report),
        weigh::sweeps(report),
        weigh::payload_comparisons(report),
        weigh::cost_model(report),
        weigh::rows(report),
        weigh::conditions(report),
    ];
    document(&weigh::title(report), &body.concat())
}

/// Returns the page of a report of `trial`.
pub fn trial_page(report: &TrialReport) -> String {
    let body = [
        trial::head(report),
        trial::answer(report),
        trial::parts_of_a_request(report),
        trial::size_against_time(report),
        trial::launches(report),
        trial::servers(report),
        trial::transports(report),
        trial::cost_model(report),
        trial::table(report),
        trial::conditions(report),
    ];
    document(&trial::title(report), &body.concat())
}

/// Returns a whole document, with the style sheet and the script, and a policy that allows only them.
fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n\
         <script>{SCRIPT}</script>\n</body>\n</html>\n",
        source_hash(STYLE),
        source_hash(SCRIPT),
        Text(title),
    )
}
