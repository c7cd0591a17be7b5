//! The regular expressions of constraints: the syntax that ECMA-262 and `regex-lite` share.
//!
//! JSON Schema recommends the dialect of ECMA-262 (2020-12, section 6.4), and a document with a
//! pattern is read by validators in many languages. [`validate`] accepts only patterns that mean the
//! same in all of them, and [`compile`] writes such a pattern for `regex-lite` with the meaning that
//! ECMA-262 gives it with its flag `u`: `.` matches no line terminator, which includes `\r`, U+2028
//! and U+2029, and `\s` includes the white space of Unicode.
//!
//! [`validate`] refuses look-around and back references, which need time that grows faster than the
//! text; `\p{…}`, whose tables `regex-lite` does not have; inline flags and names of groups, whose
//! syntax differs; and `{`, `}` and `]` without a backslash, which only ECMA-262 without `u` takes
//! literally. [`validate`] is a `const fn`, so that the compiler evaluates it for a derived type.

use std::fmt;
use std::fmt::Write;

use regex_lite::Regex;

/// The error for a pattern that is invalid, or whose meaning differs between dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidPattern {
    /// The offset of the fault in bytes.
    pub at: usize,
    /// The expected syntax, and what to write instead.
    pub reason: &'static str,
}

impl fmt::Display for InvalidPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid pattern at byte {}: {}", self.at, self.reason)
    }
}

impl std::error::Error for InvalidPattern {}

/// The deepest nesting of groups. `regex-lite` permits 50.
const DEPTH_MAX: usize = 32;

/// The largest count of a repetition.
const COUNT_MAX: u32 = 1_000;

/// The largest number of characters, classes and ranges, after repetitions are written out. A state
/// of `regex-lite` has about 40 bytes, so this is far below its limit of 10 MiB, and it bounds the
/// time for each character of a text.
const WEIGHT_MAX: u32 = 10_000;

/// The number of ranges that an escape such as `\s` may have.
const ESCAPE_WEIGHT: u32 = 12;

/// One part of a pattern.
#[derive(Clone, Copy)]
enum Token {
    Literal(u32),
    Dot,
    Escape(Set),
    ClassStart { negated: bool },
    GroupStart,
    GroupEnd,
    Or,
    Start,
    End,
    Boundary { negated: bool },
    Repeat { min: u32, max: Option<u32> },
    Finish,
}

/// One part of a class in brackets.
#[derive(Clone, Copy)]
enum ClassItem {
    Range(u32, u32),
    Escape(Set),
    End,
}

/// A predefined set of characters, or its complement.
#[derive(Clone, Copy)]
struct Set {
    name: SetName,
    negated: bool,
}

#[derive(Clone, Copy)]
enum SetName {
    Digit,
    Word,
    Space,
}

impl SetName {
    /// Returns the ranges of the set in ECMA-262 (sections 22.2.2.9.3 and 12.2).
    fn ranges(self) -> &'static [(u32, u32)] {
        match self {
            SetName::Digit => &[(0x30, 0x39)],
            SetName::Word => &[(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)],
            SetName::Space => &[
                (0x09, 0x0d),
                (0x20, 0x20),
                (0xa0, 0xa0),
                (0x1680, 0x1680),
                (0x2000, 0x200a),
                (0x2028, 0x2029),
                (0x202f, 0x202f),
                (0x205f, 0x205f),
                (0x3000, 0x3000),
                (0xfeff, 0xfeff),
            ],
        }
    }
}

impl Set {
    /// Returns the ranges of the set, or of its complement.
    fn ranges(self) -> Vec<(u32, u32)> {
        let ranges = self.name.ranges();
        if !self.negated {
            return ranges.to_vec();
        }
        let mut others = Vec::new();
        let mut next = 0;
        for (first, last) in ranges {
            if *first > next {
                others.push((next, first - 1));
            }
            next = last + 1;
        }
        others.push((next, u32::from(char::MAX)));
        others
    }
}

