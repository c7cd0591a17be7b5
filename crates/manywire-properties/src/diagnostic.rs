//! CBOR diagnostic notation. Any bytes can be written in it, and the notation of valid bytes is
//! complete: a reader of the notation (RFC 8949, section 8) recovers the same bytes. The reader
//! below uses a stack and does not recurse.

use std::collections::HashMap;
use std::sync::LazyLock;

use manywire_format::Format;
use manywire_inspect::{Diagnostic, Options, walk};

use crate::target::{CheckResult, Violation, ensure};

pub(crate) fn cbor(bytes: &[u8]) -> CheckResult {
    let (text, is_valid) = notation_of(bytes)?;
    if !is_valid {
        return Ok(());
    }
    let back = bytes_of(&text)
        .map_err(|(at, expected)| Violation(format!("{text:?}: expected {expected} at {at}")))?;
    // The notation does not give the width of NaN and the infinities, nor the payload of a NaN (RFC
    // 8949, Appendix A).
    if text.contains("NaN") || text.contains("Infinity") {
        let (again, _) = notation_of(&back)?;
        ensure!(again == text, "{text:?} became {again:?}");
        return Ok(());
    }
    let same = back.iter().zip(bytes).take_while(|(one, other)| one == other).count();
    ensure!(
        back == bytes,
        "from byte {same} on {:02x?} is written, and read as {:02x?}: {text}",
        &bytes[same..],
        &back[same..]
    );
    Ok(())
}

/// Returns the notation of the bytes, and true if the bytes are valid.
fn notation_of(bytes: &[u8]) -> Result<(String, bool), Violation> {
    let mut out = Vec::new();
    let mut notation = Diagnostic::default();
    let mut failed = None;
    let summary = walk(Format::Cbor, bytes, Options::DEFAULT, &mut |event| {
        if let Err(error) = notation.add(&event, &mut out) {
            failed = Some(error);
        }
    });
    let finished = notation.finish(&mut out);
    if let Some(error) = failed.or(finished.err()) {
        return Err(Violation(format!("writing to memory fails: {error}")));
    }
    let text = String::from_utf8(out)
        .map_err(|error| Violation(format!("the output is not UTF-8: {error}")))?;
    Ok((text, summary.faults == 0))
}

