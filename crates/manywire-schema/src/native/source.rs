//! The options and the result of a generator, and helpers to write comments and string literals.

/// The choices that the shape leaves open.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The package of Go, Java or Scala, the namespace of C#, or the module of Haskell. If empty, Go
    /// uses `main`, Java, Scala and C# none, and Haskell the name of `class`.
    pub package: String,
    /// The class around the Java records; `Types` if empty.
    pub class: String,
    /// For Go: libraries whose tags are added to the tags of json, msgpack and cbor, such as
    /// `bson`. The tag `key` contains the key unchanged, and `msg` the options that msgp needs to
    /// keep empty arrays.
    pub go_tags: Vec<String>,
    /// For Rust: also derive `manywire_shape::Shaped`, with the field numbers of the shape.
    pub shaped: bool,
}

/// A generated source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The text, with a line feed at the end.
    pub text: String,
    /// The type of the whole value, as another file of the same package refers to it.
    pub root: String,
}

/// Writes text as line comments.
pub(super) fn comment(out: &mut String, prefix: &str, text: &str) {
    for line in text.lines() {
        // Rust refuses marks of direction in comments, which could hide code.
        let is_hidden = |c: char| {
            c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        let line: String = line.chars().filter(|c| !is_hidden(*c)).collect();
        out.push_str(format!("{prefix} {line}").trim_end());
        out.push('\n');
    }
}

/// Writes text as a documentation comment of TypeScript, Java and Scala.
pub(super) fn doc_comment(out: &mut String, indent: &str, text: &str) {
    let clean = text.replace("*/", "* /");
    match clean.lines().count() {
        0 => {}
        1 => out.push_str(&format!("{indent}/** {} */\n", clean.trim())),
        _ => {
            out.push_str(&format!("{indent}/**\n"));
            comment(out, &format!("{indent} *"), &clean);
            out.push_str(&format!("{indent} */\n"));
        }
    }
}

/// Returns a sentence with the other names of a value in the data, which derived code does not read;
/// empty if there are none.
pub(super) fn also_known(aliases: &[String]) -> String {
    let all: Vec<String> = aliases.iter().map(|alias| quoted(alias)).collect();
    if all.is_empty() { String::new() } else { format!("Also known as {}.", all.join(", ")) }
}

/// Joins the parts of a comment that are not empty, each on lines of its own.
pub(super) fn lines<const N: usize>(parts: [&str; N]) -> String {
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// Returns a string literal that is valid in C#, Go, Java, Python, Scala and TypeScript. Invisible
/// characters and marks of direction are escaped.
pub(super) fn quoted(text: &str) -> String {
    quoted_with(text, |code| format!("\\u{code:04x}"))
}

/// Returns a string literal in which `escape` writes the code points of invisible characters and marks
/// of direction.
pub(super) fn quoted_with(text: &str, escape: impl Fn(u32) -> String) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_unseen(c) => out.push_str(&escape(u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Controls, line separators, byte order marks and marks of direction; all are below U+10000.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
