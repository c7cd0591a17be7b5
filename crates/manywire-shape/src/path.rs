//! Paths from the root of a value to one of its parts, as errors and reports write them.
//!
//! A path begins with `$`. The step to an item is `[3]`, and the step to the value under a key that is
//! text is `.name`, or `["any text"]` if the key is empty or has a character other than letters,
//! digits, `_`, `-` and `$`.

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
    /// `${7}`.
    pub fn text(&self) -> String {
        self.write(|index| format!("[{index}]"))
    }

    /// Returns the path as text with every index written `[*]`.
    pub fn folded(&self) -> String {
        self.write(|_| "[*]".to_owned())
    }

    fn write(&self, index: impl Fn(usize) -> String) -> String {
        let mut text = String::from("$");
        for step in &self.0 {
            match step {
                Step::Index(at) => text.push_str(&index(*at)),
                Step::Key(Value::Str(key)) => text.push_str(&KeyStep(key).to_string()),
                Step::Key(Value::I64(key) | Value::Long(key)) => {
                    text.push_str(&format!("{{{key}}}"));
                }
                Step::Key(Value::Bool(key)) => text.push_str(&format!("{{{key}}}")),
                Step::Key(key) => text.push_str(&format!("{{{key:?}}}")),
            }
        }
        text
    }
}
