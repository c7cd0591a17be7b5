//! Finds the programs that lanes need, reads their versions, and runs build commands as long as they make
//! progress.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use std::{env, fmt, thread};

use serde::Deserialize;

use crate::weigh::host;
use crate::weigh::launch::{detach, exit_text, kill};

/// The time limit of printing a version; a Java machine takes a second on a busy computer.
const VERSION_LIMIT: Duration = Duration::from_secs(30);

/// A program that a lane needs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// The name of the program.
    pub program: String,
    /// The arguments that make the program print its version.
    pub version: Vec<String>,
    /// The oldest version that works.
    pub minimum: String,
    /// Instructions for installing the program.
    pub how: String,
}

/// The status of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolStatus {
    /// The program is installed in this version.
    Ready(ToolVersion),
    /// The program is not installed, is too old, or does not start. The text has the reason and how
    /// to get it.
    Missing(String),
}

/// The version that a program printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolVersion {
    /// The package that has the version, if it is not the program itself: `aeson` if `ghc-pkg` was
    /// asked for the version of that package, and `util-linux` for a program of that package.
    pub package: Option<String>,
    /// The version, such as `17.0.15`.
    pub number: String,
}

impl fmt::Display for ToolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.package {
            Some(package) => write!(f, "{package} {}", self.number),
            None => f.write_str(&self.number),
        }
    }
}

/// Looks for a program and asks it for its version.
pub(super) fn find(tool: &Tool) -> ToolStatus {
    let missing = |why: &str| ToolStatus::Missing(format!("{}: {why}; {}", tool.program, tool.how));
    let Some(program) = resolve(&tool.program, None) else { return missing("not found in PATH") };
    let mut asked = Command::new(program);
    asked.args(&tool.version);
    // An interrupt does not end a program that only prints its version.
    let text = match run(asked, Limit::Total(VERSION_LIMIT), &AtomicBool::new(false)) {
        ProcessOutcome::Done(text) => text,
        ProcessOutcome::Exited(why) | ProcessOutcome::Failed(why) => {
            return missing(&format!("does not start: {why}"));
        }
        ProcessOutcome::Interrupted => return missing("interrupted"),
    };
    let Some(number) = version(&tool.program, &text) else {
        return missing("its version cannot be read");
    };
    let is_old = numbers(&number) < numbers(&tool.minimum);
    let version = ToolVersion { package: package(tool, &text), number };
    if is_old {
        return missing(&format!("found {version}, expected {} or newer", tool.minimum));
    }
    ToolStatus::Ready(version)
}

/// Returns the path of a program: within `folder` if the name has a slash, otherwise in `PATH`.
pub(super) fn resolve(program: &str, folder: Option<&Path>) -> Option<PathBuf> {
    if program.contains('/') {
        let path = folder?.join(program);
        return path.is_file().then_some(path);
    }
    env::split_paths(&env::var_os("PATH")?).find_map(|folder| program_in(&folder, program))
}

/// Returns the path of a program in a folder of `PATH`.
fn program_in(folder: &Path, program: &str) -> Option<PathBuf> {
    let extensions = if cfg!(windows) { WINDOWS_EXTENSIONS } else { &[] };
    let mut paths = file_names(program, extensions).map(|name| folder.join(name));
    paths.find(|path| path.is_file())
}

/// The extensions of programs on Windows, in the order in which they are tried.
const WINDOWS_EXTENSIONS: &[&str] = &[".exe", ".cmd", ".bat"];

