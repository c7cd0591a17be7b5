//! `--check`: what is wrong and what is unwise, a line each.

use std::io::{self, Write};

use manywire_format::{Form, Framing};
use manywire_inspect::{Event, Summary};

use super::short;
use super::summary::count;

/// A fault or a remark in a line.
pub(crate) fn write(event: &Event<'_>, writer: &mut dyn Write) -> io::Result<()> {
    let place = |offset: usize, inside: Option<usize>| match inside {
        None => format!("byte {offset}"),
        Some(packed) => format!("byte {offset} of what was packed at byte {packed}"),
    };
    match event {
        Event::Span(_) => Ok(()),
        Event::Fault(fault) => {
            let (place, path) = (place(fault.offset, fault.inside), short::visible(fault.path));
            writeln!(writer, "{place}, {path}: expected {}", fault.expected)
        }
        Event::Remark(remark) => {
            let (place, path) = (place(remark.offset, remark.inside), short::visible(remark.path));
            writeln!(writer, "{place}, {path}: {}", remark.message)
        }
    }
}

/// How many there are.
pub(crate) fn conclude(form: Form, summary: &Summary, writer: &mut dyn Write) -> io::Result<()> {
    let title = form.format.row().title;
    let values = match form.framing {
        Framing::Single => String::new(),
        _ => format!("{}, ", count(summary.value_count as usize, "value")),
    };
    let (faults, remarks) = (count(summary.faults, "fault"), count(summary.remarks, "remark"));
    writeln!(writer, "{title}: {values}{faults}, {remarks}")
}