/// Reads a pattern token by token.
struct Scanner<'p> {
    bytes: &'p [u8],
    at: usize,
}

const fn fault<T: Copy>(at: usize, reason: &'static str) -> Result<T, InvalidPattern> {
    Err(InvalidPattern { at, reason })
}

impl<'p> Scanner<'p> {
    const fn new(pattern: &'p str) -> Self {
        Scanner { bytes: pattern.as_bytes(), at: 0 }
    }

    /// Returns the next byte without consuming it; 0 at the end, where no token begins.
    const fn peek(&self) -> u8 {
        if self.at < self.bytes.len() { self.bytes[self.at] } else { 0 }
    }

    const fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Consumes one character of the UTF-8 text.
    const fn character(&mut self) -> u32 {
        let first = self.bytes[self.at];
        let (length, start) = match first {
            0..=0x7f => (1, first as u32),
            0x80..=0xdf => (2, (first & 0x1f) as u32),
            0xe0..=0xef => (3, (first & 0x0f) as u32),
            0xf0..=0xff => (4, (first & 0x07) as u32),
        };
        let mut character = start;
        let mut at = 1;
        while at < length {
            character = character << 6 | (self.bytes[self.at + at] & 0x3f) as u32;
            at += 1;
        }
        self.at += length;
        character
    }

    const fn token(&mut self) -> Result<Token, InvalidPattern> {
        let start = self.at;
        if self.is_at_end() {
            return Ok(Token::Finish);
        }
        let character = self.character();
        // All characters of the syntax are ASCII; any other character is a literal, like `a`.
        let byte = if character < 0x80 { character as u8 } else { b'a' };
        match byte {
            b'.' => Ok(Token::Dot),
            b'|' => Ok(Token::Or),
            b'^' => Ok(Token::Start),
            b'$' => Ok(Token::End),
            b')' => Ok(Token::GroupEnd),
            b'[' => {
                let negated = self.peek() == b'^';
                if negated {
                    self.at += 1;
                }
                Ok(Token::ClassStart { negated })
            }
            b'(' if self.peek() == b'?' => {
                if self.at + 1 < self.bytes.len() && self.bytes[self.at + 1] == b':' {
                    self.at += 2;
                    return Ok(Token::GroupStart);
                }
                let reason = "only `(…)` and `(?:…)` are groups in every dialect: look-around, \
                    names and flags are not";
                fault(start, reason)
            }
            b'(' => Ok(Token::GroupStart),
            b'*' => self.repeat(0, None),
            b'+' => self.repeat(1, None),
            b'?' => self.repeat(0, Some(1)),
            b'{' => self.counted(start),
            b'}' | b']' => fault(start, "write a backslash before a literal `}` or `]`"),
            b'\\' => self.escape(start),
            _ => Ok(Token::Literal(character)),
        }
    }

    /// Consumes the `?` of a lazy repetition, if any: a lazy repetition matches the same texts.
    const fn repeat(&mut self, min: u32, max: Option<u32>) -> Result<Token, InvalidPattern> {
        if self.peek() == b'?' {
            self.at += 1;
        }
        Ok(Token::Repeat { min, max })
    }

    const fn counted(&mut self, start: usize) -> Result<Token, InvalidPattern> {
        const REASON: &str = "expected a repetition such as {2}, {2,} or {2,5} of at most 1,000, or \
            a backslash before a literal `{`";
        let Some(min) = self.number() else { return fault(start, REASON) };
        let mut max = Some(min);
        if self.peek() == b',' {
            self.at += 1;
            max = if self.peek() == b'}' { None } else { self.number() };
            if max.is_none() && self.peek() != b'}' {
                return fault(start, REASON);
            }
        }
        if self.peek() != b'}' {
            return fault(start, REASON);
        }
        self.at += 1;
        if let Some(max) = max
            && max < min
        {
            return fault(start, "the smaller count of a repetition comes first");
        }
        self.repeat(min, max)
    }