/// Returns the names that the file of a program may have where programs have these extensions. The
/// name of the program may have a dot, as `python3.12` has, so an extension is added to the name.
/// The name alone comes first if it has one of the extensions or if there are none.
fn file_names(program: &str, extensions: &[&str]) -> impl Iterator<Item = String> {
    let has = |extension: &&str| {
        let start = program.len().checked_sub(extension.len());
        let end = start.and_then(|start| program.get(start..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(extension))
    };
    let is_complete = extensions.is_empty() || extensions.iter().any(has);
    let complete = is_complete.then(|| program.to_owned());
    complete.into_iter().chain(extensions.iter().map(move |end| format!("{program}{end}")))
}

/// The words with which Java repeats options from the environment before it prints its version.
const JAVA_OPTIONS: &str = "Picked up ";

/// Returns the version in the output of a program, from the first line that has one. Text in
/// parentheses counts only if there is no other, because packagers have versions, too, as in
/// `g++ (crosstool-NG 1.24.0) 9.3.0`.
fn version(program: &str, text: &str) -> Option<String> {
    let lines = || text.lines().filter(|line| !line.contains(JAVA_OPTIONS));
    let outside = lines().find_map(|line| number(program, &outside_parentheses(line)));
    outside.or_else(|| lines().find_map(|line| number(program, line)))
}

/// Returns the first number with a dot in a line, or else the first number. The name of the program
/// is no version, even if it has digits, as `x86_64` has.
fn number(program: &str, line: &str) -> Option<String> {
    let numbers = || {
        line.split_whitespace()
            .filter(|word| *word != program)
            .flat_map(|word| word.split(|c: char| !(c.is_ascii_digit() || c == '.')))
            .map(|number| number.trim_matches('.'))
            .filter(|number| !number.is_empty())
    };
    numbers().find(|number| number.contains('.')).or_else(|| numbers().next()).map(str::to_owned)
}

/// Returns the text of a line that is not in parentheses.
fn outside_parentheses(line: &str) -> String {
    let mut depth = 0_usize;
    let is_outside = |c: &char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    };
    line.chars().filter(is_outside).collect()
}

/// Returns the package that the version belongs to, if it is not the program itself: the word before
/// `version` in the arguments, as in `ghc-pkg field aeson version`, or the package in the output of a
/// program of util-linux, such as `x86_64 from util-linux 2.38.1`.
fn package(tool: &Tool, text: &str) -> Option<String> {
    let asked = tool.version.windows(2).find(|words| words[1] == "version").map(|words| &*words[0]);
    let named = || text.strip_prefix(&*tool.program)?.strip_prefix(" from ")?.split(' ').next();
    asked.filter(|word| !word.starts_with('-')).or_else(named).map(str::to_owned)
}

fn numbers(version: &str) -> Vec<u64> {
    version.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

/// The end of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProcessOutcome {
    /// Success, with the output: standard error after standard output.
    Done(String),
    /// An exit with a failure, with its status and parts of the output.
    Exited(String),
    /// No exit: the program did not start or exceeded its limit.
    Failed(String),
    /// The user interrupted.
    Interrupted,
}

/// The interval between checks for the end of a program.
const POLL: Duration = Duration::from_millis(10);

/// The maximum size of the output that is kept, in bytes.
const OUTPUT_MAX: usize = 1 << 20;

/// Lines shown from the beginning of a failure's output, which usually name the cause.
const FIRST_LINES: usize = 3;

/// Lines shown from the end of a failure's output.
const LAST_LINES: usize = 3;

/// The time limit of reading the pipes after the exit, since other processes may have inherited
/// them.
const PIPES_LIMIT: Duration = Duration::from_secs(2);

/// The limit of a program's time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    /// The maximum time from start to end.
    Total(Duration),
    /// The maximum time without progress: neither output nor use of the processor, by the program
    /// or by one that it started.
    Idle(Duration),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Total(limit) => write!(f, "not done within {limit:?}"),
            Limit::Idle(limit) => write!(
                f,
                "no progress for {limit:?}: neither output nor use of the processor; is the package registry reachable?"
            ),
        }
    }
}

/// The CPU time that counts as progress within [`Limit::Idle`]. A program that only waits for the
/// network wakes up for its timers.
const CPU_PROGRESS: Duration = Duration::from_millis(50);

/// The interval between readings of CPU time, each of which reads a file for every process.
const CPU_POLL: Duration = Duration::from_secs(1);

/// The time limit without output where the CPU time of a program is unknown. Compilers may print
/// nothing for minutes.
const SILENT_MAX: Duration = Duration::from_secs(15 * 60);

/// The last progress of a running program.
struct Watch {
    limit: Limit,
    /// The start, or the last progress for [`Limit::Idle`].
    since: Instant,
    /// The bytes printed so far.
    printed: usize,
    /// The CPU time at the last reading that showed progress; `None` if it cannot be read.
    cpu: Option<Duration>,
    /// The last reading of the CPU time.
    read: Instant,
}

impl Watch {
    fn new(limit: Limit) -> Self {
        let now = Instant::now();
        Watch { limit, since: now, printed: 0, cpu: Some(Duration::ZERO), read: now }
    }

