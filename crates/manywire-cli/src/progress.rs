use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use manywire_weigh::measure::Progress;

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
