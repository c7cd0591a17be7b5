//! The meaning of each byte of a payload, from the walkers.

use manywire_inspect::{Event, Span, display, walk_from};
use manywire_shape::Value;
use manywire_tools::walk;
use serde::Serialize;

use crate::{Error, Payload};

/// The meaning of each byte of a payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The name of the form that the bytes are read in.
    pub form: &'static str,
    /// The number of bytes, without a content coding.
    pub length: usize,
    /// The spans, in order. They cover each byte once, except for those with `inside`.
    pub spans: Vec<ExplainedSpan>,
    /// Faults and remarks.
    pub findings: Vec<Finding>,
    /// Bytes of keys.
    pub keys: usize,
    /// Bytes of heads, lengths, quotes and separators.
    pub structure: usize,
    /// Bytes of the content of values.
    pub values: usize,
    /// Bytes that were not read because of a fault.
    pub unread: usize,
}

/// A range of bytes with one meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExplainedSpan {
    /// The offset in bytes.
    pub offset: usize,
    /// The length in bytes.
    pub length: usize,
    /// The role: `head`, `length`, `key`, `value`, `fixed`, `separator` or `unread`.
    pub role: &'static str,
    /// The path to the value that the span belongs to.
    pub path: String,
    /// The type, such as `2-byte string`.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The value as text, if the span has one.
    pub value: Option<String>,
    /// The offset of the compressed bytes, if the span is in decompressed bytes.
    pub inside: Option<usize>,
}

/// A fault or a remark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// A fault or a remark.
    pub kind: FindingKind,
    /// The offset in bytes.
    pub offset: usize,
    /// The path to the value.
    pub path: String,
    /// The message.
    pub message: String,
}

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// Bytes that break the rules of their format.
    Fault,
    /// Valid bytes that a careful writer would not have written.
    Remark,
}

impl FindingKind {
    /// Returns the name, one lowercase word.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::Fault => "fault",
            FindingKind::Remark => "remark",
        }
    }
}

/// Lists the meaning of each byte. Bytes with faults are explained up to the first fault that ends the
/// walk, and the rest is unread.
///
/// # Errors
/// Fails for a payload that does not show its form, or cannot be decompressed.
pub fn explain(payload: Payload<'_>) -> Result<Explanation, Error> {
    let opened = payload.open()?;
    let language = opened.schema.and_then(|schema| schema.parsed().language.as_ref());
    let (mut spans, mut findings) = (Vec::new(), Vec::new());
    let mut input = opened.bytes.as_slice();
    let walked =
        walk_from(&mut input, opened.form, walk::options(language), &mut |event| match event {
            Event::Span(span) => spans.push(ExplainedSpan::from(span)),
            Event::Fault(fault) => findings.push(Finding {
                kind: FindingKind::Fault,
                offset: fault.offset,
                path: fault.path.to_owned(),
                message: format!("expected {}", fault.expected),
            }),
            Event::Remark(remark) => findings.push(Finding {
                kind: FindingKind::Remark,
                offset: remark.offset,
                path: remark.path.to_owned(),
                message: remark.message.to_string(),
            }),
        });
    let summary = walked.map_err(Error::new)?;
    Ok(Explanation {
        form: opened.form.name(),
        length: opened.bytes.len(),
        spans,
        findings,
        keys: summary.keys,
        structure: summary.heads,
        values: summary.values,
        unread: summary.unread,
    })
}

impl From<&Span<'_>> for ExplainedSpan {
    fn from(span: &Span<'_>) -> Self {
        ExplainedSpan {
            offset: span.range.start,
            length: span.range.len(),
            role: span.role.name(),
            path: span.path.to_owned(),
            type_name: span.type_name.to_string(),
            value: span
                .value
                .filter(|value| !matches!(value, Value::Null))
                .map(|value| display::value(value, true).to_string()),
            inside: span.inside,
        }
    }
}
