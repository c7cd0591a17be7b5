//! Misfits at their places, so many of them and no more.

use manywire_format::{Form, Format};
use manywire_inspect::{Event, Options, Schema as Known, walk};
use manywire_payload::{InputError, Item};
use manywire_schema::Language;
use manywire_shape::infer::{Misfit, Misfits};
use manywire_shape::{Shape, Value};
use serde_json::{Map, Value as Json};

use super::place;
use super::whereabouts::offsets;

/// Misfits of one payload that are named; of more only how many there are.
const OF_ONE_MAX: usize = 20;

/// What does not fit, in the order of the payloads.
pub(super) struct Found {
    /// How many misfits may still be named.
    room: usize,
    pub(super) named: Vec<(InputError, Misfit, u64)>,
    /// How many there are beyond those.
    pub(super) more: u64,
    /// How many payloads were looked at.
    pub(super) checked: u64,
    /// How many of them fit.
    pub(super) fitting: u64,
}

impl Found {
    /// Nothing, and so many misfits may be named.
    pub(super) fn new(named_max: usize) -> Self {
        Found { room: named_max, named: Vec::new(), more: 0, checked: 0, fitting: 0 }
    }

    /// Tries a payload, which has this index among all.
    pub(super) fn check(
        &mut self,
        shape: &Shape,
        form: Form,
        file: &str,
        item: &Item<'_>,
        index: u64,
    ) {
        self.checked += 1;
        let named_max = self.room.min(OF_ONE_MAX);
        let misfits = Misfits::of(shape, &item.value, named_max);
        let unknown = unknown(form, item, named_max);
        let all = misfits.count() + unknown.count;
        if all == 0 {
            self.fitting += 1;
            return;
        }
        let offsets = offsets(shape, form, item, &misfits.named);
        let mut named: Vec<(Misfit, usize)> = misfits.named.into_iter().zip(offsets).collect();
        named.extend(unknown.named);
        named.truncate(named_max);
        self.room -= named.len();
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

    /// A line or more for each, and how many more there are.
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

    /// Each as JSON, with whatever else there is to say of it.
    pub(super) fn json(&self, add: impl Fn(u64, &mut Map<String, Json>)) -> Vec<Json> {
        let each = self.named.iter().map(|(error, misfit, index)| {
            let mut members = place(error);
            members.insert("value".to_owned(), error.value.into());
            members.insert("expected".to_owned(), misfit.expected.as_str().into());
            members.insert("found".to_owned(), misfit.found.as_str().into());
            add(*index, &mut members);
            Json::Object(members)
        });
        each.collect()
    }
}

/// Fields of messages that their schema does not have. Readers pass over them, so that the value
/// shows nothing of them.
#[derive(Default)]
struct Unknown {
    named: Vec<(Misfit, usize)>,
    count: u64,
}

fn unknown(form: Form, item: &Item<'_>, named_max: usize) -> Unknown {
    let mut unknown = Unknown::default();
    if form.format != Format::Protobuf {
        return unknown;
    }
    walk(form.format, item.bytes, options(item), &mut |event| {
        let Event::Span(span) = event else { return };
        if !span.unknown {
            return;
        }
        unknown.count += 1;
        if unknown.named.len() < named_max {
            let number = match span.value {
                Some(Value::I64(number)) => number.to_string(),
                _ => String::new(),
            };
            let misfit = Misfit {
                path: span.path.to_owned(),
                expected: "a field of the schema".to_owned(),
                found: format!("the field number {number}"),
            };
            unknown.named.push((misfit, span.range.start));
        }
    });
    unknown
}

/// The options of a walk by the schema that the value was read by.
pub(super) fn options<'i>(item: &Item<'i>) -> Options<'i> {
    let schema = match item.schema.and_then(|schema| schema.language.as_ref()) {
        Some(Language::Proto(schema)) => Some(Known::Protobuf(schema)),
        Some(Language::Avro(schema)) => Some(Known::Avro(schema)),
        _ => None,
    };
    Options { schema, ..Options::DEFAULT }
}
