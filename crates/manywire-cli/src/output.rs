//! Standard output and standard error: text, colour, and the line that shows progress.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use manywire_tools::weigh::Progress;

use crate::arguments::Color;
use crate::exit::{CommandError, Exit, failed, usage};
use crate::output_file::{self, OutputFile};

/// Writes text to a file, or to standard output for `-`. A file is replaced only once the whole text is
/// written. A closed pipe is not an error: the reader has stopped reading on purpose.
pub(crate) fn write(path: &Path, text: &str) -> Exit {
    let result = OutputFile::open(path).and_then(|mut file| {
        let written = file.write_all(text.as_bytes()).and_then(|()| file.commit());
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.to_string()),
            _ => Ok(()),
        }
    });
    match result {
        Ok(()) => Exit::Done,
        Err(message) => {
            eprintln!("error: {message}");
            Exit::Failed
        }
    }
}

/// Checks, before anything is measured, that a report can be written to the file of an option, and that
/// the file is not one of the payloads.
///
/// # Errors
/// Fails if the file is a payload or may not be written, or if its folder does not exist.
pub(crate) fn check_report(
    option: &str,
    path: Option<&Path>,
    inputs: &[PathBuf],
) -> Result<(), CommandError> {
    let Some(path) = path else { return Ok(()) };
    if path.is_file() && inputs.iter().any(|input| output_file::are_same(path, input)) {
        return Err(usage(format!("{option}: {} is one of the payloads", path.display())));
    }
    OutputFile::check(path).map_err(|message| failed(format!("{option}: {message}")))
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

/// A progress line that is rewritten in place on standard error, if that is a terminal.
pub(crate) struct ProgressLine {
    shown: Option<Instant>,
    terminal: bool,
}

/// The shortest time between two updates: nobody reads faster.
const REFRESH: Duration = Duration::from_millis(80);

impl ProgressLine {
    pub(crate) fn new() -> Self {
        ProgressLine { shown: None, terminal: std::io::stderr().is_terminal() }
    }
}

impl Progress for ProgressLine {
    fn say(&mut self, line: &str) {
        if self.terminal && self.shown.is_none_or(|shown| shown.elapsed() >= REFRESH) {
            // An error is ignored: progress is not essential.
            drop(write!(std::io::stderr(), "\r\u{1b}[2K{line}"));
            self.shown = Some(Instant::now());
        }
    }

    fn finish(&mut self) {
        if self.shown.take().is_some() {
            drop(write!(std::io::stderr(), "\r\u{1b}[2K"));
        }
    }
}
