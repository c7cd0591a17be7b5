//! Text to [`Value`], without recursion.
//!
//! What is open is kept on a stack of frames. Items and entries of everything open share two more
//! stacks, and are copied into the arena when their container closes and their number is known.

use manywire_shape::{Arena, Value};

use super::{fault, number, scan, string};
use crate::core::error::{Error, Result};
use crate::core::limits::Limits;

/// What a reader works on, empty between reads.
#[derive(Debug, Default)]
pub(super) struct Scratch<'a> {
    frames: Vec<Frame<'a>>,
    items: Vec<Value<'a>>,
    entries: Vec<(Value<'a>, Value<'a>)>,
    decoded: String,
}

impl<'a> Scratch<'a> {
    /// The same memory for values of another lifetime. The standard library collects an iterator
    /// over a vector into that vector where the layouts agree, so nothing is allocated or moved.
    pub(super) fn recycled<'b>(mut self) -> Scratch<'b> {
        self.frames.clear();
        self.items.clear();
        self.entries.clear();
        Scratch {
            frames: self.frames.into_iter().map(|_| Frame::ROOT).collect(),
            items: self.items.into_iter().map(|_| Value::Null).collect(),
            entries: self.entries.into_iter().map(|_| (Value::Null, Value::Null)).collect(),
            decoded: self.decoded,
        }
    }
}

/// What the value being read stands in.
#[derive(Clone, Copy, Debug)]
struct Frame<'a> {
    inside: Inside,
    /// Where its items or entries start on their stack.
    start: usize,
    /// In an object, the key read last.
    key: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Nothing,
    Array,
    Object,
}

impl Frame<'_> {
    const ROOT: Self = Frame { inside: Inside::Nothing, start: 0, key: "" };
}

/// What was being read when it failed, as far as the path is concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// A key, or the end of an object: the path is that of the object.
    Key,
    /// A value.
    Value,
    /// What follows a value: the path is that of the value.
    After,
}

pub(super) fn read<'a>(
    text: &'a str,
    mut at: usize,
    arena: &'a Arena,
    limits: Limits,
    exact: bool,
    scratch: &mut Scratch<'a>,
) -> Result<(Value<'a>, usize)> {
    let bytes = text.as_bytes();
    let Scratch { frames, items, entries, decoded } = scratch;
    let mut frame = Frame::ROOT;

    // Leaves the loop with the step that failed: only there is a path made.
    let (error, step) = 'failed: {
        macro_rules! attempt {
            ($step:ident, $result:expr) => {
                match $result {
                    Ok(read) => read,
                    Err(error) => break 'failed (error, Step::$step),
                }
            };
        }
        'value: loop {
            if frame.inside == Inside::Object {
                if bytes.get(at) != Some(&b'"') {
                    break 'failed (fault::expected(text, at, "a key in quotes"), Step::Key);
                }
                (frame.key, at) = attempt!(Key, string::read(text, at, arena, decoded));
                at = scan::space_end(bytes, at);
                if bytes.get(at) != Some(&b':') {
                    break 'failed (fault::expected(text, at, "':' after the key"), Step::Value);
                }
                at = scan::space_end(bytes, at + 1);
            }
            let mut value = match bytes.get(at) {
                Some(b'"') => {
                    let (read, end) = attempt!(Value, string::read(text, at, arena, decoded));
                    at = end;
                    Value::Str(read)
                }
                Some(b'-' | b'0'..=b'9') => {
                    let (read, end) = attempt!(Value, number::read(text, at, exact));
                    at = end;
                    read
                }
                Some(&open @ (b'{' | b'[')) => {
                    frames.push(frame);
                    if frames.len() > limits.depth {
                        // The frame just pushed is still the current one for the path.
                        frames.pop();
                        break 'failed (Error::depth(at, limits.depth), Step::Value);
                    }
                    at = scan::space_end(bytes, at + 1);
                    if open == b'{' {
                        frame = Frame { inside: Inside::Object, start: entries.len(), key: "" };
                        if bytes.get(at) != Some(&b'}') {
                            continue 'value;
                        }
                    } else {
                        frame = Frame { inside: Inside::Array, start: items.len(), key: "" };
                        if bytes.get(at) != Some(&b']') {
                            continue 'value;
                        }
                    }
                    at += 1;
                    let empty = if open == b'{' { Value::Map(&[]) } else { Value::Array(&[]) };
                    frame = frames.pop().unwrap_or(Frame::ROOT);
                    empty
                }
                Some(b't') if bytes[at..].starts_with(b"true") => {
                    at += 4;
                    Value::Bool(true)
                }
                Some(b'f') if bytes[at..].starts_with(b"false") => {
                    at += 5;
                    Value::Bool(false)
                }
                Some(b'n') if bytes[at..].starts_with(b"null") => {
                    at += 4;
                    Value::Null
                }
                _ => break 'failed (fault::expected_value(text, at), Step::Value),
            };

            // Puts the value in its place, and closes what it was the last of.
            loop {
                match frame.inside {
                    Inside::Nothing => return Ok((value, at)),
                    Inside::Array => {
                        items.push(value);
                        at = scan::space_end(bytes, at);
                        match bytes.get(at) {
                            Some(b',') => {
                                at = scan::space_end(bytes, at + 1);
                                continue 'value;
                            }
                            Some(b']') => {
                                value = Value::Array(arena.alloc_slice_copy(&items[frame.start..]));
                                items.truncate(frame.start);
                            }
                            _ => {
                                let what = "',' or ']' after the item";
                                break 'failed (fault::expected(text, at, what), Step::After);
                            }
                        }
                    }
                    Inside::Object => {
                        entries.push((Value::Str(frame.key), value));
                        at = scan::space_end(bytes, at);
                        match bytes.get(at) {
                            Some(b',') => {
                                at = scan::space_end(bytes, at + 1);
                                continue 'value;
                            }
                            Some(b'}') => {
                                value = Value::Map(arena.alloc_slice_copy(&entries[frame.start..]));
                                entries.truncate(frame.start);
                            }
                            _ => {
                                let what = "',' or '}' after the value";
                                break 'failed (fault::expected(text, at, what), Step::After);
                            }
                        }
                    }
                }
                at += 1;
                frame = frames.pop().unwrap_or(Frame::ROOT);
            }
        }
    };
    Err(placed(error, step, frame, frames, items.len()))
}

/// Adds the path, from the frame inside to the frame outside.
#[cold]
#[inline(never)]
fn placed(
    mut error: Error,
    step: Step,
    frame: Frame<'_>,
    frames: &[Frame<'_>],
    mut items_end: usize,
) -> Error {
    for (depth, frame) in std::iter::once(&frame).chain(frames.iter().rev()).enumerate() {
        match frame.inside {
            Inside::Nothing => {}
            Inside::Array => {
                let read = items_end - frame.start;
                let index = if depth == 0 && step == Step::After { read - 1 } else { read };
                error = error.under_index(index);
                items_end = frame.start;
            }
            Inside::Object if depth == 0 && step == Step::Key => {}
            Inside::Object => error = error.under_key(frame.key),
        }
    }
    error
}
