//! Standard output and standard error: text, colour, and the line that shows progress.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use manywire_tools::weigh::Progress;
use serde::Serialize;

use crate::arguments::Color;
use crate::exit::{CommandError, Exit, failed, usage};
use crate::output_file::{self, OutputFile};

/// Writes text to a file, or to standard output for `-`. A file is replaced only once the whole text is
/// written. A closed pipe is not an error: the reader has stopped reading on purpose.
pub(crate) fn write(path: &Path, text: &str) -> Exit {
    let result = OutputFile::open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.commit()));
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("error: {error}");
            Exit::Failed
        }
        _ => Exit::Done,
    }
}

/// Checks, before anything is measured, that the reports of `--json` and `--html` can be written.
///
/// # Errors
/// Fails if a file is a payload or may not be written, if its folder does not exist, or if both reports
/// have the same file.
pub(crate) fn check_reports(
    json: Option<&Path>,
    html: Option<&Path>,
    inputs: &[PathBuf],
) -> Result<(), CommandError> {
    check_report("--json", json, inputs)?;
    check_report("--html", html, inputs)?;
    match (json, html) {
        (Some(json), Some(html)) if output_file::are_same(json, html) => {
            let name = json.display();
            Err(usage(format!("--json and --html: {name} can have one of the reports only")))
        }
        _ => Ok(()),
    }
}

/// Checks that a report can be written to the file of an option, and that the file is not one of the
/// payloads.
fn check_report(option: &str, path: Option<&Path>, inputs: &[PathBuf]) -> Result<(), CommandError> {
    let Some(path) = path else { return Ok(()) };
    if path.is_file() && inputs.iter().any(|input| output_file::are_same(path, input)) {
        return Err(usage(format!("{option}: {} is one of the payloads", path.display())));
    }
    OutputFile::check(path).map_err(|error| failed(format!("{option}: {error}")))
}

/// Writes a report to the files of `--json` and `--html`, if they are set. Also returns whether one
/// of them is standard output, to which no table must then be printed.
pub(crate) fn write_report(
    report: &impl Serialize,
    json: Option<&Path>,
    html: Option<&Path>,
    page: impl FnOnce() -> String,
) -> (Exit, bool) {
    let mut exit = Exit::Done;
    if let Some(path) = json {
        match serde_json::to_string_pretty(report) {
            Ok(text) => exit = exit.and(write(path, &(text + "\n"))),
            Err(error) => {
                eprintln!("error: the report cannot be written: {error}");
                exit = Exit::Failed;
            }
        }
    }
    if let Some(path) = html {
        exit = exit.and(write(path, &page()));
    }
    (exit, [json, html].contains(&Some(Path::new("-"))))
}

/// Writes text to standard output.
pub(crate) fn print(text: &str) -> Exit {
    write(Path::new("-"), text)
}

/// Returns whether to use colour. `auto` follows <https://no-color.org>.
pub(crate) fn use_color(choice: Color) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match choice {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            std::io::stdout().is_terminal()
                && !set("NO_COLOR")
                && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    }
}

/// Returns the width of standard output in columns: `COLUMNS`, as for `ls`, or the width of the
/// terminal; `None` if neither is known.
pub(crate) fn width() -> Option<usize> {
    let set = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let of_terminal = || {
        let (terminal_size::Width(width), _) = terminal_size::terminal_size_of(std::io::stdout())?;
        Some(width.into())
    };
    set.or_else(of_terminal).filter(|&width| width > 0)
}

/// Progress on standard error: a line that is rewritten in place on a terminal, and a new line each
/// minute elsewhere, such as in the log of a CI job.
pub(crate) struct ProgressLine {
    /// The time of the last line, or of the start.
    shown: Instant,
    is_shown: bool,
    terminal: bool,
}

/// The shortest time between two updates on a terminal: nobody reads faster.
const REFRESH: Duration = Duration::from_millis(80);

/// The shortest time between two lines if standard error is not a terminal.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

impl ProgressLine {
    pub(crate) fn new() -> Self {
        let terminal = std::io::stderr().is_terminal();
        ProgressLine { shown: Instant::now(), is_shown: false, terminal }
    }

    /// Returns whether a line is due at this time after the last one, or after the start.
    fn is_due(&self, after: Duration) -> bool {
        match self.terminal {
            true => !self.is_shown || after >= REFRESH,
            false => after >= LOG_INTERVAL,
        }
    }
}

impl Progress for ProgressLine {
    fn say(&mut self, line: &str) {
        if self.is_due(self.shown.elapsed()) {
            let (start, end) = if self.terminal { ("\r\u{1b}[2K", "") } else { ("", "\n") };
            // An error is ignored: progress is not essential.
            drop(write!(std::io::stderr(), "{start}{line}{end}"));
            (self.shown, self.is_shown) = (Instant::now(), true);
        }
    }

    fn note(&mut self, line: &str) {
        self.finish();
        eprintln!("note: {line}");
    }

    fn finish(&mut self) {
        if std::mem::take(&mut self.is_shown) && self.terminal {
            drop(write!(std::io::stderr(), "\r\u{1b}[2K"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Instant, ProgressLine};

    #[test]
    fn logs_get_a_line_a_minute() {
        for (terminal, is_shown, expected) in [
            // The first line of a terminal appears at once.
            (true, false, [true, true, true]),
            (true, true, [false, true, true]),
            (false, false, [false, false, true]),
            (false, true, [false, false, true]),
        ] {
            let line = ProgressLine { shown: Instant::now(), is_shown, terminal };
            let due = [0, 59, 60].map(|seconds| line.is_due(Duration::from_secs(seconds)));
            assert_eq!(due, expected, "{terminal} {is_shown}");
        }
    }
}
