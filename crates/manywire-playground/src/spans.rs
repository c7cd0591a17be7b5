//! The walk over the bytes of one format, as columns: a page has tens of thousands of spans, and a
//! column of numbers takes a fraction of the memory and the text of as many objects.

use std::collections::HashMap;

use manywire_format::Form;
use manywire_inspect::{Event, PathRanking, Role, Span, Summary, display, walk_from};
use manywire_schema::Language;
use manywire_shape::{Shape, Shaped};
use manywire_tools::walk::{self, NamedPaths};
use serde::{Deserialize, Serialize};

/// The maximum number of spans in the view of one format.
pub const SPANS_MAX: usize = 20_000;

/// The maximum number of faults and remarks in the view of one format.
const FINDINGS_MAX: usize = 100;

/// The maximum number of paths in the ranking of a format.
const RANKED: usize = 50;

/// The maximum length in bytes of a value that is shown whole.
const VALUE_BYTES: usize = 200;

/// The spans of a format, in order, a column for each property. Paths, types and roles are indexes into
/// the tables of the view.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Shaped)]
pub struct Spans {
    /// Offsets in bytes.
    pub starts: Vec<u64>,
    /// Lengths in bytes.
    pub lengths: Vec<u64>,
    /// Roles.
    pub roles: Vec<u32>,
    /// Paths.
    pub paths: Vec<u32>,
    /// Types.
    pub types: Vec<u32>,
    /// The number of containers around the span.
    pub depths: Vec<u32>,
    /// Values as text, of the spans that have one. Long ones are shortened, and end with an ellipsis.
    pub values: Vec<Option<String>>,
}

/// A fault or a remark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Shaped)]
pub struct Finding {
    /// `fault` or `remark`.
    pub kind: String,
    /// The offset in bytes.
    pub offset: u64,
    /// The path, an index into the table of the view.
    pub path: u32,
    /// The message.
    pub message: String,
}

/// The bytes at one path, over all items of lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Shaped)]
pub struct PathTotal {
    /// The path, with `*` for indexes.
    pub path: String,
    /// All bytes at the path.
    pub bytes: u64,
    /// Bytes of keys.
    pub keys: u64,
    /// Bytes of heads, lengths and separators.
    pub structure: u64,
    /// Bytes of the content of values.
    pub values: u64,
    /// The number of values.
    pub times: u64,
}

/// Texts that occur often, each with an index.
#[derive(Debug, Default)]
pub(crate) struct Table {
    indexes: HashMap<String, u32>,
    texts: Vec<String>,
}

impl Table {
    fn index_of(&mut self, text: &str) -> u32 {
        if let Some(&index) = self.indexes.get(text) {
            return index;
        }
        let index = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.indexes.insert(text.to_owned(), index);
        self.texts.push(text.to_owned());
        index
    }

    pub(crate) fn into_texts(self) -> Vec<String> {
        self.texts
    }
}

/// The tables that the spans of all formats share.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) paths: Table,
    pub(crate) types: Table,
}

/// The result of a walk.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    pub(crate) spans: Spans,
    pub(crate) span_count: u64,
    /// The offset after the last span that is shown.
    pub(crate) shown_bytes: usize,
    pub(crate) findings: Vec<Finding>,
    pub(crate) largest: Vec<PathTotal>,
    pub(crate) summary: Summary,
}

/// Walks over bytes. `language` is the schema of formats that need one; `shape` names the fields of
/// records that are written as arrays.
pub(crate) fn walk(
    bytes: &[u8],
    form: Form,
    language: Option<&Language>,
    shape: Option<&Shape>,
    tables: &mut Tables,
) -> Walked {
    let mut collector =
        Collector { walked: Walked::default(), ranking: PathRanking::default(), tables };
    let mut input = bytes;
    let mut names = NamedPaths::of(shape);
    let summary = walk_from(&mut input, form, walk::options(language), &mut |event| {
        names.pass(&event, |event| collector.add(event));
    });
    let Collector { mut walked, ranking, .. } = collector;
    // Reading from memory does not fail.
    walked.summary = summary.unwrap_or_default();
    walked.largest = ranking.into_sorted().into_iter().take(RANKED).map(PathTotal::from).collect();
    walked
}

impl From<manywire_inspect::PathBytes> for PathTotal {
    fn from(found: manywire_inspect::PathBytes) -> Self {
        PathTotal {
            bytes: found.bytes() as u64,
            path: found.path,
            keys: found.keys as u64,
            structure: found.heads as u64,
            values: found.values as u64,
            times: found.times as u64,
        }
    }
}

struct Collector<'t> {
    walked: Walked,
    ranking: PathRanking,
    tables: &'t mut Tables,
}

impl Collector<'_> {
    fn add(&mut self, event: &Event<'_>) {
        self.ranking.add(event);
        match event {
            Event::Span(span) => self.add_span(span),
            Event::Fault(fault) => {
                let message = format!("expected {}", fault.expected);
                self.add_finding("fault", fault.offset, fault.path, message);
            }
            Event::Remark(remark) => {
                self.add_finding("remark", remark.offset, remark.path, remark.message.to_string());
            }
        }
    }

    fn add_span(&mut self, span: &Span<'_>) {
        // Spans of unpacked blocks cover no bytes of the payload.
        if span.inside.is_some() {
            return;
        }
        self.walked.span_count += 1;
        let spans = &mut self.walked.spans;
        if spans.starts.len() == SPANS_MAX {
            return;
        }
        spans.starts.push(span.range.start as u64);
        spans.lengths.push(span.range.len() as u64);
        spans.roles.push(Role::ALL.iter().position(|role| *role == span.role).unwrap_or(0) as u32);
        spans.paths.push(self.tables.paths.index_of(span.path));
        spans.types.push(self.tables.types.index_of(&span.type_name.to_string()));
        spans.depths.push(u32::try_from(span.depth).unwrap_or(u32::MAX));
        let whole = span.bytes.len() <= VALUE_BYTES;
        spans.values.push(span.value.map(|value| display::value(value, whole).to_string()));
        self.walked.shown_bytes = span.range.end;
    }

    fn add_finding(&mut self, kind: &str, offset: usize, path: &str, message: String) {
        if self.walked.findings.len() < FINDINGS_MAX {
            let path = self.tables.paths.index_of(path);
            self.walked.findings.push(Finding {
                kind: kind.to_owned(),
                offset: offset as u64,
                path,
                message,
            });
        }
    }
}
