//! The files that describe a lane: `lane.toml`, and `failing.txt` with its known failures.

use manywire_format::Format;
use serde::Deserialize;

use super::typed::TypedBuild;
use crate::weigh::subject::{Subject, ValueKind};

/// A `lane.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The folder's name.
    pub name: String,
    /// The name that people know it by.
    pub title: String,
    /// Rounds run at least this long before any is counted.
    pub warm_up_ms: u64,
    /// True if the runtime compiles while it runs, so that the warm-up lasts until times have
    /// settled.
    #[serde(default)]
    pub settles: bool,
    /// The time limit of an answer, plus one second per megabyte, after which the lane counts as
    /// hung.
    #[serde(default = "answer_limit")]
    pub answer_limit_s: u64,
    /// The time limit of a build command without progress: neither output nor use of the processor.
    #[serde(default = "build_idle_limit")]
    pub build_idle_limit_s: u64,
    /// True if `all` includes the lane only once it has been built by its name, because its toolchain
    /// or its libraries are large or of interest to few.
    #[serde(default)]
    pub by_name: bool,
    /// Commands that build it, in order.
    #[serde(default)]
    pub build: Vec<Vec<String>>,
    /// The build with generated types, if typed subjects need them.
    #[serde(default)]
    pub typed: Option<TypedBuild>,
    /// The command of its process.
    pub run: Vec<String>,
    /// The programs that build and run need.
    pub toolchain: Vec<Tool>,
    /// The libraries, in the order of their rows.
    pub subject: Vec<Library>,
}

/// A program that a lane needs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name.
    pub program: String,
    /// The arguments that make it print its version.
    pub version: Vec<String>,
    /// The oldest version that works.
    pub minimum: String,
    /// Instructions for installing it.
    pub how: String,
}

/// The formats and kinds of value that a lane measures of one library.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Library {
    /// The library's name in its registry.
    pub library: String,
    /// The formats.
    #[serde(deserialize_with = "formats")]
    pub formats: Vec<Format>,
    /// The kind of value in the program.
    pub targets: Vec<ValueKind>,
    /// True if ratios are relative to this library.
    #[serde(default)]
    pub reference: bool,
    /// `fresh`, or `reused`.
    #[serde(default = "fresh")]
    pub buffer: String,
}

impl Manifest {
    /// Reads a manifest; `folder` is the name of the manifest's folder.
    ///
    /// # Errors
    ///
    /// Returns a message about what is wrong, with line and column if it is not valid TOML or has
    /// unknown members.
    pub fn read(folder: &str, text: &str) -> Result<Manifest, String> {
        let manifest: Manifest =
            toml::from_str(text).map_err(|error| format!("lanes/{folder}/lane.toml: {error}"))?;
        let wrong = |what: &str| Err(format!("lanes/{folder}/lane.toml: {what}"));
        if manifest.name != folder {
            return wrong(&format!("`name` is {:?}, expected that of the folder", manifest.name));
        }
        if manifest.run.is_empty() || manifest.build.iter().any(Vec::is_empty) {
            return wrong("a command without a program; write it as [\"program\", \"argument\"]");
        }
        if manifest.toolchain.is_empty() {
            return wrong("no [[toolchain]]; name at least the program that runs it");
        }
        let subjects = manifest.subjects();
        if subjects.is_empty() {
            return wrong("no [[subject]]");
        }
        for (index, subject) in subjects.iter().enumerate() {
            if subjects[..index].iter().any(|other| other.is_same(subject)) {
                return wrong(&format!("{subject} is listed twice"));
            }
        }
        Ok(manifest)
    }

    /// Returns every row that the lane can fill, sorted by kind of value and format.
    pub fn subjects(&self) -> Vec<Subject> {
        let mut subjects = Vec::new();
        for target in [ValueKind::Dynamic, ValueKind::Typed] {
            for library in self.subject.iter().filter(|entry| entry.targets.contains(&target)) {
                subjects.extend(library.formats.iter().map(|&format| Subject {
                    library: library.library.clone(),
                    format,
                    target,
                    buffer: library.buffer.clone(),
                    reference: library.reference,
                }));
            }
        }
        // Sorted like the rows of every table.
        subjects.sort_by_key(Subject::order);
        subjects
    }
}

fn answer_limit() -> u64 {
    60
}

/// The default of [`Manifest::build_idle_limit_s`]. A registry that does not answer is an error within a
/// minute.
fn build_idle_limit() -> u64 {
    50
}

fn fresh() -> String {
    "fresh".to_owned()
}

fn formats<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Format>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    names.iter().map(|name| name.parse().map_err(serde::de::Error::custom)).collect()
}

/// A line of `failing.txt`: a case that is missing or known to fail, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFailure {
    /// The library; `None` for all of them.
    pub library: Option<String>,
    /// The format; `None` for all of them.
    pub format: Option<Format>,
    /// The kind of value; `None` for both.
    pub target: Option<ValueKind>,
    /// True if the lane has no such subject.
    pub missing: bool,
    /// The reason.
    pub reason: String,
}

impl KnownFailure {
    /// Returns whether the line covers this subject.
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
/// Returns the number of an invalid line and the expected form.
pub(super) fn read_known_failures(lane: &str, text: &str) -> Result<Vec<KnownFailure>, String> {
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

fn read_line(line: &str) -> Result<KnownFailure, String> {
    let (case, reason) = line.split_once(": ").ok_or("no reason")?;
    let words: Vec<&str> = case.split_whitespace().collect();
    let [library, format, target] = words[..] else {
        return Err(format!("{} words before the colon", words.len()));
    };
    let missing = library == "missing";
    let named = |word: &str| (word != "*").then(|| word.to_owned());
    let format = named(format).map(|name| name.parse::<Format>()).transpose();
    let target = named(target).map(|name| name.parse::<ValueKind>()).transpose();
    Ok(KnownFailure {
        library: named(library).filter(|_| !missing),
        format: format.map_err(|error| error.to_string())?,
        target: target?,
        missing,
        reason: reason.trim().to_owned(),
    })
}