    /// Consumes a decimal number of at most [`COUNT_MAX`].
    const fn number(&mut self) -> Option<u32> {
        let start = self.at;
        let mut number = 0;
        while self.peek().is_ascii_digit() {
            number = number * 10 + (self.peek() - b'0') as u32;
            if number > COUNT_MAX {
                return None;
            }
            self.at += 1;
        }
        if self.at == start { None } else { Some(number) }
    }

    const fn escape(&mut self, start: usize) -> Result<Token, InvalidPattern> {
        match self.peek() {
            b'b' | b'B' => {
                let negated = self.peek() == b'B';
                self.at += 1;
                Ok(Token::Boundary { negated })
            }
            b'd' | b'D' | b'w' | b'W' | b's' | b'S' => Ok(Token::Escape(self.set())),
            _ => match self.escaped(start, false) {
                Ok(character) => Ok(Token::Literal(character)),
                Err(error) => Err(error),
            },
        }
    }

    const fn set(&mut self) -> Set {
        let letter = self.peek();
        self.at += 1;
        let name = match letter.to_ascii_lowercase() {
            b'd' => SetName::Digit,
            b'w' => SetName::Word,
            _ => SetName::Space,
        };
        Set { name, negated: letter.is_ascii_uppercase() }
    }

    /// Consumes the rest of an escaped character.
    const fn escaped(&mut self, start: usize, in_class: bool) -> Result<u32, InvalidPattern> {
        let byte = self.peek();
        if self.is_at_end() {
            return fault(start, "expected a character after the backslash");
        }
        self.at += 1;
        match byte {
            b't' => Ok(0x09),
            b'n' => Ok(0x0a),
            b'v' => Ok(0x0b),
            b'f' => Ok(0x0c),
            b'r' => Ok(0x0d),
            b'x' => self.hex(start, 2),
            b'u' if self.peek() == b'{' => {
                self.at += 1;
                let mut digits = 0;
                while self.at + digits < self.bytes.len()
                    && self.bytes[self.at + digits].is_ascii_hexdigit()
                {
                    digits += 1;
                }
                let character = match self.hex(start, digits) {
                    Ok(character) => character,
                    Err(error) => return Err(error),
                };
                if self.peek() != b'}' {
                    return fault(start, "expected `}` after the hexadecimal digits");
                }
                self.at += 1;
                Ok(character)
            }
            b'u' => self.hex(start, 4),
            b'^' | b'$' | b'\\' | b'.' | b'*' | b'+' | b'?' | b'(' | b')' | b'[' | b']' | b'{'
            | b'}' | b'|' | b'/' => Ok(byte as u32),
            b'-' if in_class => Ok(byte as u32),
            b'1'..=b'9' | b'k' => fault(start, "back references cannot be matched in linear time"),
            b'p' | b'P' => fault(start, "classes of Unicode properties are not supported"),
            _ => fault(start, "this escape does not mean the same in every dialect"),
        }
    }

    /// Consumes the hexadecimal digits of a character.
    const fn hex(&mut self, start: usize, digits: usize) -> Result<u32, InvalidPattern> {
        const REASON: &str = "expected the hexadecimal digits of a character: \\x41, \\u0041 or \
            \\u{1F600}, without surrogates";
        if digits == 0 || digits > 6 || self.at + digits > self.bytes.len() {
            return fault(start, REASON);
        }
        let mut number = 0;
        let mut at = 0;
        while at < digits {
            let digit = match self.bytes[self.at + at] {
                digit @ b'0'..=b'9' => digit - b'0',
                digit @ b'a'..=b'f' => digit - b'a' + 10,
                digit @ b'A'..=b'F' => digit - b'A' + 10,
                _ => return fault(start, REASON),
            };
            number = number << 4 | digit as u32;
            at += 1;
        }
        self.at += digits;
        if char::from_u32(number).is_none() {
            return fault(start, REASON);
        }
        Ok(number)
    }