    /// Returns whether the program has exceeded its limit.
    fn is_exceeded(&mut self, child: &Child, printed: usize) -> bool {
        let idle_max = match self.limit {
            Limit::Total(limit) => return self.since.elapsed() > limit,
            Limit::Idle(limit) => limit,
        };
        if printed > self.printed {
            (self.since, self.printed) = (Instant::now(), printed);
        }
        if self.read.elapsed() >= CPU_POLL.min(idle_max / 2) {
            self.read = Instant::now();
            let cpu = host::group_cpu_time(child.id());
            // The sum falls when a process of the group ends and no process of the group waits for
            // it.
            match (cpu, self.cpu) {
                (Some(now), Some(before)) if now.abs_diff(before) >= CPU_PROGRESS => {
                    (self.since, self.cpu) = (self.read, cpu);
                }
                (Some(_), Some(_)) => {}
                _ => self.cpu = None,
            }
        }
        let limit = if self.cpu.is_some() { idle_max } else { idle_max.max(SILENT_MAX) };
        self.since.elapsed() > limit
    }
}

/// Runs a program to its end, or to the limit.
pub(super) fn run(mut command: Command, limit: Limit, interrupted: &AtomicBool) -> ProcessOutcome {
    let program = command.get_program().to_string_lossy().into_owned();
    detach(&mut command);
    let started =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) => return ProcessOutcome::Failed(format!("{program}: {error}")),
    };
    let printed = Arc::new(AtomicUsize::new(0));
    let outputs = [
        child.stdout.take().map(|pipe| collect(Box::new(pipe), Arc::clone(&printed))),
        child.stderr.take().map(|pipe| collect(Box::new(pipe), Arc::clone(&printed))),
    ];
    let mut watch = Watch::new(limit);
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Ok(status),
            Ok(None) if interrupted.load(Ordering::Relaxed) => {
                kill(&mut child);
                return ProcessOutcome::Interrupted;
            }
            Ok(None) if watch.is_exceeded(&child, printed.load(Ordering::Relaxed)) => {
                kill(&mut child);
                break Err(limit.to_string());
            }
            Ok(None) => thread::sleep(POLL),
            Err(error) => break Err(error.to_string()),
        }
    };
    let printed: Vec<String> = outputs
        .into_iter()
        .flatten()
        .map(|output| output.recv_timeout(PIPES_LIMIT).unwrap_or_default())
        .collect();
    let printed = printed.join("\n");
    match status {
        Ok(status) if status.success() => ProcessOutcome::Done(printed),
        Ok(status) => ProcessOutcome::Exited(with_words(&exit_text(status), &printed)),
        Err(why) => ProcessOutcome::Failed(with_words(&why, &printed)),
    }
}

/// Reads a pipe to its end, and adds the number of bytes to `printed` as they come.
fn collect(mut pipe: Box<dyn Read + Send>, printed: Arc<AtomicUsize>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut output: Vec<u8> = Vec::new();
        let mut part = [0; 8192];
        while let Ok(count) = pipe.read(&mut part) {
            if count == 0 {
                break;
            }
            printed.fetch_add(count, Ordering::Relaxed);
            output.extend_from_slice(&part[..count]);
            // The end of a build's output has the reason of a failure.
            if output.len() > OUTPUT_MAX {
                output.drain(..output.len() - OUTPUT_MAX / 2);
            }
        }
        drop(sender.send(String::from_utf8_lossy(&output).into_owned()));
    });
    receiver
}

