//! Where in the bytes the value at a path begins.

use std::collections::HashMap;

use manywire_codec::Segment;
use manywire_codec::arranged::Names;
use manywire_format::{Form, Format};
use manywire_inspect::{Event, Role, walk};
use manywire_payload::Item;
use manywire_shape::Shape;
use manywire_shape::infer::Misfit;

use super::misfits::options;

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
