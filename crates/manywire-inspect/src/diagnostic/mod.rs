//! CBOR in diagnostic notation, RFC 8949, section 8.
//!
//! Written from the events of a walk, value by value, holding nothing but the stack of what is
//! open. Encoding indicators (section 8.1) stand where a head is longer than it need be: `1_1` is
//! the integer 1 in two more bytes, `[_ 1]` an array up to a break. Infinities and NaN have none,
//! as in Appendix A. Bignums are written as the integers they are.

mod number;
mod text;

use std::io::{self, Write};

use manywire_shape::Value;

use crate::{Event, Role, Span};

use number::{Float, Indicator, decimal};

/// Writes the events of walks of CBOR in diagnostic notation, one value a line.
#[derive(Debug, Default)]
pub struct Diagnostic {
    open: Vec<Open>,
    /// How many of those are containers; tags are not.
    containers: usize,
    /// A bignum's tag, whose bytes come next.
    bignum: Option<Bignum>,
    /// Whether a value has been written.
    begun: bool,
    /// What is to be said in comments where the next item stands.
    comments: Vec<String>,
}

/// What has to be ended.
#[derive(Debug)]
enum Open {
    Container {
        /// Written in front of the first item, and behind the last.
        start: &'static str,
        end: &'static str,
        /// Written where there is none.
        empty: &'static str,
        map: bool,
        /// How many items there have been.
        items: u64,
    },
    Tag,
}

#[derive(Clone, Copy, Debug)]
struct Bignum {
    negative: bool,
    indicator: Indicator,
}