    /// Returns the next part of a class.
    const fn class_item(&mut self) -> Result<ClassItem, InvalidPattern> {
        let start = self.at;
        let first = match self.class_atom() {
            Ok(ClassItem::Range(first, _)) => first,
            other => return other,
        };
        if !self.is_before_range() {
            return Ok(ClassItem::Range(first, first));
        }
        self.at += 1;
        match self.class_atom() {
            Ok(ClassItem::Range(last, _)) if last >= first => Ok(ClassItem::Range(first, last)),
            Ok(ClassItem::Range(..)) => fault(start, "the first character of a range comes first"),
            Ok(_) => fault(start, "a range ends with a character: write `\\-` for a literal `-`"),
            Err(error) => Err(error),
        }
    }

    /// Returns whether a `-` and the last character of a range follow.
    const fn is_before_range(&self) -> bool {
        self.peek() == b'-' && self.at + 1 < self.bytes.len() && self.bytes[self.at + 1] != b']'
    }

    const fn class_atom(&mut self) -> Result<ClassItem, InvalidPattern> {
        let start = self.at;
        if self.is_at_end() {
            return fault(start, "expected `]`");
        }
        let character = self.character();
        if character == ']' as u32 {
            return Ok(ClassItem::End);
        }
        // With its flag `v`, ECMA-262 reads `[` as a nested class, and some doubled characters as
        // operators.
        if character == '[' as u32 {
            return fault(start, "write a backslash before a literal `[` in a class");
        }
        if character < 0x80
            && self.peek() as u32 == character
            && matches!(
                character as u8,
                b'!' | b'#'..=b'&' | b'*'..=b'.' | b':'..=b'@' | b'^' | b'`' | b'~'
            )
        {
            return fault(start, "this doubled character is an operator in some dialects");
        }
        if character != '\\' as u32 {
            return Ok(ClassItem::Range(character, character));
        }
        if matches!(self.peek(), b'd' | b'D' | b'w' | b'W' | b's' | b'S') {
            let set = self.set();
            if self.is_before_range() {
                let reason = "a range begins with a character: write `\\-` for a literal `-`";
                return fault(start, reason);
            }
            return Ok(ClassItem::Escape(set));
        }
        match self.escaped(start, true) {
            Ok(character) => Ok(ClassItem::Range(character, character)),
            Err(error) => Err(error),
        }
    }

    /// Consumes a class up to its bracket and returns its weight.
    const fn class_weight(&mut self) -> Result<u32, InvalidPattern> {
        let start = self.at;
        let mut weight = 0;
        loop {
            match self.class_item() {
                Ok(ClassItem::End) if weight == 0 => {
                    return fault(start, "a class names at least one character");
                }
                Ok(ClassItem::End) => return Ok(weight),
                Ok(ClassItem::Range(..)) => weight += 1,
                Ok(ClassItem::Escape(_)) => weight += ESCAPE_WEIGHT,
                Err(error) => return Err(error),
            }
        }
    }
}

/// The weight of a group before its last part, and the weight of the last part, which a repetition
/// multiplies.
#[derive(Clone, Copy)]
struct Weight {
    before: u32,
    last: u32,
}

impl Weight {
    const NONE: Weight = Weight { before: 0, last: 0 };

    const fn add(self, last: u32) -> Weight {
        Weight { before: self.before.saturating_add(self.last), last }
    }

    const fn total(self) -> u32 {
        self.before.saturating_add(self.last)
    }
}

