//! Detection of the format of bytes, by walking them in every format.

use std::io;

use manywire_format::{FORMATS, Form, Format, Framing, Recognition};

use crate::{Event, Options, Role, Summary, avro, walk_from};

/// The possible forms of some bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detection {
    /// The forms that read the bytes without a fault, the most likely first.
    pub fitting: Vec<Form>,
    /// The form that reads the most bytes.
    pub furthest: Form,
    /// The form of the bytes, if the match is no coincidence: no other form that reads the bytes is
    /// as likely, and the form reads more than a few numbers.
    pub certain: Option<Form>,
}

impl Detection {
    /// Returns the form to try first.
    pub fn likeliest(&self) -> Form {
        self.fitting.first().copied().unwrap_or(self.furthest)
    }
}

/// Returns the formats that bytes show without a schema, at least as a structure.
pub fn recognised_formats() -> Vec<Format> {
    let rows = FORMATS.iter().filter(|row| row.recognition != Recognition::Nothing);
    rows.map(|row| row.format).collect()
}

/// Returns whether bytes are text: UTF-8, possibly cut off, without control characters.
pub fn is_text(head: &[u8]) -> bool {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The last character is cut off.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !text.bytes().any(|byte| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r'))
}

/// Finds the forms that bytes can be in. Avro data have no mark, so only container files and single
/// objects of Avro are detected.
///
/// `head` is the beginning of the input; `whole` is true if `head` is the whole input. `formats`
/// are the candidates: all formats, or the one that is known.
pub fn detect(head: &[u8], whole: bool, formats: &[Format]) -> Detection {
    let first = formats.first().copied().unwrap_or(Format::Json);
    let mut furthest = (0, Form::single(first));
    if let Some(form) = Form::of_mark(head).filter(|form| formats.contains(&form.format)) {
        return Detection { fitting: vec![form], furthest: form, certain: Some(form) };
    }
    let mut fits = Vec::new();
    for format in likeliest_first(formats) {
        for form in Form::all_of(format) {
            match attempt(form, head, whole) {
                Attempt::Whole(likelihood) => {
                    let certain = match format.row().recognition {
                        // A number or a word is also a sequence of numbers in other formats.
                        Recognition::Text => starts_like_document(head),
                        _ => likelihood >= LIKELIHOOD_CERTAIN,
                    };
                    fits.push((likelihood, form, certain));
                    break;
                }
                Attempt::Until(read) if read > furthest.0 => furthest = (read, form),
                Attempt::Until(_) => {}
            }
        }
    }
    // The sort is stable: forms with equal scores keep the order of the list.
    fits.sort_by_key(|(likelihood, ..)| std::cmp::Reverse(*likelihood));
    let certain = match fits[..] {
        [(_, form, true)] => Some(form),
        [(most, form, true), (next, ..), ..] if next < most => Some(form),
        _ => None,
    };
    let mut fitting: Vec<Form> = fits.into_iter().map(|(_, form, _)| form).collect();
    if fitting.is_empty() && formats.contains(&Format::Avro) && avro::is_single_object(head) {
        fitting.push(Form::single(Format::Avro));
    }
    Detection { fitting, furthest: furthest.1, certain }
}

/// Returns whether a format reads bytes without a fault, in any framing. Unlike [`detect`], this
/// function accepts sequences of numbers, which almost any bytes are in some formats.
pub fn reads(head: &[u8], whole: bool, format: Format) -> bool {
    Form::all_of(format).any(|form| !WalkTraits::of(form, head, whole).0.faulty)
}

/// Returns whether bytes begin as an object, an array or a string of JSON does.
fn starts_like_document(head: &[u8]) -> bool {
    matches!(head.trim_ascii_start().first(), Some(b'{' | b'[' | b'"'))
}

/// The smallest likelihood that is no coincidence: that of a container that has begun, or of
/// containers that end with the bytes.
const LIKELIHOOD_CERTAIN: u8 = 3;

/// Returns the formats that a walk can recognise, the most certain first.
fn likeliest_first(formats: &[Format]) -> impl Iterator<Item = Format> {
    let order =
        [Recognition::Text, Recognition::Length, Recognition::Structure, Recognition::Fields];
    order.into_iter().flat_map(move |recognition| {
        let rows = FORMATS.iter().filter(move |row| row.recognition == recognition);
        rows.map(|row| row.format).filter(|format| formats.contains(format))
    })
}

enum Attempt {
    /// The form reads all bytes. The number says how unlikely that is for bytes of another form.
    Whole(u8),
    /// The form meets a fault after this many bytes.
    Until(usize),
}

/// The properties of a walk that tell formats apart.
#[derive(Default)]
struct WalkTraits {
    /// True if there is a fault that more bytes would not resolve.
    faulty: bool,
    has_container: bool,
    marked: bool,
    /// Number of values that are containers with content.
    containers: u64,
    at_top: bool,
}

impl WalkTraits {
    /// Walks the bytes and returns their traits and the totals of the walk.
    fn of(form: Form, head: &[u8], whole: bool) -> (WalkTraits, Summary) {
        let mut traits = WalkTraits::default();
        let mut input: &mut dyn io::Read = &mut &head[..];
        let mut observe = |event: Event<'_>| traits.observe(form, whole, &event);
        // Reading from memory does not fail.
        let summary = walk_from(&mut input, form, Options::DEFAULT, &mut observe);
        (traits, summary.unwrap_or_default())
    }

    fn observe(&mut self, form: Form, whole: bool, event: &Event<'_>) {
        match event {
            Event::Span(span) if span.role != Role::Separator => {
                let tag = span.range == (0..3) && span.role == Role::Head;
                self.marked |= tag && form.format == Format::Cbor && span.bytes == SELF_DESCRIBED;
                self.has_container |= span.depth > 0;
                self.containers += u64::from(span.depth > 0 && self.at_top);
                self.at_top = span.depth == 0;
            }
            Event::Fault(fault) => self.faulty |= whole || !fault.ends_early,
            _ => {}
        }
    }
}

fn attempt(form: Form, head: &[u8], whole: bool) -> Attempt {
    let (traits, summary) = WalkTraits::of(form, head, whole);
    let stream = form.framing != Framing::Single;
    // Almost any bytes read as a sequence of numbers, and a value with other bytes after it is not
    // a stream.
    let self_evident = match form.framing {
        Framing::Sequence => {
            let cut = u64::from(!whole);
            traits.containers + cut >= summary.value_count && summary.value_count > 1
        }
        Framing::Lines => summary.value_count > 1,
        Framing::Delimited => summary.entries > 0,
        Framing::Single | Framing::Container => true,
    };
    if traits.faulty || !self_evident {
        // A stream with a few faults still counts as a stream.
        let few = summary.faults as u64 * 2 <= summary.value_count;
        let telling = !stream || (self_evident && few);
        return Attempt::Until(if telling { head.len() - summary.unread } else { 0 });
    }
    Attempt::Whole(match form.format.row().recognition {
        _ if traits.marked => 6,
        Recognition::Text => 6,
        Recognition::Length => 5,
        Recognition::Fields if summary.entries == 0 => 0,
        Recognition::Fields => 2,
        // A container that ends exactly with the bytes is no coincidence. Several complete
        // containers are stronger evidence than one that has only begun.
        _ if stream == whole && traits.has_container => 3,
        _ if traits.has_container => 4,
        _ => 1,
    })
}

/// Tag 55799, self-described CBOR (RFC 8949, section 3.4.6).
const SELF_DESCRIBED: [u8; 3] = [0xd9, 0xd9, 0xf7];
