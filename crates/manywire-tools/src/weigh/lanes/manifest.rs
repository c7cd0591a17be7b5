use manywire_format::Format;
use serde::Deserialize;

use super::typed::Typed;
use crate::weigh::subject::Target;

/// A `lane.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The folder's name.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// Rounds run at least this long before any is counted.
    pub warm_up_ms: u64,
    /// Whether a compiler works while it runs, so that rounds go on until times have settled.
    #[serde(default)]
    pub settles: bool,
    /// An answer may take this long, beyond a second for every megabyte, before the lane counts as
    /// hung.
    #[serde(default = "answer_limit")]
    pub answer_limit_s: u64,
    /// Commands that build it, in order.
    #[serde(default)]
    pub build: Vec<Vec<String>>,
    /// How it gets types that are made of the payloads, if its typed subjects need them.
    #[serde(default)]
    pub typed: Option<Typed>,
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
    /// How to get it, in words.
    pub how: String,
}

/// What a lane measures of one library.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Library {
    /// As its registry calls it.
    pub library: String,
    /// The formats.
    #[serde(deserialize_with = "formats")]
    pub formats: Vec<Format>,
    /// What values are in the program.
    pub targets: Vec<Target>,
    /// What ratios are taken to.
    #[serde(default)]
    pub reference: bool,
    /// `fresh`, or `reused`.
    #[serde(default = "fresh")]
    pub buffer: String,
}

/// One row that a lane can fill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The library.
    pub library: String,
    /// The format.
    pub format: Format,
    /// What values are in the program.
    pub target: Target,
    /// `fresh`: a new buffer for each operation; `reused`: one for all.
    pub buffer: String,
    /// Whether ratios are taken to it.
    pub reference: bool,
}

impl Manifest {
    /// Reads a manifest; `folder` is the name of the folder it stands in.
    ///
    /// # Errors
    ///
    /// What is wrong with it, with line and column where it is no TOML or has no such members.
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
                return wrong(&format!("{subject} stands twice"));
            }
        }
        Ok(manifest)
    }

    /// Every row it can fill: targets, then libraries, then formats, in the order of the file.
    pub fn subjects(&self) -> Vec<Subject> {
        let mut subjects = Vec::new();
        for target in [Target::Dynamic, Target::Typed] {
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
        // Rows stand in the order of formats, as those of every table do.
        subjects.sort_by_key(|subject| (subject.target, order(subject.format)));
        subjects
    }
}

impl Subject {
    /// Whether both are the same library, format and target.
    pub fn is_same(&self, other: &Subject) -> bool {
        (&self.library, self.format, self.target) == (&other.library, other.format, other.target)
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", self.library, self.format, self.target)
    }
}

/// The place of a format in the table of formats.
fn order(format: Format) -> usize {
    manywire_format::FORMATS.iter().position(|row| row.format == format).unwrap_or(usize::MAX)
}

fn answer_limit() -> u64 {
    60
}

fn fresh() -> String {
    "fresh".to_owned()
}

fn formats<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Format>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    names.iter().map(|name| name.parse().map_err(serde::de::Error::custom)).collect()
}
