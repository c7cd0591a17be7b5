//! Paths from the root of a value to one of its parts, as errors and reports write them.
//!
//! A path begins with `$`. The step to an item is `[3]`, and the step to the value under a key that is
//! text is `.name`, or `["any text"]` if the key is empty or has a character other than letters,
//! digits, `_`, `-` and `$`. [`split`] takes such a text apart. Walkers of streams begin a path with
//! the number of the value, `$#7`, and write a step into a key that is a container as `[key 4]`.

use std::borrow::Cow;
use std::fmt;

use crate::Value;

/// Displays the step to the value under a key that is text: `.name`, or `["any text"]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyStep<'a>(pub &'a str);

impl KeyStep<'_> {
    /// Writes the step. A walker calls this method for each key that it reads, which formatting
    /// would slow down.
    ///
    /// # Errors
    /// Fails if the writer fails; a `String` does not.
    pub fn write_to(self, out: &mut impl fmt::Write) -> fmt::Result {
        let KeyStep(key) = self;
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$');
        if !key.is_empty() && key.chars().all(is_plain) {
            out.write_char('.')?;
            out.write_str(key)
        } else {
            write!(out, "[{key:?}]")
        }
    }
}

impl fmt::Display for KeyStep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_to(f)
    }
}

/// The steps from a whole value to one of its parts. The steps become text only when needed.
#[derive(Clone, Debug, Default)]
pub struct Path<'a>(Vec<Step<'a>>);

/// One step of a [`Path`].
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// The value under a key, or the key itself.
    Key(Value<'a>),
    /// The item at an index.
    Index(usize),
}

impl<'a> Path<'a> {
    /// Appends a step.
    #[inline]
    pub fn push(&mut self, step: Step<'a>) {
        self.0.push(step);
    }

    /// Removes the last step.
    #[inline]
    pub fn pop(&mut self) {
        self.0.pop();
    }

    /// Returns the path as text: `$.hotels[3].name`. A key that is not text is written in braces,
    /// `${7}`, and a key that is a container by its kind, `${an array}`.
    pub fn text(&self) -> String {
        let mut text = String::from("$");
        for step in &self.0 {
            match step {
                Step::Index(at) => text.push_str(&format!("[{at}]")),
                Step::Key(Value::Str(key)) => text.push_str(&KeyStep(key).to_string()),
                Step::Key(key) => text.push_str(&format!("{{{}}}", key_text(key))),
            }
        }
        text
    }
}

/// The maximum number of bytes of a key that are written.
const KEY_BYTES_SHOWN: usize = 16;

/// Returns the text of a key that is not text.
fn key_text(key: &Value<'_>) -> String {
    match key {
        Value::Number(number) => (*number).to_owned(),
        Value::F32(number) => format!("{number:?}"),
        Value::F64(number) => format!("{number:?}"),
        Value::Timestamp(time) => time.to_string(),
        // As in CBOR's diagnostic notation (RFC 8949, section 8).
        Value::Bytes(bytes) => {
            let shown = bytes.iter().take(KEY_BYTES_SHOWN);
            let hex: String = shown.map(|byte| format!("{byte:02x}")).collect();
            let more = if bytes.len() > KEY_BYTES_SHOWN { "…" } else { "" };
            format!("h'{hex}{more}'")
        }
        other => other.key_text().map_or_else(|| other.kind().to_owned(), Cow::into_owned),
    }
}

/// The characters that begin a step.
const STEP_STARTS: [char; 3] = ['.', '[', '{'];

/// Splits the text of a path into its root, which is `$` or in a stream `$#7`, and its steps.
pub fn split(path: &str) -> (&str, PrintedSteps<'_>) {
    let (root, steps) = path.split_at(path.find(STEP_STARTS).unwrap_or(path.len()));
    (root, PrintedSteps(steps))
}

/// The steps in the text of a path.
#[derive(Clone, Debug)]
pub struct PrintedSteps<'p>(&'p str);

impl<'p> PrintedSteps<'p> {
    /// Returns the text of the steps that are left.
    pub fn as_str(&self) -> &'p str {
        self.0
    }
}

impl<'p> Iterator for PrintedSteps<'p> {
    type Item = PrintedStep<'p>;

    fn next(&mut self) -> Option<PrintedStep<'p>> {
        let mut after_first = self.0.char_indices();
        let end = match after_first.next()?.1 {
            '[' | '{' => end_of_bracket(self.0),
            _ => after_first.find(|(_, c)| STEP_STARTS.contains(c)).map(|(at, _)| at),
        };
        let (step, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest;
        Some(PrintedStep(step))
    }
}

