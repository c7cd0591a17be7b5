//! The lexer of the `.proto` language.

use manywire_shape::proto::unescape;

use super::{Fault, Result};

/// A token, with its position and the comment before it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind<'t>,
    pub(super) offset: usize,
    /// The offset after the token.
    pub(super) end: usize,
    /// The comment that ends on the line before, if any.
    pub(super) doc: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind<'t> {
    /// Letters, digits and underscores.
    Word(&'t str),
    /// A whole number.
    Int(u64),
    /// A number with a fraction or an exponent, or a decimal integer beyond 64 bits, which is a float.
    /// Its value is not used.
    Float,
    /// Text between quotes, without its escapes. Only defaults of bytes may have text other than
    /// UTF-8.
    Text(Vec<u8>),
    /// A single character of punctuation.
    Mark(char),
    /// The end of the file.
    End,
}

impl TokenKind<'_> {
    /// Describes a token in words.
    pub(super) fn describe(&self) -> String {
        match self {
            TokenKind::Word(word) => format!("{word:?}"),
            TokenKind::Int(number) => format!("the number {number}"),
            TokenKind::Float => "a number with a fraction or beyond 64 bits".into(),
            TokenKind::Text(text) => format!("the text {:?}", String::from_utf8_lossy(text)),
            TokenKind::Mark(mark) => format!("{mark:?}"),
            TokenKind::End => "the end of the file".into(),
        }
    }
}

/// Splits a text into tokens.
#[derive(Clone)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        // Skips a byte order mark.
        Lexer { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 } }
    }

    pub(super) fn next(&mut self) -> Result<Token<'t>> {
        let doc = self.space()?;
        let offset = self.at;
        let rest = &self.text[offset..];
        let kind = match rest.chars().next() {
            None => TokenKind::End,
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                TokenKind::Word(self.take(|c| c.is_ascii_alphanumeric() || c == '_'))
            }
            Some(c) if c.is_ascii_digit() => self.number()?,
            Some(quote @ ('"' | '\'')) => self.quoted(quote)?,
            Some(mark) if mark.is_ascii_punctuation() => {
                self.at += 1;
                TokenKind::Mark(mark)
            }
            Some(other) => {
                return Err(Fault::new(offset, format_args!("expected a word, found {other:?}")));
            }
        };
        Ok(Token { kind, offset, end: self.at, doc })
    }

    fn take(&mut self, part: impl Fn(char) -> bool) -> &'t str {
        let rest = &self.text[self.at..];
        let len = rest.find(|c| !part(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn number(&mut self) -> Result<TokenKind<'t>> {
        let offset = self.at;
        let mut digits = self.take(|c| c.is_ascii_alphanumeric() || c == '.');
        if digits.ends_with(['e', 'E']) && self.text[self.at..].starts_with(['+', '-']) {
            self.at += 1;
            self.take(|c| c.is_ascii_digit());
            digits = "1.0";
        }
        let parsed = if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
            u64::from_str_radix(hex, 16).ok()
        } else if digits.contains(['.', 'e', 'E']) {
            return Ok(TokenKind::Float);
        } else if digits.len() > 1 && digits.starts_with('0') {
            u64::from_str_radix(&digits[1..], 8).ok()
        } else if digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(digits.parse().map_or(TokenKind::Float, TokenKind::Int));
        } else {
            None
        };
        let message = || Fault::new(offset, format_args!("expected a number, found {digits}"));
        parsed.map(TokenKind::Int).ok_or_else(message)
    }

    fn quoted(&mut self, quote: char) -> Result<TokenKind<'t>> {
        let offset = self.at;
        self.at += 1;
        let rest = &self.text[self.at..];
        let mut chars = rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.at += at + 1;
                    return Ok(TokenKind::Text(unescape(&rest[..at])));
                }
                '\n' => break,
                '\\' => _ = chars.next(),
                _ => {}
            }
        }
        Err(Fault::new(offset, format_args!("expected a closing {quote} on this line")))
    }

    /// Skips white space and comments, and returns the documentation of the next token: the comment
    /// that begins on a separate line and is not followed by an empty line.
    fn space(&mut self) -> Result<String> {
        let mut doc = String::new();
        let mut own_line = self.at == 0;
        loop {
            let lines = self.take(char::is_whitespace).matches('\n').count();
            own_line |= lines > 0;
            if lines > 1 {
                doc.clear();
            }
            let rest = &self.text[self.at..];
            if rest.starts_with("//") {
                let line = self.take(|c| c != '\n');
                if own_line {
                    push_line(&mut doc, line.trim_start_matches('/'));
                }
            } else if let Some(body) = rest.strip_prefix("/*") {
                let Some(len) = body.find("*/") else {
                    return Err(Fault::new(self.at, "expected the comment to end"));
                };
                let lines = body[..len].lines().filter(|_| own_line);
                lines.for_each(|line| {
                    push_line(&mut doc, line.trim_start().trim_start_matches('*'));
                });
                self.at += len + 4;
            } else {
                return Ok(doc.trim().to_owned());
            }
        }
    }
}

fn push_line(doc: &mut String, line: &str) {
    if !doc.is_empty() {
        doc.push('\n');
    }
    doc.push_str(line.strip_prefix(' ').unwrap_or(line).trim_end());
}