/// The offset of invalid notation, and what was expected there.
type NotationError = (usize, &'static str);

/// Returns the bytes that the notation of one value represents.
fn bytes_of(text: &str) -> Result<Vec<u8>, NotationError> {
    let mut reader = Reader { text, at: 0, open: vec![OpenItem::root()] };
    while reader.open.len() > 1 || reader.open[0].items == 0 {
        reader.token()?;
    }
    reader.space();
    match (reader.rest().is_empty(), reader.open.pop()) {
        (true, Some(root)) => Ok(root.content),
        _ => Err((reader.at, "the end")),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    open: Vec<OpenItem>,
}

/// An open container or tag.
struct OpenItem {
    /// The closing bracket.
    end: char,
    /// The major type; 8 for the root. A string in chunks has 9 before its first chunk, and then 10
    /// more than the major type of that chunk.
    major: u8,
    /// The width of the argument in the head; `None` for indefinite length.
    width: Option<Width>,
    /// The number of a tag.
    tag: u64,
    items: u64,
    content: Vec<u8>,
}

/// The number of bytes of an argument: the minimum, or 2 to this power.
#[derive(Clone, Copy)]
enum Width {
    Shortest,
    Power(u8),
}

impl OpenItem {
    fn root() -> Self {
        OpenItem::new('\0', 8, Some(Width::Shortest))
    }

    fn new(end: char, major: u8, width: Option<Width>) -> Self {
        OpenItem { end, major, width, tag: 0, items: 0, content: Vec::new() }
    }
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn expect(&mut self, token: &str, expected: &'static str) -> Result<(), NotationError> {
        if self.eat(token) { Ok(()) } else { Err((self.at, expected)) }
    }

    /// Reads an item, the start of one, or the end of the open container.
    fn token(&mut self) -> Result<(), NotationError> {
        self.space();
        let (end, major, items) =
            self.open.last().map_or(('\0', 8, 0), |open| (open.end, open.major, open.items));
        if end != '\0' && self.rest().starts_with(end) {
            self.at += 1;
            return self.close();
        }
        let separator = match (major, items) {
            (_, 0) => "",
            (5, odd) if odd % 2 == 1 => ":",
            (6 | 8, _) => return Err((self.at, "one item")),
            _ => ",",
        };
        self.expect(separator, "the separator between items")?;
        self.space();
        self.item()
    }

    fn item(&mut self) -> Result<(), NotationError> {
        let rest = self.rest();
        match rest.chars().next() {
            Some('[') => self.container(4, ']'),
            Some('{') => self.container(5, '}'),
            Some('(') => {
                self.expect("(_ ", "a string in chunks")?;
                self.open.push(OpenItem::new(')', 9, None));
                Ok(())
            }
            Some('"') => {
                let content = self.quoted()?;
                self.string(3, content.as_bytes())
            }
            Some('\'') => {
                self.expect("''", "bytes without any")?;
                self.string(2, &[])
            }
            Some('h') => {
                self.at += 1;
                self.expect("'", "the bytes in hex")?;
                let digits = self.until('\'')?;
                let digit = |at| u8::from_str_radix(&digits[at..at + 2], 16);
                let content: Result<Vec<u8>, _> =
                    (0..digits.len() / 2 * 2).step_by(2).map(digit).collect();
                let content = content.map_err(|_| (self.at, "hex"))?;
                self.string(2, &content)
            }
            Some('0'..='9' | '-' | 'I' | 'N') => self.number(),
            _ => self.simple(),
        }
    }

    fn container(&mut self, major: u8, end: char) -> Result<(), NotationError> {
        self.at += 1;
        let width = if self.eat("_ ") { None } else { Some(self.indicator()) };
        self.open.push(OpenItem::new(end, major, width));
        Ok(())
    }

    fn until(&mut self, end: char) -> Result<&'t str, NotationError> {
        let rest = self.rest();
        let length = rest.find(end).ok_or((self.text.len(), "the end of the quoted text"))?;
        self.at += length + end.len_utf8();
        Ok(&rest[..length])
    }

    fn quoted(&mut self) -> Result<String, NotationError> {
        let mut content = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((index, character)) = characters.next() {
            match character {
                '"' => {
                    self.at += index + 1;
                    return Ok(content);
                }
                '\\' => content.push(match characters.next() {
                    Some((_, 'n')) => '\n',
                    Some((_, 'r')) => '\r',
                    Some((_, 't')) => '\t',
                    Some((_, 'u')) => {
                        let digits: String =
                            characters.by_ref().take(4).map(|(_, digit)| digit).collect();
                        let code = u32::from_str_radix(&digits, 16).ok();
                        code.and_then(char::from_u32).ok_or((self.at + index, "an escape"))?
                    }
                    Some((_, other)) => other,
                    None => return Err((self.text.len(), "an escape")),
                }),
                other => content.push(other),
            }
        }
        Err((self.text.len(), "the end of the text"))
    }

    fn string(&mut self, major: u8, content: &[u8]) -> Result<(), NotationError> {
        // An indefinite-length string without chunks.
        if content.is_empty() && self.rest().starts_with('_') && !self.has_width() {
            self.at += 1;
            self.put(&[major << 5 | 31, 0xff]);
            return Ok(());
        }
        let width = self.indicator();
        let mut bytes = head(major, content.len() as u64, width);
        bytes.extend(content);
        if let Some(OpenItem { major: chunks @ 9, .. }) = self.open.last_mut() {
            *chunks = 10 + major;
        }
        self.put(&bytes);
        Ok(())
    }

    fn has_width(&self) -> bool {
        matches!(self.rest().as_bytes(), [b'_', b'0'..=b'3', ..])
    }

    fn indicator(&mut self) -> Width {
        if !self.has_width() {
            return Width::Shortest;
        }
        let digit = self.rest().as_bytes()[1];
        self.at += 2;
        self.eat(" ");
        Width::Power(digit - b'0')
    }

    fn number(&mut self) -> Result<(), NotationError> {
        let rest = self.rest();
        let word = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.'));
        let token = &rest[..rest.find(word).unwrap_or(rest.len())];
        self.at += token.len();
        let is_integer = token.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
        if !is_integer {
            let value = match token {
                "NaN" => f64::NAN,
                "Infinity" => f64::INFINITY,
                "-Infinity" => f64::NEG_INFINITY,
                // Rust's parser accepts words that the notation does not have.
                _ if token.contains('.') => {
                    token.parse().map_err(|_| (self.at, "a floating-point number"))?
                }
                _ => return Err((self.at, "a floating-point number")),
            };
            let width = self.indicator();
            self.put(&float(value, width));
            return Ok(());
        }
        let digits = token.trim_start_matches('-');
        let negative = digits.len() < token.len();
        let Ok(magnitude) = digits.parse::<u64>() else {
            return self.bignum(negative, digits);
        };
        let width = self.indicator();
        if !negative && self.eat("(") {
            self.open.push(OpenItem { tag: magnitude, ..OpenItem::new(')', 6, Some(width)) });
            return Ok(());
        }
        match (negative, magnitude) {
            (false, _) => self.put(&head(0, magnitude, width)),
            (true, 1..) => self.put(&head(1, magnitude - 1, width)),
            (true, 0) => return Err((self.at, "a number below zero")),
        }
        Ok(())
    }

    /// Reads a number beyond 64 bits: major type 1 if 64 bits of argument suffice, otherwise a tag
    /// and its bytes.
    fn bignum(&mut self, negative: bool, digits: &str) -> Result<(), NotationError> {
        let mut number = vec![0];
        for digit in digits.bytes() {
            let mut carry = u16::from(digit - b'0');
            for byte in number.iter_mut().rev() {
                let product = u16::from(*byte) * 10 + carry;
                *byte = product as u8;
                carry = product >> 8;
            }
            if carry > 0 {
                number.insert(0, carry as u8);
            }
        }
        if negative {
            for byte in number.iter_mut().rev() {
                let (less, borrow) = byte.overflowing_sub(1);
                *byte = less;
                if !borrow {
                    break;
                }
            }
        }
        let first = number.iter().position(|byte| *byte > 0).unwrap_or(number.len());
        let number = &number[first..];
        let width = self.indicator();
        if number.len() <= 8 && negative {
            let argument = number.iter().fold(0, |n, byte| n << 8 | u64::from(*byte));
            self.put(&head(1, argument, width));
            return Ok(());
        }
        let mut bytes = vec![0xc2 + u8::from(negative)];
        bytes.extend(head(2, number.len() as u64, width));
        bytes.extend(number);
        self.put(&bytes);
        Ok(())
    }

    fn simple(&mut self) -> Result<(), NotationError> {
        for (word, byte) in [("false", 0xf4), ("true", 0xf5), ("null", 0xf6), ("undefined", 0xf7)] {
            if self.eat(word) {
                self.put(&[byte]);
                return Ok(());
            }
        }
        self.expect("simple(", "an item")?;
        let digits = self.until(')')?;
        let number: u8 = digits.parse().map_err(|_| (self.at, "a simple value"))?;
        match number {
            0..24 => self.put(&[0xe0 | number]),
            _ => self.put(&[0xf8, number]),
        }
        Ok(())
    }

    /// Appends an item to the open container.
    fn put(&mut self, bytes: &[u8]) {
        if let Some(open) = self.open.last_mut() {
            open.content.extend(bytes);
            open.items += 1;
        }
    }

    fn close(&mut self) -> Result<(), NotationError> {
        let Some(open) = self.open.pop() else { return Err((self.at, "an item")) };
        let mut bytes = match (open.major, open.width) {
            (major @ (4 | 5), None) => vec![major << 5 | 31],
            // A string in chunks; one without chunks has another notation.
            (major @ (12 | 13), None) => vec![(major - 10) << 5 | 31],
            (4, Some(width)) => head(4, open.items, width),
            (5, Some(width)) if open.items % 2 == 0 => head(5, open.items / 2, width),
            (6, Some(width)) if open.items == 1 => head(6, open.tag, width),
            _ => {
                return Err((
                    self.at,
                    "an even number of items in the map, or one item in the tag",
                ));
            }
        };
        bytes.extend(&open.content);
        if open.width.is_none() {
            bytes.push(0xff);
        }
        self.put(&bytes);
        Ok(())
    }
}

/// Returns a head of major type and argument (section 3).
fn head(major: u8, argument: u64, width: Width) -> Vec<u8> {
    let power = match width {
        Width::Power(power) => power.min(3),
        Width::Shortest => match argument {
            0..24 => return vec![major << 5 | argument as u8],
            24..0x100 => 0,
            0x100..0x1_0000 => 1,
            0x1_0000..0x1_0000_0000 => 2,
            _ => 3,
        },
    };
    let mut bytes = vec![major << 5 | (24 + power)];
    bytes.extend(&argument.to_be_bytes()[8 - (1 << power)..]);
    bytes
}

/// Returns a float of the given width, or of the shortest one that represents it.
fn float(value: f64, width: Width) -> Vec<u8> {
    let single = value as f32;
    let power = match width {
        Width::Power(power) => power,
        Width::Shortest if half(value).is_some() => 1,
        Width::Shortest if f64::from(single).to_bits() == value.to_bits() => 2,
        Width::Shortest => 3,
    };
    match (power, half(value)) {
        (1, Some(bits)) => [&[0xf9][..], &bits.to_be_bytes()].concat(),
        (2, _) => [&[0xfa][..], &single.to_be_bytes()].concat(),
        _ => [&[0xfb][..], &value.to_be_bytes()].concat(),
    }
}

/// Returns the bits of the half-precision float with this value, from a table of all of them.
fn half(value: f64) -> Option<u16> {
    static HALVES: LazyLock<HashMap<u64, u16>> = LazyLock::new(|| {
        let halves = (0..=u16::MAX).map(|bits| {
            let fraction = f64::from(bits & 0x3ff) / 1024.0;
            let exponent = i32::from(bits >> 10 & 0x1f);
            let magnitude = match exponent {
                0 => fraction * 2_f64.powi(-14),
                31 if fraction == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                _ => (1.0 + fraction) * 2_f64.powi(exponent - 15),
            };
            let value = if bits >> 15 == 1 { -magnitude } else { magnitude };
            (value.to_bits(), bits)
        });
        halves.collect()
    });
    if value.is_nan() {
        return Some(0x7e00);
    }
    HALVES.get(&value.to_bits()).copied()
}
