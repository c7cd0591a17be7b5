//! CBOR diagnostic notation, RFC 8949, section 8.
//!
//! The notation is written from the events of a walk, item by item; only the stack of open items is
//! in memory. Encoding indicators (section 8.1) mark heads that are longer than necessary: `1_1` is
//! the integer 1 in two more bytes, `[_ 1]` an indefinite-length array. Infinities and NaN have no
//! indicator, as in Appendix A. Bignums are written as integers.

use std::fmt;
use std::io::{self, Write};

use manywire_shape::Value;

use crate::cbor::{fits_half, fits_single, half};
use crate::{Event, Role, Span};

/// Writes CBOR events in diagnostic notation, one value per line.
#[derive(Debug, Default)]
pub struct Diagnostic {
    open: Vec<OpenItem>,
    /// Number of open containers; tags do not count.
    containers: usize,
    /// The tag of a bignum whose bytes come next.
    bignum: Option<Bignum>,
    /// True if a value has been written.
    started: bool,
    /// Comments to write before the next item.
    comments: Vec<String>,
}

/// An open item.
#[derive(Debug)]
enum OpenItem {
    Container {
        /// Written before the first item; `end` is written after the last.
        start: &'static str,
        end: &'static str,
        /// Written for a container without items.
        empty: &'static str,
        map: bool,
        /// Number of items so far.
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
    /// Writes the text of an event. A remark writes nothing; a fault becomes a comment.
    ///
    /// # Errors
    ///
    /// Returns the errors of `out`.
    pub fn add(&mut self, event: &Event<'_>, out: &mut dyn Write) -> io::Result<()> {
        match event {
            Event::Span(span) if span.role == Role::Unread => {
                self.flush_bignum(out)?;
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

    /// Writes the end of the last value.
    ///
    /// # Errors
    ///
    /// Returns the errors of `out`.
    pub fn finish(mut self, out: &mut dyn Write) -> io::Result<()> {
        self.flush_bignum(out)?;
        let written = self.started || !self.comments.is_empty();
        self.comment(out)?;
        self.close_to(0, out)?;
        if written { writeln!(out) } else { Ok(()) }
    }

    fn span(&mut self, span: &Span<'_>, out: &mut dyn Write) -> io::Result<()> {
        let Some(head) = Head::parse(span.bytes) else { return Ok(()) };
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
            // An empty `(_ )` would not tell bytes from text.
            2 | 3 if head.indefinite => {
                let empty = if head.major == 2 { "''_" } else { "\"\"_" };
                self.container(["(_ ", ")", empty], false);
                Ok(())
            }
            2 | 3 => {
                match span.value {
                    Some(Value::Str(content)) => write_text(content, out)?,
                    Some(Value::Bytes(content)) => {
                        write_bytes(content, out)?;
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
            25..28 => write!(out, "{}", Float::from_bits(head.information, head.argument))?,
            _ => write!(out, "simple({})", head.argument)?,
        }
        self.complete(out)
    }

    fn tag(&mut self, tag: u64, indicator: Indicator, out: &mut dyn Write) -> io::Result<()> {
        self.open.push(OpenItem::Tag);
        write!(out, "{tag}{indicator}(")
    }

    fn container(&mut self, [start, end, empty]: [&'static str; 3], map: bool) {
        self.open.push(OpenItem::Container { start, end, empty, map, items: 0 });
        self.containers += 1;
    }

    /// Writes the separator before the next item.
    fn separate(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.open.last_mut() {
            Some(OpenItem::Container { start, map, items, .. }) => {
                let separator = match (*items, *map) {
                    (0, _) => start,
                    (items, true) if items % 2 == 1 => ": ",
                    _ => ", ",
                };
                *items += 1;
                write!(out, "{separator}")
            }
            Some(OpenItem::Tag) => Ok(()),
            // A sequence is written like the items of an array (RFC 8742, section 4.2).
            None if self.started => writeln!(out, ","),
            None => {
                self.started = true;
                Ok(())
            }
        }
    }

    /// Ends the tags around a complete item.
    fn complete(&mut self, out: &mut dyn Write) -> io::Result<()> {
        while let Some(OpenItem::Tag) = self.open.last() {
            self.open.pop();
            write!(out, ")")?;
        }
        Ok(())
    }

    /// Ends the containers that are deeper than `depth`.
    fn close_to(&mut self, depth: usize, out: &mut dyn Write) -> io::Result<()> {
        while self.containers > depth {
            match self.open.pop() {
                Some(OpenItem::Container { end, empty, items, .. }) => {
                    write!(out, "{}", if items == 0 { empty } else { end })?;
                    self.containers -= 1;
                    self.complete(out)?;
                }
                Some(OpenItem::Tag) => write!(out, ")")?,
                None => break,
            }
        }
        Ok(())
    }

    /// Writes the tag of a bignum that no byte string follows.
    fn flush_bignum(&mut self, out: &mut dyn Write) -> io::Result<()> {
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

/// The break byte, which ends indefinite-length items.
const BREAK: u8 = 0xff;

/// The head of an item (section 3).
struct Head {
    major: u8,
    information: u8,
    argument: u64,
    indefinite: bool,
}

impl Head {
    fn parse(bytes: &[u8]) -> Option<Head> {
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

    /// Returns the indicator of a head that is longer than necessary.
    fn indicator(&self) -> Indicator {
        match self.information {
            24..28 => Indicator::unless_shortest(self.information, self.argument),
            _ => Indicator::None,
        }
    }
}

/// Writes text as in JSON. Control characters are escaped so that a terminal does not interpret
/// them.
fn write_text(text: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\"")?;
    for character in text.chars() {
        match character {
            '"' | '\\' => write!(out, "\\{character}")?,
            '\n' => write!(out, "\\n")?,
            '\r' => write!(out, "\\r")?,
            '\t' => write!(out, "\\t")?,
            _ if character.is_control() => write!(out, "\\u{:04x}", character as u32)?,
            _ => write!(out, "{character}")?,
        }
    }
    write!(out, "\"")
}

/// Writes bytes as `h'0102'`.
fn write_bytes(bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "h'")?;
    for byte in bytes {
        write!(out, "{byte:02x}")?;
    }
    write!(out, "'")
}

/// An encoding indicator (section 8.1): the length of an argument that could be shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Indicator {
    None,
    /// An argument of 2 to this power bytes.
    Width(u8),
}

impl Indicator {
    /// Returns the indicator for an argument after additional information 24 to 27.
    fn unless_shortest(information: u8, argument: u64) -> Self {
        let least = match information {
            24 => 24,
            25 => 1 << 8,
            26 => 1 << 16,
            _ => 1 << 32,
        };
        if argument < least { Indicator::Width(information - 24) } else { Indicator::None }
    }
}

impl fmt::Display for Indicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Indicator::None => Ok(()),
            Indicator::Width(width) => write!(f, "_{width}"),
        }
    }
}

/// A float as in Appendix A: the shortest digits, as ECMAScript has them, always with a point.
struct Float {
    value: f64,
    indicator: Indicator,
}

impl Float {
    /// Decodes the bits after additional information 25 to 27.
    fn from_bits(information: u8, bits: u64) -> Self {
        let value = match information {
            25 => f64::from(half(bits as u16)),
            26 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        };
        let shortest = if fits_half(value) {
            25
        } else if fits_single(value) {
            26
        } else {
            27
        };
        let indicator = match value.is_finite() && shortest < information {
            true => Indicator::Width(information - 24),
            false => Indicator::None,
        };
        Float { value, indicator }
    }
}

impl fmt::Display for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Float { value, indicator } = *self;
        if value.is_nan() {
            return f.write_str("NaN");
        }
        let sign = if value.is_sign_negative() { "-" } else { "" };
        if value.is_infinite() {
            return write!(f, "{sign}Infinity");
        }
        let magnitude = value.abs();
        // ECMAScript uses an exponent outside of this range (Number::toString).
        if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) {
            let text = format!("{magnitude:e}");
            let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let point = if digits.contains('.') { "" } else { ".0" };
            let plus = if exponent.starts_with('-') { "" } else { "+" };
            return write!(f, "{sign}{digits}{point}e{plus}{exponent}{indicator}");
        }
        let text = format!("{magnitude}");
        let point = if text.contains('.') { "" } else { ".0" };
        write!(f, "{sign}{text}{point}{indicator}")
    }
}

/// The maximum length of a bignum in decimal: 512 bits. A longer bignum is written as bytes.
const BIGNUM_MAX: usize = 64;

/// Returns the decimal text of a bignum (section 3.4.3) from its big-endian bytes, or of -1 minus
/// that number. Returns `None` for bytes that are not converted: they are at most 8 or more than
/// [`BIGNUM_MAX`], or the first is 0.
fn decimal(content: &[u8], negative: bool) -> Option<String> {
    let first = *content.first()?;
    if first == 0 || content.len() <= 8 || content.len() > BIGNUM_MAX {
        return None;
    }
    let mut bytes = content.to_vec();
    if negative {
        add_one(&mut bytes);
    }
    let mut digits = Vec::new();
    while bytes.iter().any(|byte| *byte > 0) {
        digits.push(b'0' + divide_by_ten(&mut bytes));
    }
    if negative {
        digits.push(b'-');
    }
    digits.reverse();
    String::from_utf8(digits).ok()
}

fn add_one(bytes: &mut Vec<u8>) {
    for byte in bytes.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte > 0 {
            return;
        }
    }
    bytes.insert(0, 1);
}

/// Divides the number in place and returns the remainder.
fn divide_by_ten(bytes: &mut [u8]) -> u8 {
    let mut rest = 0;
    for byte in bytes {
        let number = rest << 8 | u16::from(*byte);
        *byte = (number / 10) as u8;
        rest = number % 10;
    }
    rest as u8
}
