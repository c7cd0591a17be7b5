//! Misfits, each with the position of its value in the bytes.

use std::collections::HashMap;

use manywire_format::{Form, Format};
use manywire_inspect::{Event, Options, Role, walk};
use manywire_shape::fit::{Misfit, Misfits};
use manywire_shape::{Shape, Value};
use manywire_tools::payload::{InputError, Item};
use manywire_tools::walk::NamedPaths;
use serde_json::{Map, Value as Json};

use super::json::position;

/// The maximum number of misfits of one payload that are listed. Further misfits are counted.
const LISTED_PER_PAYLOAD_MAX: usize = 20;

/// The misfits of all payloads, in order, and the number of payloads that fit.
pub(super) struct MisfitReport {
    /// The number of misfits that may still be listed.
    remaining: usize,
    pub(super) named: Vec<(InputError, Misfit, u64)>,
    /// The number of misfits that are not listed.
    pub(super) more: u64,
    /// The number of checked payloads.
    pub(super) checked: u64,
    /// The number of payloads that fit.
    pub(super) fitting: u64,
}

impl MisfitReport {
    /// Returns an empty report that lists at most `listed_max` misfits.
    pub(super) fn new(listed_max: usize) -> Self {
        MisfitReport { remaining: listed_max, named: Vec::new(), more: 0, checked: 0, fitting: 0 }
    }

    /// Checks a payload, which has this index among all.
    pub(super) fn check(
        &mut self,
        shape: &Shape,
        form: Form,
        file: &str,
        item: &Item<'_>,
        index: u64,
    ) {
        self.checked += 1;
        let listed_max = self.remaining.min(LISTED_PER_PAYLOAD_MAX);
        let misfits = Misfits::of(shape, &item.value, listed_max);
        let unknown = unknown_fields(form, item, listed_max);
        let all = misfits.count() + unknown.count;
        if all == 0 {
            self.fitting += 1;
            return;
        }
        let offsets = value_offsets(shape, form, item, &misfits.named);
        let mut named: Vec<(Misfit, usize)> = misfits.named.into_iter().zip(offsets).collect();
        named.extend(unknown.named);
        named.truncate(listed_max);
        self.remaining -= named.len();
        self.more += all - named.len() as u64;
        for (misfit, offset) in named {
            let error = InputError {
                file: file.into(),
                value: item.number,
                place: item.place(offset),
                path: misfit.path.as_str().into(),
                message: format!("expected {}, found {}", misfit.expected, misfit.found),
            };
            self.named.push((error, misfit, index));
        }
    }

    /// Formats the listed misfits, and the number of the others.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (error, ..) in &self.named {
            text.push_str(&format!("{error}\n"));
        }
        if self.more > 0 {
            let noun = if self.more == 1 { "misfit" } else { "misfits" };
            text.push_str(&format!("and {} more {noun}\n", self.more));
        }
        text
    }

    /// Returns the listed misfits as JSON. `add` adds members, given the index of the payload.
    pub(super) fn json(&self, add: impl Fn(u64, &mut Map<String, Json>)) -> Vec<Json> {
        let each = self.named.iter().map(|(error, misfit, index)| {
            let mut members = position(error);
            members.insert("value".to_owned(), error.value.into());
            members.insert("expected".to_owned(), misfit.expected.as_str().into());
            members.insert("found".to_owned(), misfit.found.as_str().into());
            add(*index, &mut members);
            Json::Object(members)
        });
        each.collect()
    }
}

/// Fields of messages that are not in the schema. Readers skip them, so they are not in the value.
#[derive(Default)]
struct UnknownFields {
    named: Vec<(Misfit, usize)>,
    count: u64,
}

fn unknown_fields(form: Form, item: &Item<'_>, listed_max: usize) -> UnknownFields {
    let mut unknown = UnknownFields::default();
    if form.format != Format::Protobuf {
        return unknown;
    }
    walk(form.format, item.bytes, walk_options(item), &mut |event| {
        let Event::Span(span) = event else { return };
        if !span.unknown {
            return;
        }
        unknown.count += 1;
        if unknown.named.len() < listed_max {
            let number = match span.value {
                Some(Value::I64(number)) => number.to_string(),
                _ => String::new(),
            };
            let misfit = Misfit {
                path: span.path.to_owned(),
                expected: "a field of the schema".to_owned(),
                found: format!("the field number {number}"),
                is_positional: false,
            };
            unknown.named.push((misfit, span.range.start));
        }
    });
    unknown
}

/// Returns the options for a walk with the schema that the value was read with.
fn walk_options<'i>(item: &Item<'i>) -> Options<'i> {
    let language = item.schema.and_then(|schema| schema.language.as_ref());
    Options { schema: manywire_tools::walk::schema(language), ..Options::DEFAULT }
}

/// Returns the byte offset of the value at the path of each misfit, or 0 if a walk does not find
/// the path. For a duplicate key, the offset is that of the last value, which readers keep.
pub(super) fn value_offsets(
    shape: &Shape,
    form: Form,
    item: &Item<'_>,
    misfits: &[Misfit],
) -> Vec<usize> {
    if misfits.is_empty() {
        return Vec::new();
    }
    let mut found: HashMap<&str, ValuePosition> =
        misfits.iter().map(|misfit| (misfit.path.as_str(), ValuePosition::default())).collect();
    // The walker reports fields of records as arrays by index; the shape has their names.
    let counted = form.format == Format::MsgPackArray;
    let mut names = NamedPaths::of(counted.then_some(shape));
    walk(form.format, item.bytes, walk_options(item), &mut |event| {
        names.pass(&event, |event| {
            let Event::Span(span) = event else { return };
            if span.inside.is_some() {
                return;
            }
            if let Some(place) = found.get_mut(span.path) {
                place.record(span.role, span.range.start);
            }
        });
    });
    let offset = |misfit: &Misfit| found.get(misfit.path.as_str()).and_then(|place| place.offset);
    misfits.iter().map(|misfit| offset(misfit).unwrap_or(0)).collect()
}

#[derive(Default)]
struct ValuePosition {
    offset: Option<usize>,
    is_open: bool,
}

impl ValuePosition {
    fn record(&mut self, role: Role, offset: usize) {
        let starts = matches!(role, Role::Head | Role::Length | Role::Value | Role::Fixed);
        if starts && !self.is_open {
            self.offset = Some(offset);
        }
        // The end of a container has the path of the container, too, but does not start a value. A
        // repeated key starts its value again.
        self.is_open = starts || (self.is_open && role != Role::Key);
    }
}
