//! The files that describe a lane: `lane.toml`, and `failing.txt` with its known failures.

use std::fmt;

use manywire_format::{Format, UnknownFormat};
use manywire_schema::native::NativeLanguage;
use manywire_schema::{TARGET_LANGUAGES, TargetLanguage};
use serde::Deserialize;

use super::toolchain::Tool;
use super::transport::Transport;
use crate::weigh::subject::{Buffer, Subject, UnknownValueKind, ValueKind};

/// A `lane.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The folder's name.
    pub name: String,
    /// The usual name of the language or runtime, such as `Go` or `Node.js`.
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
    /// The commands that build the lane, in order.
    #[serde(default)]
    pub build: Vec<Vec<String>>,
    /// The build with generated types, if typed subjects need them.
    #[serde(default)]
    pub typed: Option<TypedBuild>,
    /// The program that repeats a published measurement, if the lane has one.
    #[serde(default)]
    pub replay: Option<Replay>,
    /// The command of the lane's process.
    pub run: Vec<String>,
    /// Further servers, which `trial` measures beside the lane's own.
    #[serde(default)]
    pub server: Vec<ServerVariant>,
    /// The programs that the commands of `build` and `run` need.
    pub toolchain: Vec<Tool>,
    /// The libraries, in the order of their rows.
    pub subject: Vec<Library>,
}

/// The part of a manifest that builds a lane with generated types: files to write beside its
/// sources, and build commands.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypedBuild {
    /// The language of the types.
    #[serde(deserialize_with = "native_language")]
    pub language: NativeLanguage,
    /// The package or module of the types, in languages that have one.
    #[serde(default)]
    pub package: String,
    /// Libraries whose struct tags every Go type gets.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Build commands, in order, instead of the lane's own.
    #[serde(default)]
    pub build: Vec<Vec<String>>,
    /// The files to write.
    pub file: Vec<GeneratedFile>,
}

/// A file to write.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratedFile {
    /// The path within the lane's folder.
    pub path: String,
    /// The generated content, which takes precedence over `text`. One of the two must be given.
    #[serde(default)]
    pub content: Option<GeneratedContent>,
    /// A fixed text, in which `{root}` is replaced by the type of the whole value and `{message}`
    /// by the message of the whole value.
    #[serde(default)]
    pub text: Option<String>,
}

/// The kinds of generated content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GeneratedContent {
    /// The types.
    Types,
    /// A `.proto`.
    Proto,
    /// A `google.protobuf.FileDescriptorSet`.
    Descriptors,
    /// An `.avsc`.
    Avro,
}

/// The part of a manifest that describes the replay.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// The commands that build the replay in the folder of the built lane, in order.
    #[serde(default)]
    pub build: Vec<Vec<String>>,
    /// The command of one launch. The folder of the example documents is appended as an argument.
    pub run: Vec<String>,
    /// The programs that the replay needs in addition to those of the lane.
    #[serde(default)]
    pub toolchain: Vec<Tool>,
}

/// The formats and kinds of value that a lane measures of one library.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Library {
    /// The library's name in its registry.
    pub library: String,
    /// The formats; `["*"]` means all of them.
    #[serde(deserialize_with = "formats")]
    pub formats: Vec<Format>,
    /// The kinds of value in the program.
    pub targets: Vec<ValueKind>,
    /// True if ratios are relative to this library.
    #[serde(default)]
    pub reference: bool,
    /// The buffer that the library writes into.
    #[serde(default)]
    pub buffer: Buffer,
    /// A condition of the times of the subjects, which a report shows beside their rows.
    #[serde(default)]
    pub note: Option<String>,
}

