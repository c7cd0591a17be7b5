//! Joins words for people, and wraps them at the width of a terminal.

use textwrap::{Options, WordSplitter};

/// Joins words as a sentence lists them: `a`, `a and b`, `a, b and c`.
pub(crate) fn list(words: &[impl AsRef<str>]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
    }
}

/// Adds a line of text, wrapped at words if it is wider than `width`. Continued lines have two spaces more
/// than the first one. A number and its `%` stay on one line.
pub(crate) fn push_wrapped(out: &mut String, line: &str, indent: &str, width: Option<usize>) {
    let continued = format!("{indent}  ");
    match width {
        None => out.extend([indent, line]),
        Some(width) => {
            let options = Options::new(width)
                .initial_indent(indent)
                .subsequent_indent(&continued)
                .word_splitter(WordSplitter::NoHyphenation)
                .break_words(false);
            // No line is broken at a no-break space.
            let joined = line.replace(" %", "\u{a0}%");
            out.push_str(&textwrap::fill(&joined, options).replace("\u{a0}%", " %"));
        }
    }
    out.push('\n');
}
