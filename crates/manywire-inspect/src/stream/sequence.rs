//! Values behind each other.

use std::io;

use manywire_format::{Form, Format, Framing};

use super::Window;
use crate::protobuf::{Malformed, varint};
use crate::trail::{Ended, Origin, Part, Trail};
use crate::{Event, Options, Role, Summary, walk_one};

pub(super) struct Sequence<'o> {
    form: Form,
    options: Options<'o>,
    summary: Summary,
}

/// Whether the walk can go on behind a value.
enum Next {
    Go,
    Stop,
}

type Sink<'s> = &'s mut dyn FnMut(Event<'_>);

impl<'o> Sequence<'o> {
    pub(super) fn new(form: Form, options: Options<'o>) -> Self {
        Sequence { form, options, summary: Summary::EMPTY }
    }

    /// Walks up to the end, or to a fault behind which nothing can be told.
    pub(super) fn walk(mut self, window: &mut Window<'_>, sink: Sink<'_>) -> io::Result<Summary> {
        while window.reach(1)? {
            let next = match self.form.framing {
                Framing::Lines => self.line(window, sink)?,
                Framing::Delimited => self.delimited(window, sink)?,
                _ if self.form.format == Format::Bson => self.document(window, sink)?,
                _ => self.value(window, sink)?,
            };
            if matches!(next, Next::Stop) {
                break;
            }
        }
        Ok(self.summary)
    }

    fn origin(&self, window: &Window<'_>) -> Origin {
        Origin::at(window, Part::Value(self.summary.value_count))
    }

    /// Walks the first bytes of the window as one value and nothing else.
    fn whole(&mut self, window: &mut Window<'_>, length: usize, sink: Sink<'_>) {
        let origin = self.origin(window);
        let bytes = &window.bytes()[..length];
        let (trail, walked) = walk_one(self.form.format, bytes, origin, self.options, sink);
        self.add(trail.finish(walked.is_ok()));
        window.pass(length);
    }

    fn add(&mut self, ended: Ended) {
        self.summary.value_count += 1;
        self.summary.add(&ended.summary);
    }

    fn separator(&mut self, window: &mut Window<'_>, length: usize, sink: Sink<'_>) {
        let origin = Origin::at(window, Part::Whole);
        let bytes = &window.bytes()[..length];
        let mut trail = Trail::new(bytes, origin, self.form.format, self.options, sink);
        trail.separator(0..length, "white space");
        self.summary.add(&trail.end().summary);
        window.pass(length);
    }

    /// A line is a value whatever is wrong in it.
    fn line(&mut self, window: &mut Window<'_>, sink: Sink<'_>) -> io::Result<Next> {
        let mut searched = 0;
        let length = loop {
            let bytes = window.bytes();
            match bytes[searched..].iter().position(|byte| *byte == b'\n') {
                Some(index) => break searched + index + 1,
                None if window.is_last() => break bytes.len(),
                None if bytes.len() >= self.options.value_max => {
                    return Ok(self.too_long(window, sink));
                }
                None => searched = bytes.len(),
            }
            window.extend()?;
        };
        match is_white_space(&window.bytes()[..length]) {
            true => self.separator(window, length, sink),
            false => self.whole(window, length, sink),
        }
        Ok(Next::Go)
    }

    /// A message behind its length.
    fn delimited(&mut self, window: &mut Window<'_>, sink: Sink<'_>) -> io::Result<Next> {
        window.reach(LENGTH_MAX)?;
        let bytes = window.bytes();
        let origin = self.origin(window);
        let mut trail = Trail::new(bytes, origin, Format::Protobuf, self.options, &mut *sink);
        let (length, head) = match varint(bytes) {
            Ok((length, head)) => (length, head),
            Err(Malformed::Cut) => {
                trail.fault(bytes.len(), format_args!("the last byte of a length"));
                return Ok(self.stop(trail));
            }
            Err(Malformed::Long) => {
                trail.fault(0, format_args!("the length of a message within 64 bits"));
                return Ok(self.stop(trail));
            }
        };
        trail.plain(0..head, Role::Length, format_args!("{length}-byte message follows"));
        self.summary.add(&trail.end().summary);
        window.pass(head);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length > self.options.value_max {
            return Ok(self.too_long(window, sink));
        }
        if !window.reach(length)? {
            let bytes = window.bytes();
            let left = bytes.len();
            let mut trail = Trail::new(bytes, origin, Format::Protobuf, self.options, &mut *sink);
            trail.cut(head, format_args!("{length} bytes of message, of which {left} are here"));
            self.summary.add(&trail.end().summary);
            // What is there can be read all the same.
            self.whole(window, left, sink);
            return Ok(Next::Stop);
        }
        self.whole(window, length, sink);
        Ok(Next::Go)
    }

    /// A BSON document, which begins with its length.
    fn document(&mut self, window: &mut Window<'_>, sink: Sink<'_>) -> io::Result<Next> {
        window.reach(4)?;
        let claimed = window.bytes().first_chunk().map(|bytes| i32::from_le_bytes(*bytes));
        match claimed.and_then(|length| usize::try_from(length).ok()).filter(|length| *length > 4) {
            Some(length) if length > self.options.value_max => Ok(self.too_long(window, sink)),
            Some(length) => {
                let whole = window.reach(length)?;
                let length = length.min(window.bytes().len());
                self.whole(window, length, sink);
                Ok(if whole { Next::Go } else { Next::Stop })
            }
            None => {
                let bytes = window.bytes();
                let origin = self.origin(window);
                let (trail, _) = walk_one(Format::Bson, bytes, origin, self.options, sink);
                Ok(self.stop(trail))
            }
        }
    }

    /// A value that only its walk finds the end of. It is walked in silence first, until the
    /// window holds all of it: what is reported cannot be taken back.
    fn value(&mut self, window: &mut Window<'_>, sink: Sink<'_>) -> io::Result<Next> {
        let json = self.form.format == Format::Json;
        while !window.is_last() {
            let mut silent = |_: Event<'_>| {};
            let options = Options { duplicate_keys: false, ..self.options };
            let bytes = window.bytes();
            let origin = Origin::default();
            let (trail, _) = walk_one(self.form.format, bytes, origin, options, &mut silent);
            let ended = trail.end();
            // A number could go on.
            let open = ended.ends_early || (json && ended.covered == bytes.len());
            if !open {
                break;
            }
            if bytes.len() >= self.options.value_max {
                return Ok(self.too_long(window, sink));
            }
            window.extend()?;
        }
        if json && is_white_space(window.bytes()) {
            let length = window.bytes().len();
            self.separator(window, length, sink);
            return Ok(Next::Go);
        }
        let origin = self.origin(window);
        let bytes = window.bytes();
        let (mut trail, mut walked) = walk_one(self.form.format, bytes, origin, self.options, sink);
        let covered = trail.covered();
        if json && walked.is_ok() && runs_on(bytes, covered) {
            walked = Err(trail.fault(covered, format_args!("white space after the value")));
        }
        self.add(trail.end());
        window.pass(covered);
        // Values that take no bytes are no stream: there is no end of them.
        Ok(if walked.is_ok() && covered > 0 { Next::Go } else { Next::Stop })
    }

    /// A value that would have to be held whole, and is not.
    fn too_long(&mut self, window: &Window<'_>, sink: Sink<'_>) -> Next {
        let (origin, limit) = (self.origin(window), self.options.value_max);
        let bytes = window.bytes();
        let mut trail = Trail::new(bytes, origin, self.form.format, self.options, sink);
        trail.fault(0, format_args!("a value of no more than {limit} bytes"));
        self.stop(trail)
    }

    fn stop(&mut self, trail: Trail<'_>) -> Next {
        self.add(trail.end());
        Next::Stop
    }
}

/// Whether there is nothing but what may stand between JSON values (RFC 8259, section 2).
fn is_white_space(bytes: &[u8]) -> bool {
    bytes.iter().all(is_white)
}

fn is_white(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Whether a number or a word that ends here could be one with what follows: neither shows where
/// the one ends and the other begins, as in `truefalse`.
fn runs_on(bytes: &[u8], end: usize) -> bool {
    let (before, behind) = bytes.split_at(end);
    let ended = |byte: &u8| is_white(byte) || matches!(byte, b'"' | b']' | b'}');
    let begins = |byte: &u8| is_white(byte) || matches!(byte, b'"' | b'[' | b'{');
    !before.last().is_none_or(ended) && !behind.first().is_none_or(begins)
}

/// A varint has at most so many bytes.
const LENGTH_MAX: usize = 10;
