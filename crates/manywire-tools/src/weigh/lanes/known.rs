use manywire_format::Format;

use super::manifest::Subject;
use crate::weigh::subject::Target;

/// A line of `failing.txt`: what is missing or known to fail, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The library; `None` for all of them.
    pub library: Option<String>,
    /// The format; `None` for all of them.
    pub format: Option<Format>,
    /// What values are in the program; `None` for both.
    pub target: Option<Target>,
    /// Whether there is no such subject at all.
    pub missing: bool,
    /// Why.
    pub reason: String,
}

impl Failure {
    /// Whether it speaks of this subject.
    pub fn covers(&self, subject: &Subject) -> bool {
        !self.missing
            && self.library.as_ref().is_none_or(|library| *library == subject.library)
            && self.format.is_none_or(|format| format == subject.format)
            && self.target.is_none_or(|target| target == subject.target)
    }
}

/// Reads a `failing.txt`.
///
/// # Errors
///
/// The line that is none, and what it should look like.
pub(super) fn read(lane: &str, text: &str) -> Result<Vec<Failure>, String> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| {
            read_line(line).map_err(|why| {
                format!(
                    "lanes/{lane}/failing.txt:{number}: {why}; expected `library format target: reason`, where * stands for all"
                )
            })
        })
        .collect()
}

fn read_line(line: &str) -> Result<Failure, String> {
    let (case, reason) = line.split_once(": ").ok_or("no reason")?;
    let words: Vec<&str> = case.split_whitespace().collect();
    let [library, format, target] = words[..] else {
        return Err(format!("{} words before the colon", words.len()));
    };
    let missing = library == "missing";
    let named = |word: &str| (word != "*").then(|| word.to_owned());
    let format = named(format).map(|name| name.parse::<Format>()).transpose();
    let target = named(target).map(|name| name.parse::<Target>()).transpose();
    Ok(Failure {
        library: named(library).filter(|_| !missing),
        format: format.map_err(|error| error.to_string())?,
        target: target?,
        missing,
        reason: reason.trim().to_owned(),
    })
}
