//! `manywire explain`: bytes in, a walk, and a row for each token out.

mod input;
mod lines;
mod select;
mod table;

use std::io::{self, BufWriter, Write};

use manywire_format::Format;
use manywire_inspect::{Event, Options, Summary, detect, walk};

use crate::arguments::Explain;
use crate::exit::Exit;
use crate::output;

use input::Input;
use select::Selection;

/// Explains the bytes.
pub(crate) fn run(arguments: &Explain) -> Exit {
    let input = match input::read(&arguments.input) {
        Ok(input) => input,
        Err((exit, message)) => {
            eprintln!("error: {message}");
            return exit;
        }
    };
    let (format, others) = format(arguments, &input);
    if format == Format::Avro {
        eprintln!("error: Avro needs its schema to be read; `explain --schema` is to come");
        return Exit::Usage;
    }
    if let Some(at) = arguments.at.filter(|at| *at >= input.bytes.len()) {
        eprintln!("error: --at {at}: there are {} bytes", input.bytes.len());
        return Exit::Usage;
    }
    let mut writer = BufWriter::new(io::stdout().lock());
    let written = write(arguments, format, &others, &input.bytes, &mut writer);
    match written.and_then(|summary| writer.flush().map(|()| summary)) {
        Ok(summary) => {
            let failed = summary.faults > 0 || (arguments.check && summary.remarks > 0);
            if failed { Exit::Failed } else { Exit::Done }
        }
        // Whoever reads has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => {
            eprintln!("error: standard output: {error}");
            Exit::Failed
        }
    }
}

/// The format that was asked for, that the extension says or that the bytes show, and what else
/// they could be.
fn format(arguments: &Explain, input: &Input) -> (Format, Vec<Format>) {
    if let Some(format) = arguments.from.or(input.format) {
        return (format, Vec::new());
    }
    let mut fitting = detect(&input.bytes).into_iter();
    (fitting.next().unwrap_or(Format::Json), fitting.collect())
}

fn write(
    arguments: &Explain,
    format: Format,
    others: &[Format],
    bytes: &[u8],
    writer: &mut dyn Write,
) -> io::Result<Summary> {
    let color = output::color(arguments.color);
    let mut table = table::Table::new(bytes, color);
    let mut selection = Selection::of(arguments);
    let mut result = Ok(());
    let options = Options { duplicate_keys: arguments.check, ..Options::DEFAULT };
    let summary = walk(format, bytes, options, &mut |event| {
        // What cannot be written is not walked any faster; the first failure is what counts.
        if result.is_err() || !selection.includes(&event) {
            return;
        }
        result = match (arguments.json, arguments.check) {
            (true, _) => lines::write(&event, writer),
            (false, true) => finding(&event, writer),
            (false, false) => table.add(&event, writer),
        };
    });
    result?;
    if arguments.json {
        return Ok(summary);
    }
    if arguments.check {
        writeln!(writer, "{}", conclusion(format, &summary))?;
        return Ok(summary);
    }
    table.flush(writer)?;
    table.legend(writer)?;
    writeln!(writer)?;
    table::summary(format, others, bytes.len(), &summary, writer)?;
    Ok(summary)
}

/// A fault or a remark in a line.
fn finding(event: &Event<'_>, writer: &mut dyn Write) -> io::Result<()> {
    match event {
        Event::Span(_) => Ok(()),
        Event::Fault(fault) => {
            let path = table::visible(fault.path);
            writeln!(writer, "byte {}, {path}: expected {}", fault.offset, fault.expected)
        }
        Event::Remark(remark) => {
            let path = table::visible(remark.path);
            writeln!(writer, "byte {}, {path}: {}", remark.offset, remark.message)
        }
    }
}

fn conclusion(format: Format, summary: &Summary) -> String {
    let title = format.row().title;
    let count = |number: usize, noun: &str| {
        format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
    };
    format!("{title}: {}, {}", count(summary.faults, "fault"), count(summary.remarks, "remark"))
}