/// A further server of a lane, such as a framework over the lane's own server, or a server over another
/// transport: another process that implements the same contract. `trial` measures both to find what the
/// difference costs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerVariant {
    /// The name of the server, which follows that of the lane and a colon: `rust:axum`.
    pub name: String,
    /// The transport over which the server is reached.
    #[serde(default)]
    pub transport: Transport,
    /// The commands that build the server, after those of the lane.
    #[serde(default)]
    pub build: Vec<Vec<String>>,
    /// The command of the server's process.
    pub run: Vec<String>,
    /// The libraries of the server; empty if they are those of the lane.
    #[serde(default)]
    pub subject: Vec<Library>,
}

/// The error for a file that describes a lane.
#[derive(Debug)]
pub enum InvalidLane {
    /// The `lane.toml` of a lane.
    Manifest {
        /// The lane's folder.
        lane: String,
        /// The fault in the file.
        fault: ManifestFault,
    },
    /// The `failing.txt` of a lane.
    KnownFailures {
        /// The lane's folder.
        lane: String,
        /// The line, counted from 1.
        line: usize,
        /// The fault in the line.
        fault: LineFault,
    },
}

/// A fault in a `lane.toml`.
#[derive(Debug)]
pub enum ManifestFault {
    /// The file is missing, or not UTF-8.
    Unreadable,
    /// The file is not valid TOML, or has unknown members.
    Toml(toml::de::Error),
    /// The name is not that of the folder.
    Name(String),
    /// A command has no program.
    NoProgram,
    /// No program is listed that builds or runs the lane.
    NoToolchain,
    /// No library is listed.
    NoSubject,
    /// A subject is listed twice.
    Twice(Subject),
    /// A server has a name that is empty, used before, or not usable in a list of names.
    ServerName(String),
}

/// A fault in a line of a `failing.txt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineFault {
    /// The line has no reason after a colon.
    NoReason,
    /// There is this number of words before the colon.
    Words(usize),
    /// The format is unknown.
    Format(UnknownFormat),
    /// The kind of value is unknown.
    Target(UnknownValueKind),
}

impl fmt::Display for InvalidLane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidLane::Manifest { lane, fault } => write!(f, "lanes/{lane}/lane.toml: {fault}"),
            InvalidLane::KnownFailures { lane, line, fault } => write!(
                f,
                "lanes/{lane}/failing.txt:{line}: {fault}; expected `library format target: reason` or `library format target reading library: reason`, where * stands for all"
            ),
        }
    }
}

impl std::error::Error for InvalidLane {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            InvalidLane::Manifest { fault: ManifestFault::Toml(error), .. } => Some(error),
            InvalidLane::KnownFailures { fault: LineFault::Format(error), .. } => Some(error),
            InvalidLane::KnownFailures { fault: LineFault::Target(error), .. } => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for ManifestFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ManifestFault::Unreadable => f.write_str("the file is missing or not UTF-8"),
            ManifestFault::Toml(error) => error.fmt(f),
            ManifestFault::Name(name) => {
                write!(f, "`name` is {name:?}, expected the name of the folder")
            }
            ManifestFault::NoProgram => {
                f.write_str("a command without a program; write it as [\"program\", \"argument\"]")
            }
            ManifestFault::NoToolchain => {
                f.write_str("no [[toolchain]]: add one for at least the program that runs the lane")
            }
            ManifestFault::NoSubject => f.write_str("no [[subject]]"),
            ManifestFault::Twice(subject) => write!(f, "{subject} is listed twice"),
            ManifestFault::ServerName(name) => write!(
                f,
                "[[server]] with the name {name:?}; expected a unique name of letters, digits and hyphens"
            ),
        }
    }
}

impl fmt::Display for LineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineFault::NoReason => f.write_str("no reason"),
            LineFault::Words(count) => write!(f, "{count} words before the colon"),
            LineFault::Format(error) => error.fmt(f),
            LineFault::Target(error) => error.fmt(f),
        }
    }
}