/// Checks that a pattern is valid and means the same in ECMA-262 and here.
///
/// # Errors
/// Fails at the first part that is invalid or that means something else in ECMA-262.
pub(crate) const fn validate(pattern: &str) -> Result<(), InvalidPattern> {
    let mut scanner = Scanner::new(pattern);
    let mut groups = [Weight::NONE; DEPTH_MAX];
    let mut depth = 0;
    let mut can_repeat = false;
    loop {
        let at = scanner.at;
        let token = match scanner.token() {
            Ok(token) => token,
            Err(error) => return Err(error),
        };
        let repeated = can_repeat;
        can_repeat = true;
        match token {
            Token::Literal(_) | Token::Dot => groups[depth] = groups[depth].add(1),
            Token::Escape(_) => groups[depth] = groups[depth].add(ESCAPE_WEIGHT),
            Token::ClassStart { .. } => match scanner.class_weight() {
                Ok(weight) => groups[depth] = groups[depth].add(weight),
                Err(error) => return Err(error),
            },
            Token::GroupStart => {
                depth += 1;
                if depth == DEPTH_MAX {
                    return fault(at, "groups are nested more than 31 levels deep");
                }
                groups[depth] = Weight::NONE;
                can_repeat = false;
            }
            Token::GroupEnd if depth == 0 => {
                return fault(at, "unbalanced `)`: write `\\)` for a literal one");
            }
            Token::GroupEnd => {
                let inner = groups[depth].total();
                depth -= 1;
                groups[depth] = groups[depth].add(inner.saturating_add(1));
            }
            Token::Or | Token::Start | Token::End | Token::Boundary { .. } => {
                groups[depth] = groups[depth].add(1);
                can_repeat = false;
            }
            Token::Repeat { .. } if !repeated => {
                return fault(at, "a repetition follows a character, a class or a group");
            }
            Token::Repeat { min, max } => {
                let copies = match max {
                    Some(max) => max,
                    None => min + 1,
                };
                let last = groups[depth].last.saturating_add(1);
                groups[depth].last = last.saturating_mul(if copies == 0 { 1 } else { copies });
                can_repeat = false;
            }
            Token::Finish if depth > 0 => return fault(at, "expected `)`"),
            Token::Finish => return Ok(()),
        }
        if groups[depth].total() > WEIGHT_MAX {
            return fault(at, "the pattern is too large: its repetitions have over 10,000 parts");
        }
    }
}

/// Compiles a pattern with the meaning that ECMA-262 gives it.
///
/// # Errors
/// Fails for a pattern that [`validate`] refuses.
pub(super) fn compile(pattern: &str) -> Result<Regex, InvalidPattern> {
    validate(pattern)?;
    let translated = translate(pattern)?;
    // No pattern within the limits of `validate` reaches those of `regex-lite`.
    Regex::new(&translated)
        .map_err(|_| InvalidPattern { at: 0, reason: "the pattern is too large" })
}

/// Writes a valid pattern in the syntax of `regex-lite`.
fn translate(pattern: &str) -> Result<String, InvalidPattern> {
    let mut scanner = Scanner::new(pattern);
    let mut out = String::new();
    loop {
        match scanner.token()? {
            Token::Literal(character) => write_character(&mut out, character),
            Token::Dot => out.push_str(r"[^\n\r\x{2028}\x{2029}]"),
            Token::Escape(set) => {
                out.push('[');
                write_ranges(&mut out, set);
                out.push(']');
            }
            Token::ClassStart { negated } => {
                out.push_str(if negated { "[^" } else { "[" });
                loop {
                    match scanner.class_item()? {
                        ClassItem::End => break,
                        ClassItem::Range(first, last) => write_range(&mut out, first, last),
                        ClassItem::Escape(set) => write_ranges(&mut out, set),
                    }
                }
                out.push(']');
            }
            Token::GroupStart => out.push_str("(?:"),
            Token::GroupEnd => out.push(')'),
            Token::Or => out.push('|'),
            Token::Start => out.push('^'),
            Token::End => out.push('$'),
            Token::Boundary { negated } => out.push_str(if negated { r"\B" } else { r"\b" }),
            Token::Repeat { min, max: Some(max) } => write!(out, "{{{min},{max}}}").unwrap_or(()),
            Token::Repeat { min, max: None } => write!(out, "{{{min},}}").unwrap_or(()),
            Token::Finish => return Ok(out),
        }
    }
}

fn write_character(out: &mut String, character: u32) {
    write!(out, r"\x{{{character:X}}}").unwrap_or(());
}

fn write_range(out: &mut String, first: u32, last: u32) {
    write_character(out, first);
    out.push('-');
    write_character(out, last);
}