/// Returns the length of a step in brackets or braces. A quoted key may contain any of them.
fn end_of_bracket(steps: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (index, byte) in steps.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth <= 1 => return Some(index + 1),
            b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The text of a step: `.name`, `["any text"]`, `[3]`, `[key 4]` or `{7}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintedStep<'p>(&'p str);

impl<'p> PrintedStep<'p> {
    /// Returns the text.
    pub fn as_str(self) -> &'p str {
        self.0
    }

    /// Returns the index of an item.
    pub fn index(self) -> Option<usize> {
        let digits = self.in_brackets()?;
        is_number(digits).then(|| digits.parse().ok())?
    }

    /// Returns the key that is text.
    pub fn key(self) -> Option<Cow<'p, str>> {
        match self.0.strip_prefix('.') {
            Some(name) => Some(Cow::Borrowed(name)),
            None => unescaped(self.in_brackets()?.strip_prefix('"')?.strip_suffix('"')?),
        }
    }

    fn in_brackets(self) -> Option<&'p str> {
        self.0.strip_prefix('[')?.strip_suffix(']')
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Resolves the escapes of Rust's `Debug`, with which [`KeyStep`] writes a key in quotes.
fn unescaped(text: &str) -> Option<Cow<'_, str>> {
    let mut key = String::new();
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        key.push_str(before);
        let mut after = escape.chars();
        key.push(match after.next()? {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '0' => '\0',
            'u' => {
                let (digits, others) = after.as_str().strip_prefix('{')?.split_once('}')?;
                after = others.chars();
                char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
            }
            other => other,
        });
        rest = after.as_str();
    }
    Some(if key.is_empty() { Cow::Borrowed(rest) } else { Cow::Owned(key + rest) })
}

/// Replaces every index in the text of a path by `*`, and removes the number of the value in a
/// stream, so that the paths of alike values are equal.
pub fn fold_indexes(path: &str) -> String {
    let (root, steps) = split(path);
    let mut folded = String::with_capacity(path.len());
    folded.push_str(if root.starts_with("$#") { "$" } else { root });
    for step in steps {
        let inside = step.in_brackets().unwrap_or_default();
        folded.push_str(match inside.strip_prefix("key ") {
            Some(entry) if is_number(entry) => "[key *]",
            None if is_number(inside) => "[*]",
            _ => step.0,
        });
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_folded_and_keys_are_not() {
        let cases = [
            ("$", "$"),
            ("$.a[3].b", "$.a[*].b"),
            ("$[0][12]", "$[*][*]"),
            ("$#7.a", "$.a"),
            ("$#7[1]", "$[*]"),
            ("$[key 4].a", "$[key *].a"),
            (r#"$["12"][1]"#, r#"$["12"][*]"#),
            (r#"$["a[3]"].b[3]"#, r#"$["a[3]"].b[*]"#),
            (r#"$["\"[1]"][2]"#, r#"$["\"[1]"][*]"#),
            ("$.12", "$.12"),
            ("$blocks[3]", "$blocks[*]"),
            ("${Bytes([1])}[2]", "${Bytes([1])}[*]"),
            ("$['a]é']", "$['a]é']"),
        ];
        for (path, expected) in cases {
            assert_eq!(fold_indexes(path), expected, "{path}");
        }
    }

    #[test]
    fn keys_that_are_not_text_have_short_texts() {
        for (key, expected) in [
            (Value::Null, "${null}"),
            (Value::Bool(true), "${true}"),
            (Value::I64(-7), "${-7}"),
            (Value::U64(u64::MAX), "${18446744073709551615}"),
            (Value::F64(1.0), "${1.0}"),
            (Value::F32(1.5), "${1.5}"),
            (Value::Number("1e400"), "${1e400}"),
            (Value::Bytes(&[1, 255]), "${h'01ff'}"),
            (Value::Bytes(&[0; 1000]), "${h'00000000000000000000000000000000…'}"),
            (Value::Array(&[Value::Null, Value::Null]), "${an array}"),
            (Value::Map(&[]), "${a map}"),
        ] {
            let mut path = Path::default();
            path.push(Step::Key(key));
            path.push(Step::Index(2));
            assert_eq!(path.text(), format!("{expected}[2]"));
            assert_eq!(split(&path.text()).1.count(), 2, "{expected}");
        }
    }

    #[test]
    fn printed_keys_are_read_as_they_were() {
        let keys = [
            "a",
            "a-b$",
            "",
            "a.b",
            "[3]",
            "{",
            "\"",
            "\\",
            "tab\t\n\0",
            "\u{1b}x",
            "é",
            "\u{200b}",
            "'",
        ];
        for key in keys {
            for rest in ["", ".next", "[0]"] {
                let path = format!("${}{rest}", KeyStep(key));
                let (root, mut steps) = split(&path);
                let step = steps.next().expect("a step");
                assert_eq!((root, step.key().as_deref()), ("$", Some(key)), "{path}");
                assert_eq!((step.index(), steps.as_str()), (None, rest), "{path}");
            }
        }
        let of = |path| split(path).1.next().expect("a step");
        assert_eq!((of("$#7[12].a").index(), of("$#7[12].a").key()), (Some(12), None));
        assert_eq!((of("$[key 4]").index(), of("$[key 4]").key()), (None, None));
        assert_eq!((of("$[\"a").as_str(), of("$[\"a").key()), ("[\"a", None));
    }
}