impl Manifest {
    /// Reads a manifest; `folder` is the name of the manifest's folder.
    ///
    /// # Errors
    ///
    /// Returns the fault in the text, with line and column if the text is not valid TOML or has
    /// unknown members.
    pub fn read(folder: &str, text: &str) -> Result<Manifest, InvalidLane> {
        let invalid = |fault| InvalidLane::Manifest { lane: folder.to_owned(), fault };
        let manifest: Manifest =
            toml::from_str(text).map_err(|error| invalid(ManifestFault::Toml(error)))?;
        manifest.check(folder).map_err(invalid)?;
        Ok(manifest)
    }

    /// Checks the name, the commands, the toolchain, the subjects and the servers.
    fn check(&self, folder: &str) -> Result<(), ManifestFault> {
        if self.name != folder {
            return Err(ManifestFault::Name(self.name.clone()));
        }
        if self.commands().any(<[String]>::is_empty) {
            return Err(ManifestFault::NoProgram);
        }
        if self.toolchain.is_empty() {
            return Err(ManifestFault::NoToolchain);
        }
        if self.subject.is_empty() {
            return Err(ManifestFault::NoSubject);
        }
        check_subjects(&self.subjects())?;
        for (index, server) in self.server.iter().enumerate() {
            let usable = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
            let is_valid = !server.name.is_empty() && server.name.chars().all(usable);
            if !is_valid || self.server[..index].iter().any(|other| other.name == server.name) {
                return Err(ManifestFault::ServerName(server.name.clone()));
            }
            check_subjects(&subjects_of(&server.subject))?;
        }
        Ok(())
    }

    /// Returns the manifest of the lane with one of its further servers instead of its own; `None` if there is
    /// no server of this name.
    pub(super) fn with_server(&self, name: &str) -> Option<Manifest> {
        let server = self.server.iter().find(|server| server.name == name)?;
        let mut manifest = self.clone();
        manifest.server.clear();
        manifest.run.clone_from(&server.run);
        manifest.build.extend(server.build.iter().cloned());
        if let Some(typed) = &mut manifest.typed {
            typed.build.extend(server.build.iter().cloned());
        }
        if !server.subject.is_empty() {
            manifest.subject.clone_from(&server.subject);
        }
        Some(manifest)
    }

    /// Returns every command.
    fn commands(&self) -> impl Iterator<Item = &[String]> {
        let typed = self.typed.iter().flat_map(|typed| &typed.build);
        let replay = self.replay.iter().flat_map(|replay| replay.build.iter().chain([&replay.run]));
        let servers =
            self.server.iter().flat_map(|server| server.build.iter().chain([&server.run]));
        let own = self.build.iter().chain([&self.run]);
        own.chain(typed).chain(replay).chain(servers).map(Vec::as_slice)
    }

    /// Returns every subject of the lane, sorted by kind of value and format.
    pub fn subjects(&self) -> Vec<Subject> {
        subjects_of(&self.subject)
    }

    /// Returns the note on the times of a subject.
    pub(crate) fn note_of(&self, subject: &Subject) -> Option<&str> {
        let has = |library: &&Library| {
            library.library == subject.library
                && library.formats.contains(&subject.format)
                && library.targets.contains(&subject.target)
        };
        self.subject.iter().find(has)?.note.as_deref()
    }
}

fn subjects_of(libraries: &[Library]) -> Vec<Subject> {
    let mut subjects = Vec::new();
    for target in ValueKind::ALL {
        for library in libraries.iter().filter(|entry| entry.targets.contains(&target)) {
            subjects.extend(library.formats.iter().map(|&format| Subject {
                library: library.library.clone(),
                format,
                target,
                buffer: library.buffer,
                reference: library.reference,
            }));
        }
    }
    // Sorted like the rows of every table.
    subjects.sort_by_key(|subject| (subject.target, subject.format));
    subjects
}

/// Checks that no subject is listed twice.
fn check_subjects(subjects: &[Subject]) -> Result<(), ManifestFault> {
    for (index, subject) in subjects.iter().enumerate() {
        if subjects[..index].iter().any(|other| other.is_same(subject)) {
            return Err(ManifestFault::Twice(subject.clone()));
        }
    }
    Ok(())
}