fn write_ranges(out: &mut String, set: Set) {
    for (first, last) in set.ranges() {
        // A range of characters has no surrogates at its ends.
        write_range(out, first, last);
    }
}

#[cfg(test)]
mod tests {
    use super::{compile, validate};

    #[track_caller]
    fn matches(pattern: &str, accepted: &[&str], refused: &[&str]) {
        let regex = compile(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        for text in accepted {
            assert!(regex.is_match(text), "{pattern} should match {text:?}");
        }
        for text in refused {
            assert!(!regex.is_match(text), "{pattern} should not match {text:?}");
        }
    }

    #[test]
    fn patterns_mean_what_ecma_262_says() {
        matches("b", &["abc"], &["ac"]);
        matches("^[A-Z]{2}$", &["DE"], &["de", "DEU", "DE\n"]);
        matches("^.$", &["a", "é", "😀"], &["\n", "\r", "\u{2028}", "\u{2029}", "ab"]);
        matches(r"^\s$", &[" ", "\u{a0}", "\u{feff}", "\u{3000}"], &["\u{85}", "x"]);
        matches(r"^\S$", &["x", "\u{85}"], &[" ", "\u{2003}"]);
        matches(r"^[\S]$", &["x"], &["\u{2003}"]);
        matches(r"^[^\S]$", &["\u{2003}"], &["x"]);
        matches(r"^\d$", &["7"], &["٧"]);
        matches(r"^\w+$", &["a_9"], &["é"]);
        matches(r"^[\w.+-]+@\w+\.\w+$", &["a.b+c-d@x.org"], &["a@x", "@x.org"]);
        matches(r"\bcat\b", &["a cat."], &["cats"]);
        matches(r"^a{2,3}?$", &["aa", "aaa"], &["a", "aaaa"]);
        matches(r"^(?:a|b|)$", &["a", "b", ""], &["c"]);
        matches(r"^[a\-z]$", &["-", "a", "z"], &["b"]);
        matches(r"^[a-]$", &["-", "a"], &["b"]);
        matches(r"^\u0041\x42\u{1F600}$", &["AB😀"], &["AB"]);
        matches(r"^\/\.\[\]\{\}$", &["/.[]{}"], &["a"]);
        matches("^é{2}$", &["éé"], &["é"]);
    }

    #[test]
    fn patterns_that_differ_between_dialects_are_refused() {
        let refused = [
            ("(?=a)", 0),
            ("(?<n>a)", 0),
            ("(?i)a", 0),
            (r"(a)\1", 3),
            (r"\p{L}", 0),
            (r"\a", 0),
            (r"\cJ", 0),
            (r"\-", 0),
            (r"\0", 0),
            (r"\ud800", 0),
            ("a\\", 1),
            ("*a", 0),
            ("a**", 2),
            ("^*", 1),
            ("a{", 1),
            ("a{,3}", 1),
            ("a{3,1}", 1),
            ("a{1001}", 1),
            ("{", 0),
            ("}", 0),
            ("]", 0),
            ("[]", 1),
            ("[a", 2),
            ("[z-a]", 1),
            (r"[\d-z]", 1),
            (r"[a-\d]", 1),
            ("[[:alpha:]]", 1),
            ("[a&&b]", 2),
            ("(a", 2),
            ("a)", 1),
        ];
        for (pattern, at) in refused {
            let error = validate(pattern).expect_err(pattern);
            assert_eq!(error.at, at, "{pattern}: {error}");
        }
    }

    #[test]
    fn the_size_of_a_pattern_is_limited() {
        assert!(validate("(a{100}){100}").is_err());
        assert!(validate(&"(".repeat(40)).is_err());
        // The largest patterns that are valid compile.
        for largest in ["(?:a{45}){100}", r"\S{700}", r"^(?:[\w.-]{1,300})+$", "(?:a?){1000}"] {
            validate(largest).expect(largest);
            compile(largest).expect(largest);
        }
    }
}
