//! Standard output and standard error: text, colour, and the line that shows progress.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use manywire_tools::weigh::measure::Progress;

use crate::arguments::Color;
use crate::exit::Exit;

/// Writes text to a file, or to standard output for `-`. A closed pipe is no failure: whoever
/// reads has seen enough.
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

/// Whether to colour: <https://no-color.org>.
pub(crate) fn color(choice: Color) -> bool {
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

/// One line on standard error that keeps being rewritten, if that is a terminal.
pub(crate) struct Line {
    shown: Option<Instant>,
    terminal: bool,
}

/// Faster than this nobody reads.
const REFRESH: Duration = Duration::from_millis(80);

impl Line {
    pub(crate) fn new() -> Self {
        Line { shown: None, terminal: std::io::stderr().is_terminal() }
    }
}

impl Progress for Line {
    fn say(&mut self, line: &str) {
        if self.terminal && self.shown.is_none_or(|shown| shown.elapsed() >= REFRESH) {
            // Nobody waits for progress that cannot be shown.
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