fn answer_limit() -> u64 {
    60
}

/// The default of [`Manifest::build_idle_limit_s`]. A registry that does not answer is an error within a
/// minute.
fn build_idle_limit() -> u64 {
    50
}

fn native_language<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<NativeLanguage, D::Error> {
    let name = String::deserialize(deserializer)?;
    let native = TARGET_LANGUAGES.iter().filter_map(|row| match row.language {
        TargetLanguage::Native(language) => Some((row.name, language)),
        _ => None,
    });
    let known: Vec<(&str, NativeLanguage)> = native.collect();
    match known.iter().find(|(known, _)| *known == name) {
        Some((_, language)) => Ok(*language),
        None => {
            let known: Vec<&str> = known.iter().map(|(known, _)| *known).collect();
            let message = format_args!("expected one of {}, found {name:?}", known.join(", "));
            Err(serde::de::Error::custom(message))
        }
    }
}

fn formats<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Format>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    if names == ["*"] {
        return Ok(Format::ALL.to_vec());
    }
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
    /// The library, of any lane, whose bytes the subject does not read; `None` if the subject fails by
    /// itself.
    pub writer: Option<String>,
    /// The reason.
    pub reason: String,
}

impl KnownFailure {
    /// Returns whether the line says that this subject fails by itself.
    pub fn covers(&self, subject: &Subject) -> bool {
        self.writer.is_none() && self.names(subject)
    }

    /// Returns whether the line says that this subject does not read what a library writes.
    pub fn covers_reading(&self, subject: &Subject, writer: &str) -> bool {
        self.writer.as_deref() == Some(writer) && self.names(subject)
    }

    fn names(&self, subject: &Subject) -> bool {
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
pub(super) fn read_known_failures(
    lane: &str,
    text: &str,
) -> Result<Vec<KnownFailure>, InvalidLane> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| {
            read_line(line).map_err(|fault| InvalidLane::KnownFailures {
                lane: lane.to_owned(),
                line: number,
                fault,
            })
        })
        .collect()
}