fn with_words(how: &str, printed: &str) -> String {
    let lines: Vec<&str> = printed.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return how.to_owned();
    }
    let shown = if lines.len() <= FIRST_LINES + LAST_LINES {
        lines.join(" | ")
    } else {
        let (first, last) = (&lines[..FIRST_LINES], &lines[lines.len() - LAST_LINES..]);
        format!("{} | … | {}", first.join(" | "), last.join(" | "))
    };
    format!("{how}: {shown}")
}

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use super::{Tool, WINDOWS_EXTENSIONS, file_names, numbers, package, program_in, version};

    #[test]
    fn names_of_programs_may_have_dots() {
        let folder = env::temp_dir().join(format!("manywire-programs-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = |program: &str| folder.join(format!("{program}{}", env::consts::EXE_SUFFIX));
        fs::write(path("python3"), "").expect("a file");
        assert_eq!(program_in(&folder, "python3.12"), None);
        fs::write(path("python3.12"), "").expect("a file");
        assert_eq!(program_in(&folder, "python3.12"), Some(path("python3.12")));
        assert_eq!(program_in(&folder, "python3"), Some(path("python3")));
        fs::remove_dir_all(&folder).expect("it was there");
    }

    #[test]
    fn names_of_programs_may_have_their_extension() {
        let names = |program: &str| file_names(program, WINDOWS_EXTENSIONS).collect::<Vec<_>>();
        assert_eq!(names("python3.12")[..2], ["python3.12.exe", "python3.12.cmd"]);
        assert_eq!(names("python.exe")[..2], ["python.exe", "python.exe.exe"]);
        assert_eq!(names("NPM.CMD")[0], "NPM.CMD");
        assert_eq!(names("go")[0], "go.exe");
        assert!(file_names("python3.12", &[]).eq(["python3.12"]));
    }

    #[test]
    fn parses_and_compares_versions() {
        for (program, text, expected) in [
            ("node", "v20.20.2\n", "20.20.2"),
            ("go", "go version go1.26.8 linux/amd64", "1.26.8"),
            ("python3", "Python 3.11.7", "3.11.7"),
            ("java", "openjdk 17 2021-09-14", "17"),
            ("java", "openjdk 17.0.15 2025-04-15", "17.0.15"),
            // The first version of a release has no dot, and the packager's build has some.
            (
                "java",
                "openjdk version \"21\" 2023-09-19\n\
                 OpenJDK Runtime Environment (build 21+35-Ubuntu-122.04.1)\n",
                "21",
            ),
            (
                "java",
                "\nPicked up JAVA_TOOL_OPTIONS: -XX:MaxRAMPercentage=75.0\n\
                 openjdk version \"17.0.15\" 2025-04-15\n",
                "17.0.15",
            ),
            ("javac", "javac 17.0.15\n", "17.0.15"),
            ("mvn", "\u{1b}[1mApache Maven 3.8.7\u{1b}[m\nMaven home: /usr/share/maven\n", "3.8.7"),
            ("cargo", "cargo 1.95.0 (f2d3ce0bd 2026-03-21)\n", "1.95.0"),
            ("ldd", "ldd (Debian GLIBC 2.36-9+deb12u14) 2.36\nCopyright (C) 2022\n", "2.36"),
            ("ldd", "musl libc (x86_64)\nVersion 1.2.4\n", "1.2.4"),
            ("g++", "g++ (crosstool-NG 1.24.0.123_1667) 9.3.0\n", "9.3.0"),
            ("ghc-pkg", "2.0.3.0\n", "2.0.3.0"),
            ("ghc-pkg", "GHC package manager version 9.0.2\n", "9.0.2"),
            (
                "dotnet",
                ".NET SDK (reflecting any global.json):\n Version:   8.0.100\n Commit:    57efcf1350\n",
                "8.0.100",
            ),
            ("mcs", "Mono C# compiler version 6.8.0.105\n", "6.8.0.105"),
            (
                "scala",
                "Scala code runner version 2.13.12 -- Copyright 2002-2023, LAMP/EPFL",
                "2.13.12",
            ),
            ("x86_64", "x86_64 from util-linux 2.38.1\n", "2.38.1"),
            ("x86_64", "x86_64 from util-linux 3\n", "3"),
            ("tool", "tool (1.5)\n", "1.5"),
        ] {
            assert_eq!(version(program, text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(version("none", "none"), None);
        assert!(numbers("1.26.8") > numbers("1.9"));
        assert!(numbers("20") < numbers("20.1"));
    }

    #[test]
    fn versions_may_belong_to_a_package() {
        let of = |program: &str, version: &[&str], text: &str| {
            let version = version.iter().map(|&word| word.to_owned()).collect();
            let (program, minimum, how) = (program.to_owned(), String::new(), String::new());
            package(&Tool { program, version, minimum, how }, text)
        };
        let field = ["field", "aeson", "version", "--simple-output"];
        assert_eq!(of("ghc-pkg", &field, "2.0.3.0\n").as_deref(), Some("aeson"));
        let text = "x86_64 from util-linux 2.38.1\n";
        assert_eq!(of("x86_64", &["--version"], text).as_deref(), Some("util-linux"));
        assert_eq!(of("go", &["version"], "go version go1.26.8 linux/amd64"), None);
        assert_eq!(of("python3", &["-m", "version"], "1.0"), None);
        assert_eq!(of("node", &["--version"], "v20.20.2"), None);
    }
}
