//! Reads reports that `weigh --json` wrote, those of `manywire.weigh/1` included.
//!
//! A report of `manywire.weigh/1` could have rows of the built-in lane and rows of a lane `rust`
//! under the same name, and `in_lane` distinguished them. Such a report is converted to the current
//! schema: the rows of the lane replace those of the built-in lane.

use std::fmt;

use serde_json::{Value, json};

use super::{BUILT_IN_LANE, Reference, Report, Row, RowVerdict, SCHEMA};

/// The earlier schema, in which a lane `rust` did not replace the built-in lane.
const SCHEMA_1: &str = "manywire.weigh/1";

/// The error for a text that is not a report.
#[derive(Debug)]
pub enum ReadReportError {
    /// The text is not JSON, or lacks members of a report.
    Malformed(serde_json::Error),
    /// The text names another schema.
    Schema(String),
}

impl fmt::Display for ReadReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadReportError::Malformed(error) => {
                write!(f, "not a report that `manywire` wrote with --json: {error}")
            }
            ReadReportError::Schema(found) => {
                write!(f, "expected a report of schema {SCHEMA} or {SCHEMA_1}, found {found}")
            }
        }
    }
}

impl std::error::Error for ReadReportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReadReportError::Malformed(error) => Some(error),
            ReadReportError::Schema(_) => None,
        }
    }
}

impl From<serde_json::Error> for ReadReportError {
    fn from(error: serde_json::Error) -> Self {
        ReadReportError::Malformed(error)
    }
}

/// Reads a report.
///
/// # Errors
///
/// Fails if the text is not a report, with line and column where it is not JSON.
pub fn read(text: &str) -> Result<Report, ReadReportError> {
    let schema = schema_of(text)?;
    match schema.as_str() {
        SCHEMA => Ok(serde_json::from_str(text)?),
        SCHEMA_1 => upgrade(serde_json::from_str(text)?),
        _ => Err(ReadReportError::Schema(schema)),
    }
}

/// Returns the name of the schema of a report, of any command.
///
/// # Errors
///
/// Fails if the text is not JSON, or has no `schema`.
pub fn schema_of(text: &str) -> Result<String, ReadReportError> {
    #[derive(serde::Deserialize)]
    struct Head {
        schema: String,
    }
    let Head { schema } = serde_json::from_str(text)?;
    Ok(schema)
}

/// Converts a report of [`SCHEMA_1`] to [`SCHEMA`].
fn upgrade(mut report: Value) -> Result<Report, ReadReportError> {
    let in_lane = |row: &Value| row["in_lane"] == true;
    let is_rust = |row: &Value| row["lane"] == BUILT_IN_LANE;
    let replaced = rows(&report, "rows").any(|row| is_rust(row) && in_lane(row));
    for member in ["rows", "payload_comparisons"] {
        if let Some(rows) = report.get_mut(member).and_then(Value::as_array_mut) {
            rows.retain(|row| !replaced || !is_rust(row) || in_lane(row));
        }
    }
    if !replaced {
        let note = json!({
            "lane": BUILT_IN_LANE, "title": "Rust", "runtime": report["tool"]["rustc"],
            "status": "ok", "delta": report["delta"],
        });
        let requested = rows(&report, "lanes").filter(|note| !is_rust(note)).cloned();
        report["lanes"] = std::iter::once(note).chain(requested).collect();
    }
    report["schema"] = json!(SCHEMA);
    let mut report: Report = serde_json::from_value(report)?;
    let references: Vec<Option<Reference>> =
        report.rows.iter().map(|row| reference_of(row, &report)).collect();
    for (row, reference) in report.rows.iter_mut().zip(references) {
        row.reference = reference;
    }
    Ok(report)
}

/// Returns the objects in a list of a report.
fn rows<'v>(report: &'v Value, member: &str) -> impl Iterator<Item = &'v Value> {
    report[member].as_array().into_iter().flatten()
}

/// Returns the subject that the ratios of a row are relative to, preferably of the same kind of
/// value. `None` if the row has no ratios, or if no row of the lane and payload is a reference.
fn reference_of(row: &Row, report: &Report) -> Option<Reference> {
    row.summaries().find(|summary| summary.ratio.is_some())?;
    let is_reference = |other: &&Row| {
        let mut verdicts = other.summaries().map(|summary| summary.verdict);
        other.lane == row.lane
            && other.has_same_payload(row)
            && verdicts.any(|verdict| verdict == Some(RowVerdict::Reference))
    };
    let references = report.rows.iter().filter(is_reference);
    let found = references.max_by_key(|other| other.target == row.target)?;
    Some(Reference { library: found.library.clone(), format: found.format, target: found.target })
}