fn read_line(line: &str) -> Result<KnownFailure, LineFault> {
    let (case, reason) = line.split_once(": ").ok_or(LineFault::NoReason)?;
    let words: Vec<&str> = case.split_whitespace().collect();
    let (library, format, target, writer) = match words[..] {
        [library, format, target] => (library, format, target, None),
        [library, format, target, "reading", writer] => (library, format, target, Some(writer)),
        _ => return Err(LineFault::Words(words.len())),
    };
    let missing = library == "missing";
    let named = |word: &str| (word != "*").then(|| word.to_owned());
    let format = named(format).map(|name| name.parse::<Format>()).transpose();
    let target = named(target).map(|name| name.parse::<ValueKind>()).transpose();
    Ok(KnownFailure {
        library: named(library).filter(|_| !missing),
        format: format.map_err(LineFault::Format)?,
        target: target.map_err(LineFault::Target)?,
        missing,
        writer: writer.map(str::to_owned),
        reason: reason.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn borer() -> Subject {
        Subject {
            library: "borer".to_owned(),
            format: Format::Json,
            target: ValueKind::Dynamic,
            buffer: Buffer::Fresh,
            reference: false,
        }
    }

    #[test]
    fn a_pair_of_libraries_fails_without_its_reader_failing() {
        let line = read_line("borer json dynamic reading aeson: 301 digits").expect("a valid line");
        assert_eq!(line.reason, "301 digits");
        assert!(line.covers_reading(&borer(), "aeson"));
        assert!(!line.covers_reading(&borer(), "circe"));
        assert!(!line.covers(&borer()));
        let subject = Subject { format: Format::Cbor, ..borer() };
        assert!(!line.covers_reading(&subject, "aeson"));
    }

    #[test]
    fn a_reader_that_fails_is_not_a_pair() {
        let line = read_line("borer json *: no numbers").expect("a valid line");
        assert!(line.covers(&borer()));
        assert!(!line.covers_reading(&borer(), "aeson"));
    }

    /// A lane with two further servers, the second of which has libraries of its own.
    const WITH_SERVERS: &str = r#"
        name = "s"
        title = "S"
        warm_up_ms = 1
        build = [["make"]]
        run = ["./s"]
        [[server]]
        name = "bare"
        run = ["./s", "bare"]
        [[server]]
        name = "framework"
        build = [["make", "framework"]]
        run = ["./s", "framework"]
        [[server.subject]]
        library = "old"
        formats = ["json"]
        targets = ["dynamic"]
        [[toolchain]]
        program = "make"
        version = ["--version"]
        minimum = "1"
        how = "install make"
        [[subject]]
        library = "new"
        formats = ["json"]
        targets = ["dynamic"]
    "#;

    #[test]
    fn a_server_replaces_the_command_and_the_libraries_it_names() {
        let manifest = Manifest::read("s", WITH_SERVERS).expect("a valid manifest");
        let bare = manifest.with_server("bare").expect("bare");
        assert_eq!(
            (bare.run, bare.build),
            (vec!["./s".into(), "bare".into()], manifest.build.clone())
        );
        assert_eq!(bare.subject[0].library, "new");
        let framework = manifest.with_server("framework").expect("framework");
        assert_eq!(
            framework.build,
            [vec!["make".to_owned()], vec!["make".into(), "framework".into()]]
        );
        assert_eq!(framework.subject[0].library, "old");
        assert!(manifest.with_server("other").is_none());
    }

    #[test]
    fn a_star_stands_for_every_format() {
        let text = WITH_SERVERS.replace("formats = [\"json\"]", "formats = [\"*\"]");
        let manifest = Manifest::read("s", &text).expect("a valid manifest");
        assert_eq!(manifest.subject[0].formats, Format::ALL);
        let mixed = WITH_SERVERS.replace("[\"json\"]", "[\"json\", \"*\"]");
        assert!(Manifest::read("s", &mixed).is_err());
    }

    #[test]
    fn a_note_is_about_the_subjects_of_its_library() {
        let text = WITH_SERVERS.replace("\"new\"", "\"new\"\nnote = \"it is slow\"");
        let manifest = Manifest::read("s", &text).expect("a valid manifest");
        let noted = manifest.subjects().remove(0);
        assert_eq!(manifest.note_of(&noted), Some("it is slow"));
        let typed = Subject { target: ValueKind::Typed, ..noted };
        assert_eq!(manifest.note_of(&typed), None);
        assert_eq!(manifest.note_of(&borer()), None);
    }

    #[test]
    fn types_are_those_of_a_programming_language() {
        let with = |language: &str| {
            let typed = format!("[typed]\nlanguage = \"{language}\"\nfile = []\n");
            Manifest::read("s", &format!("{WITH_SERVERS}\n{typed}"))
        };
        let typed = with("typescript").expect("a valid manifest").typed.expect("types");
        assert_eq!(typed.language, NativeLanguage::TypeScript);
        for language in ["proto", "ts", "Go"] {
            let error = with(language).expect_err(language).to_string();
            let expected = "expected one of rust, go, typescript, java, csharp, python, haskell, scala, found ";
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn servers_have_names_that_a_list_can_hold() {
        for (from, to) in
            [("\"bare\"", "\"\""), ("\"bare\"", "\"a,b\""), ("= \"bare\"", "= \"framework\"")]
        {
            let text = WITH_SERVERS.replacen(from, to, 1);
            let error = Manifest::read("s", &text).expect_err(to);
            assert!(error.to_string().contains("[[server]]"), "{error}");
        }
    }

    #[test]
    fn a_pair_without_a_writer_is_invalid() {
        for line in ["borer json dynamic reading: why", "borer json dynamic writing aeson: why"] {
            assert!(matches!(read_line(line), Err(LineFault::Words(_))), "{line}");
        }
    }
}
