//! Standard output and standard error: text, colour, and the line that shows progress.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use manywire_tools::weigh::measure::Progress;

use crate::arguments::Color;
use crate::exit::Exit;

/// Writes text to a file, or to standard output for `-`. A closed pipe is not an error: the reader
/// has stopped reading on purpose.
pub(crate) fn write(path: &Path, text: &str) -> Exit {
    let result = if path.as_os_str() == "-" {
        io::stdout().lock().write_all(text.as_bytes()).and_then(|()| io::stdout().flush())
    } else {
        File::create(path).and_then(|mut file| file.write_all(text.as_bytes()))
    };
    match result {
        Ok(()) => Exit::Done,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            Exit::Failed
        }
    }
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
