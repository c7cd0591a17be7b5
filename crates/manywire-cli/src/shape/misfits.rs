//! Misfits, each with the position of its value in the bytes.

use std::collections::HashMap;

use manywire_codec::Segment;
use manywire_codec::arranged::Names;
use manywire_format::{Form, Format};
use manywire_inspect::{Event, Options, Role, Schema as Known, walk};
use manywire_schema::Language;
use manywire_shape::infer::{Misfit, Misfits};
use manywire_shape::{Shape, Value};
use manywire_tools::payload::{InputError, Item};
use serde_json::{Map, Value as Json};

use super::json::place;

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

/// Where the values at these paths begin in the bytes of the whole; 0 where a walk does not meet
/// them. Of a key that stands there twice, the last, which counts.
pub(super) fn offsets(
    shape: &Shape,
    form: Form,
    item: &Item<'_>,
    misfits: &[Misfit],
) -> Vec<usize> {
    if misfits.is_empty() {
        return Vec::new();
    }
    let mut found: HashMap<&str, Place> =
        misfits.iter().map(|misfit| (misfit.path.as_str(), Place::default())).collect();
    // In arrays the walker counts the fields, which only the shape has names for.
    let counted = form.format == Format::MsgPackArray;
    walk(form.format, item.bytes, options(item), &mut |event| {
        let Event::Span(span) = event else { return };
        if span.inside.is_some() {
            return;
        }
        let named = counted.then(|| named(shape, span.path)).flatten();
        if let Some(place) = found.get_mut(named.as_deref().unwrap_or(span.path)) {
            place.meet(span.role, span.range.start);
        }
    });
    let offset = |misfit: &Misfit| found.get(misfit.path.as_str()).and_then(|place| place.begin);
    misfits.iter().map(|misfit| offset(misfit).unwrap_or(0)).collect()
}

#[derive(Default)]
struct Place {
    begin: Option<usize>,
    begun: bool,
}

impl Place {
    fn meet(&mut self, role: Role, offset: usize) {
        let opens = matches!(role, Role::Head | Role::Length | Role::Value | Role::Fixed);
        if opens && !self.begun {
            self.begin = Some(offset);
        }
        // The end of a container is of its path, too; its next key begins the value anew.
        self.begun = opens || (self.begun && role != Role::Key);
    }
}

/// A path through arrays, with the names of fields; `None` for one that leads into a key.
fn named(shape: &Shape, path: &str) -> Option<String> {
    let mut names = Names::new(shape);
    let mut rest = path.strip_prefix('$')?;
    let mut named = String::from("$");
    while !rest.is_empty() {
        let (segment, behind) = segment(rest)?;
        named.push_str(&names.name(segment).to_string());
        rest = behind;
    }
    Some(named)
}

/// The first step of a path, and what is behind it.
fn segment(path: &str) -> Option<(Segment, &str)> {
    if let Some(key) = path.strip_prefix('.') {
        let (key, rest) = key.split_at(key.find(['.', '[']).unwrap_or(key.len()));
        return Some((Segment::Key(key.to_owned()), rest));
    }
    let step = path.strip_prefix('[')?;
    let Some(text) = step.strip_prefix('"') else {
        let (index, rest) = step.split_once(']')?;
        return Some((Segment::Index(index.parse().ok()?), rest));
    };
    let (key, rest) = unquoted(text)?;
    Some((Segment::Key(key), rest.strip_prefix(']')?))
}

/// Text up to its closing quote, without the escapes that Rust writes in it, and what is behind.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut key = String::new();
    let mut rest = text.chars();
    loop {
        key.push(match rest.next()? {
            '"' => return Some((key, rest.as_str())),
            '\\' => match rest.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                'u' => {
                    let (digits, behind) = rest.as_str().strip_prefix('{')?.split_once('}')?;
                    rest = behind.chars();
                    char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
                }
                other => other,
            },
            other => other,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::segment;

    #[test]
    fn steps_are_read_as_they_are_written() {
        for key in [
            "a",
            "a-b$",
            "",
            "a.b",
            "[3]",
            "\"",
            "\\",
            "tab\t\n\0",
            "\u{1b}x",
            "é",
            "\u{200b}",
            "'",
        ] {
            let written = manywire_codec::Segment::Key(key.to_owned());
            for behind in ["", ".next", "[0]"] {
                let text = format!("{written}{behind}");
                assert_eq!(segment(&text), Some((written.clone(), behind)), "{text}");
            }
        }
        assert_eq!(segment("[12].a"), Some((manywire_codec::Segment::Index(12), ".a")));
        assert_eq!(segment("[key 4]"), None);
        assert_eq!(segment("[\"a"), None);
    }
}
