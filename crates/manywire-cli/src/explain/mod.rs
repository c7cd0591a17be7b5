//! `manywire explain`: walks over bytes, and writes a row for each token.
//!
//! `input` opens the bytes, `resolve` decides their form and schema, and one of the views writes what
//! the walk reports: the table, JSON Lines, `--check`, `--diag`, `--top` or `--diff`.

mod diff;
mod input;
mod json_lines;
mod numbers;
mod paths;
mod query;
mod resolve;
mod reverse;
mod summary;
mod table;
mod top;

use std::io::{self, BufWriter, Write};

use manywire_format::Format;
use manywire_inspect::Diagnostic;

use crate::arguments::Explain;
use crate::exit::{Exit, usage};
use crate::output;

use input::Input;
use numbers::TaggedNumbers;
use paths::Selection;
use resolve::{ByteSchema, ExplainError, ResolvedInput, WalkError};

/// Explains the bytes.
pub(crate) fn run(arguments: &Explain) -> Exit {
    let mut writer = BufWriter::new(io::stdout().lock());
    let explained = explain(arguments, &mut writer);
    let flushed = writer.flush();
    match explained.and_then(|exit| flushed.map(|()| exit).map_err(ExplainError::from)) {
        Ok(exit) => exit,
        Err(ExplainError::Command(exit, message)) => {
            eprintln!("error: {message}");
            exit
        }
        // The reader of the output has stopped reading on purpose.
        Err(ExplainError::OutputClosed) => Exit::Done,
    }
}

/// Explains the bytes to a writer. The error is the message that the command would print.
#[cfg(test)]
pub(crate) fn explain_to(arguments: &Explain, writer: &mut dyn Write) -> Result<(), String> {
    match explain(arguments, writer) {
        Ok(_) | Err(ExplainError::OutputClosed) => Ok(()),
        Err(ExplainError::Command(_, message)) => Err(message),
    }
}

fn explain(arguments: &Explain, writer: &mut dyn Write) -> Result<Exit, ExplainError> {
    if arguments.reverse {
        return reverse::write(&arguments.input, writer);
    }
    let schema = ByteSchema::read(arguments)?;
    if arguments.top {
        return top::write(arguments, schema.as_ref(), writer);
    }
    if arguments.diff {
        return diff::write(arguments, schema.as_ref(), writer);
    }
    let requested = arguments.from.first().copied();
    let input =
        Input::from_arguments(&arguments.input, requested, arguments.coding, &arguments.web)?;
    let resolved = ResolvedInput::of(input, requested, schema.as_ref())?;
    if let (Some(at), Some(length)) = (arguments.at, resolved.input.length)
        && at >= length
    {
        return Err(usage(format!("--at {at}: there are {length} bytes")).into());
    }
    if arguments.diag {
        return diagnostic(arguments, resolved, writer);
    }
    rows(arguments, schema.is_some(), resolved, writer)
}

/// Writes the table, JSON Lines or the findings of `--check`.
fn rows(
    arguments: &Explain,
    has_schema: bool,
    resolved: ResolvedInput<'_>,
    writer: &mut dyn Write,
) -> Result<Exit, ExplainError> {
    let (form, others) = (resolved.form, resolved.others.clone());
    let packed = resolved.input.coded_input().cloned();
    let color = output::use_color(arguments.color);
    let mut table = table::Table::new(resolved.input.length, color, arguments.uncut);
    let mut selection = Selection::of(arguments)?;
    let mut numbers = (form.format == Format::Cbor).then(TaggedNumbers::default);
    let name = resolved.input.name.clone();
    let walked = resolved.walk(arguments.check, &mut |event| {
        let number = numbers.as_mut().and_then(|numbers| numbers.add(&event));
        let number = number.as_deref();
        match selection.includes(&event) {
            false => Ok(()),
            true if arguments.json => json_lines::write(&event, number, writer),
            true if arguments.check => summary::write_finding(&event, writer),
            true => table.add(&event, number, writer),
        }
    });
    let is_table = !arguments.json && !arguments.check;
    if walked.is_ok() && (table.is_empty() || !is_table) {
        selection.check_found(&name)?;
    }
    if is_table && !matches!(walked, Err(WalkError::Write(_))) {
        // Rows before an input error are shown, too.
        table.flush(writer)?;
    }
    let summary = walked?;
    selection.check_found(&name)?;
    if is_table {
        table.legend(writer)?;
        writeln!(writer)?;
        summary::write_totals(form, &others, has_schema, &summary, writer)?;
    } else if !arguments.json {
        summary::write_counts(form, &summary, writer)?;
    }
    if let Some(packed) = packed.filter(|_| !arguments.json) {
        summary::write_unpacked(&packed, &summary, writer)?;
    }
    let failed = summary.faults > 0 || (arguments.check && summary.remarks > 0);
    Ok(Exit::Failed.when(failed))
}

/// Writes CBOR in diagnostic notation.
fn diagnostic(
    arguments: &Explain,
    resolved: ResolvedInput<'_>,
    writer: &mut dyn Write,
) -> Result<Exit, ExplainError> {
    let selects = arguments.at.is_some() || arguments.path.is_some();
    if selects || arguments.depth.is_some() || arguments.items.is_some() {
        let message = "--diag prints whole values: leave --at, --path, --depth and --items out";
        return Err(usage(message).into());
    }
    if resolved.form.format != Format::Cbor {
        let found = resolved.form;
        let message = format!(
            "--diag is the notation of CBOR, and this looks like {found}: if it is CBOR, say so \
             with --from cbor"
        );
        return Err(usage(message).into());
    }
    let mut notation = Diagnostic::default();
    let summary = resolved.walk(false, &mut |event| notation.add(&event, writer))?;
    notation.finish(writer)?;
    Ok(Exit::Failed.when(summary.faults > 0))
}
