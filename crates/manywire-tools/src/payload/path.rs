//! Paths to a part of a payload, as arguments name them: in the syntax that reports and rows print, and
//! in the brackets of RFC 9535.

use std::fmt;
use std::str::FromStr;

/// A parsed path: `$.a[3]`, `$["a-b"]`, `$['a b']`, `$.a[*]`, and `$#7.a` in a stream of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayloadPath {
    /// The text after the dollar sign that names a value of a stream or a part of a container file:
    /// `#7`, `header` or `blocks`. Empty for the whole input.
    pub root: String,
    /// The steps from the root.
    pub steps: Vec<PathStep>,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// The value under a key that is text.
    Key(String),
    /// The item at an index, or the value under an integer key: the digits, possibly with a sign.
    Index(String),
    /// Every item.
    AnyIndex,
    /// A key that is a container, as in `[key 3]`: the digits of the number of its entry.
    Entry(String),
}

/// The error for a text that is not a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPath {
    /// The number of the first character that does not belong to a path, counted from 1.
    column: usize,
    expected: &'static str,
}

impl fmt::Display for InvalidPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InvalidPath { column, expected } = self;
        write!(
            f,
            "invalid path: expected {expected} at character {column}; write it like \
             $.hotels[3].name or $[\"odd key\"]"
        )
    }
}

impl std::error::Error for InvalidPath {}

impl FromStr for PayloadPath {
    type Err = InvalidPath;

    fn from_str(text: &str) -> Result<Self, InvalidPath> {
        let mut parser = Parser { text, at: 0 };
        parser.path().map_err(|expected| {
            let column = text[..parser.at].chars().count() + 1;
            InvalidPath { column, expected }
        })
    }
}

/// The rest of a path that is not parsed yet.
struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn eat(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.at += prefix.len();
        }
        found
    }

    /// Consumes the characters up to the first that does not fit.
    fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn path(&mut self) -> Result<PayloadPath, &'static str> {
        if !self.eat("$") {
            return Err("$, the whole value");
        }
        let root = self.take_while(|c| !matches!(c, '.' | '['));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !(matches!(root, "" | "header" | "blocks")
            || root.strip_prefix('#').is_some_and(is_number))
        {
            self.at -= root.len();
            return Err("a dot, a bracket, or # and the number of a value");
        }
        let mut steps = Vec::new();
        while !self.rest().is_empty() {
            steps.push(self.step()?);
        }
        Ok(PayloadPath { root: root.to_owned(), steps })
    }

    fn step(&mut self) -> Result<PathStep, &'static str> {
        if self.eat(".") {
            let name = self.take_while(|c| !matches!(c, '.' | '[' | ']'));
            return match name {
                "" => Err("a name"),
                name => Ok(PathStep::Key(name.to_owned())),
            };
        }
        if !self.eat("[") {
            return Err("a dot or a bracket");
        }
        let step = if self.eat("*") {
            PathStep::AnyIndex
        } else if self.eat("\"") {
            PathStep::Key(self.quoted("\"")?)
        } else if self.eat("'") {
            PathStep::Key(self.quoted("'")?)
        } else if self.eat("key ") {
            PathStep::Entry(self.take_while(|c| c.is_ascii_digit()).to_owned())
        } else {
            let start = self.at;
            self.eat("-");
            if self.take_while(|c| c.is_ascii_digit()).is_empty() {
                return Err("an index, a name in quotes, or *");
            }
            PathStep::Index(self.text[start..self.at].to_owned())
        };
        if self.eat("]") { Ok(step) } else { Err("a closing bracket") }
    }

    /// Parses the rest of a name in quotes, with the escapes of RFC 9535 (those of JSON) and those
    /// that paths are printed with.
    fn quoted(&mut self, quote: &str) -> Result<String, &'static str> {
        let mut name = String::new();
        loop {
            name.push_str(self.take_while(|c| !quote.contains(c) && c != '\\'));
            if self.eat(quote) {
                return Ok(name);
            }
            if !self.eat("\\") {
                return Err("a closing quote");
            }
            name.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Result<char, &'static str> {
        const ESCAPE: &str = "an escape of JSON, such as \\n or \\u00e9";
        let escaped = self.rest().chars().next().ok_or(ESCAPE)?;
        self.at += escaped.len_utf8();
        Ok(match escaped {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            '0' => '\0',
            '"' | '\'' | '\\' | '/' => escaped,
            'u' if self.eat("{") => {
                let digits = self.take_while(|c| c.is_ascii_hexdigit());
                let code = u32::from_str_radix(digits, 16).ok();
                let found = code.and_then(char::from_u32).ok_or(ESCAPE)?;
                if self.eat("}") { found } else { return Err("}") }
            }
            'u' => match self.unit()? {
                high @ 0xd800..0xdc00 if self.eat("\\u") => {
                    let low = self.unit()?;
                    char::decode_utf16([high, low]).next().and_then(Result::ok).ok_or(ESCAPE)?
                }
                unit => char::from_u32(u32::from(unit)).ok_or(ESCAPE)?,
            },
            _ => return Err(ESCAPE),
        })
    }

    /// Parses four hexadecimal digits.
    fn unit(&mut self) -> Result<u16, &'static str> {
        let digits = self.rest().get(..4).filter(|it| it.bytes().all(|b| b.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let unit = unit.ok_or("four hexadecimal digits")?;
        self.at += 4;
        Ok(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_queries_name_the_position() {
        let cases = [
            ("", "expected $, the whole value at character 1"),
            ("a.b", "expected $, the whole value at character 1"),
            ("$a", "at character 2"),
            ("$.", "expected a name at character 3"),
            ("$.é[", "at character 5"),
            ("$[x]", "expected an index, a name in quotes, or * at character 3"),
            ("$['x", "expected a closing quote at character 5"),
            ("$[1", "expected a closing bracket at character 4"),
            ("$['\\x']", "expected an escape of JSON"),
            ("$['\\ud800']", "expected an escape of JSON"),
        ];
        for (query, expected) in cases {
            let error = query.parse::<PayloadPath>().expect_err(query).to_string();
            assert!(error.contains(expected), "{query}: {error}");
        }
    }
}