impl Diagnostic {
    /// Writes what an event adds. Remarks add nothing; a fault is a comment.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn add(&mut self, event: &Event<'_>, out: &mut dyn Write) -> io::Result<()> {
        match event {
            Event::Span(span) if span.role == Role::Unread => {
                self.pending(out)?;
                self.close_to(span.depth, out)?;
                self.comments.push(format!("unread: {}", span.range.len()));
                Ok(())
            }
            Event::Span(span) => self.span(span, out),
            Event::Fault(fault) => {
                // A slash would end the comment.
                let expected = fault.expected.to_string().replace('/', "|");
                self.comments.push(format!("byte {}: expected {expected}", fault.offset));
                Ok(())
            }
            Event::Remark(_) => Ok(()),
        }
    }

    /// Writes what ends the last value.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn finish(mut self, out: &mut dyn Write) -> io::Result<()> {
        self.pending(out)?;
        let written = self.begun || !self.comments.is_empty();
        self.comment(out)?;
        self.close_to(0, out)?;
        if written { writeln!(out) } else { Ok(()) }
    }

    fn span(&mut self, span: &Span<'_>, out: &mut dyn Write) -> io::Result<()> {
        let Some(head) = Head::of(span.bytes) else { return Ok(()) };
        let bignum = self.bignum.take();
        if let Some(bignum) = bignum {
            let shortest = [head.indicator(), bignum.indicator] == [Indicator::None; 2];
            let definite = head.major == 2 && shortest;
            let content = if definite { span.value } else { None };
            if let Some(Value::Bytes(content)) = content
                && let Some(text) = decimal(content, bignum.negative)
            {
                write!(out, "{text}")?;
                return self.complete(out);
            }
            self.tag(if bignum.negative { 3 } else { 2 }, bignum.indicator, out)?;
        }
        if span.bytes == [BREAK] {
            return self.close_to(span.depth, out);
        }
        if bignum.is_none() {
            self.close_to(span.depth, out)?;
            self.separate(out)?;
            self.comment(out)?;
        }
        let indicator = head.indicator();
        match head.major {
            0 | 1 => {
                match span.value {
                    Some(Value::I64(number)) => write!(out, "{number}")?,
                    Some(Value::U64(number)) => write!(out, "{number}")?,
                    Some(Value::Number(text)) => write!(out, "{text}")?,
                    _ => {}
                }
                write!(out, "{indicator}")?;
                self.complete(out)
            }
            // Which of the two has no chunks, `(_ )` would not say.
            2 | 3 if head.indefinite => {
                let empty = if head.major == 2 { "''_" } else { "\"\"_" };
                self.container(["(_ ", ")", empty], false);
                Ok(())
            }
            2 | 3 => {
                match span.value {
                    Some(Value::Str(content)) => text::write_text(content, out)?,
                    Some(Value::Bytes(content)) => {
                        text::write_bytes(content, out)?;
                        if head.major == 3 {
                            write!(out, " / text that is not UTF-8 /")?;
                        }
                    }
                    _ => {}
                }
                write!(out, "{indicator}")?;
                self.complete(out)
            }
            4 | 5 => {
                let (start, end) = if head.major == 4 { ("[", "]") } else { ("{", "}") };
                write!(out, "{start}")?;
                let space = match (head.indefinite, indicator) {
                    (true, _) => "_ ",
                    (false, Indicator::None) => "",
                    (false, _) => " ",
                };
                write!(out, "{indicator}{space}")?;
                self.container(["", end, end], head.major == 5);
                Ok(())
            }
            6 => match head.argument {
                2 | 3 => {
                    let negative = head.argument == 3;
                    self.bignum = Some(Bignum { negative, indicator });
                    Ok(())
                }
                tag => self.tag(tag, indicator, out),
            },
            _ => self.simple(&head, out),
        }
    }

    fn simple(&mut self, head: &Head, out: &mut dyn Write) -> io::Result<()> {
        match head.information {
            20 => write!(out, "false")?,
            21 => write!(out, "true")?,
            22 => write!(out, "null")?,
            23 => write!(out, "undefined")?,
            25..28 => write!(out, "{}", Float::of(head.information, head.argument))?,
            _ => write!(out, "simple({})", head.argument)?,
        }
        self.complete(out)
    }

    fn tag(&mut self, tag: u64, indicator: Indicator, out: &mut dyn Write) -> io::Result<()> {
        self.open.push(Open::Tag);
        write!(out, "{tag}{indicator}(")
    }

    fn container(&mut self, [start, end, empty]: [&'static str; 3], map: bool) {
        self.open.push(Open::Container { start, end, empty, map, items: 0 });
        self.containers += 1;
    }

    /// What stands in front of the next item.
    fn separate(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.open.last_mut() {
            Some(Open::Container { start, map, items, .. }) => {
                let separator = match (*items, *map) {
                    (0, _) => start,
                    (items, true) if items % 2 == 1 => ": ",
                    _ => ", ",
                };
                *items += 1;
                write!(out, "{separator}")
            }
            Some(Open::Tag) => Ok(()),
            // RFC 8742, section 4.2: a sequence is written like the items of an array.
            None if self.begun => writeln!(out, ","),
            None => {
                self.begun = true;
                Ok(())
            }
        }
    }

    /// An item is written: so are the tags around it.
    fn complete(&mut self, out: &mut dyn Write) -> io::Result<()> {
        while let Some(Open::Tag) = self.open.last() {
            self.open.pop();
            write!(out, ")")?;
        }
        Ok(())
    }

    /// Ends the containers that stand deeper.
    fn close_to(&mut self, depth: usize, out: &mut dyn Write) -> io::Result<()> {
        while self.containers > depth {
            match self.open.pop() {
                Some(Open::Container { end, empty, items, .. }) => {
                    write!(out, "{}", if items == 0 { empty } else { end })?;
                    self.containers -= 1;
                    self.complete(out)?;
                }
                Some(Open::Tag) => write!(out, ")")?,
                None => break,
            }
        }
        Ok(())
    }

    /// The tag of a bignum that has no bytes behind it after all.
    fn pending(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.bignum.take() {
            Some(bignum) => self.tag(if bignum.negative { 3 } else { 2 }, bignum.indicator, out),
            None => Ok(()),
        }
    }

    fn comment(&mut self, out: &mut dyn Write) -> io::Result<()> {
        for comment in self.comments.drain(..) {
            write!(out, " / {comment} / ")?;
        }
        Ok(())
    }
}

/// What ends an indefinite length.
const BREAK: u8 = 0xff;

/// The head of an item (section 3).
struct Head {
    major: u8,
    information: u8,
    argument: u64,
    indefinite: bool,
}

impl Head {
    fn of(bytes: &[u8]) -> Option<Head> {
        let first = *bytes.first()?;
        let (major, information) = (first >> 5, first & 0x1f);
        let width = match information {
            24..28 => 1_usize << (information - 24),
            _ => 0,
        };
        let argument = match width {
            0 => u64::from(information),
            _ => bytes.get(1..=width)?.iter().fold(0, |n, byte| n << 8 | u64::from(*byte)),
        };
        Some(Head { major, information, argument, indefinite: information == 31 })
    }

    /// The indicator of a head that is longer than it need be.
    fn indicator(&self) -> Indicator {
        match self.information {
            24..28 => Indicator::unless_shortest(self.information, self.argument),
            _ => Indicator::None,
        }
    }
}
