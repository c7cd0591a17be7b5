//! `manywire explain`: bytes in, a walk, and a row for each token out.

mod diff;
mod input;
mod lines;
mod paths;
mod reverse;
mod short;
mod subject;
mod summary;
mod table;
mod top;

use std::io::{self, BufWriter, Write};

use manywire_format::Format;
use manywire_inspect::Diagnostic;

use crate::arguments::Explain;
use crate::exit::Exit;
use crate::output;

use input::Input;
use paths::Selection;
use subject::{Ended, Failure, Known, Subject};

/// Explains the bytes.
pub(crate) fn run(arguments: &Explain) -> Exit {
    let mut writer = BufWriter::new(io::stdout().lock());
    let explained = explain(arguments, &mut writer);
    let flushed = writer.flush();
    match explained.and_then(|exit| flushed.map(|()| exit).map_err(Ended::from)) {
        Ok(exit) => exit,
        Err(Ended::Refused(exit, message)) => {
            eprintln!("error: {message}");
            exit
        }
        // Whoever reads has seen enough.
        Err(Ended::Closed) => Exit::Done,
    }
}

/// Explains the bytes to a writer; the error is what would be told of it.
#[cfg(test)]
pub(crate) fn written(arguments: &Explain, writer: &mut dyn Write) -> Result<(), String> {
    match explain(arguments, writer) {
        Ok(_) | Err(Ended::Closed) => Ok(()),
        Err(Ended::Refused(_, message)) => Err(message),
    }
}

fn explain(arguments: &Explain, writer: &mut dyn Write) -> Result<Exit, Ended> {
    if arguments.reverse {
        return reverse::write(&arguments.input, writer);
    }
    let schema = Known::read(arguments)?;
    if arguments.top {
        return top::write(arguments, schema.as_ref(), writer);
    }
    if arguments.diff {
        return diff::write(arguments, schema.as_ref(), writer);
    }
    let asked = arguments.from.first().copied();
    let input = Input::of_words(&arguments.input, asked, arguments.coding, &arguments.web)?;
    let subject = Subject::of(input, asked, schema.as_ref())?;
    if let (Some(at), Some(length)) = (arguments.at, subject.input.length)
        && at >= length
    {
        return Err((Exit::Usage, format!("--at {at}: there are {length} bytes")).into());
    }
    if arguments.diag {
        return diagnostic(arguments, subject, writer);
    }
    rows(arguments, schema.is_some(), subject, writer)
}

/// The table, JSON Lines or the findings of a check.
fn rows(
    arguments: &Explain,
    by_name: bool,
    subject: Subject<'_>,
    writer: &mut dyn Write,
) -> Result<Exit, Ended> {
    let (form, others) = (subject.form, subject.others.clone());
    let packed = subject.input.packed().cloned();
    let color = output::color(arguments.color);
    let mut table = table::Table::new(subject.input.length, color, arguments.uncut);
    let mut selection = Selection::of(arguments);
    let walked = subject.walk(arguments.check, &mut |event| match selection.includes(&event) {
        false => Ok(()),
        true if arguments.json => lines::write(&event, writer),
        true if arguments.check => summary::write_finding(&event, writer),
        true => table.add(&event, writer),
    });
    let is_table = !arguments.json && !arguments.check;
    if is_table && !matches!(walked, Err(Failure::Write(_))) {
        // What came before an input broke off is shown, too.
        table.flush(writer)?;
    }
    let summary = walked?;
    if is_table {
        table.legend(writer)?;
        writeln!(writer)?;
        summary::write(form, &others, by_name, &summary, writer)?;
    } else if !arguments.json {
        summary::conclude(form, &summary, writer)?;
    }
    if let Some(packed) = packed.filter(|_| !arguments.json) {
        summary::unpacked(&packed, &summary, writer)?;
    }
    let failed = summary.faults > 0 || (arguments.check && summary.remarks > 0);
    Ok(if failed { Exit::Failed } else { Exit::Done })
}

/// CBOR in its own notation.
fn diagnostic(
    arguments: &Explain,
    subject: Subject<'_>,
    writer: &mut dyn Write,
) -> Result<Exit, Ended> {
    let selects = arguments.at.is_some() || arguments.path.is_some();
    if selects || arguments.depth.is_some() || arguments.items.is_some() {
        let message = "--diag prints whole values: leave --at, --path, --depth and --items out";
        return Err((Exit::Usage, message.to_owned()).into());
    }
    if subject.form.format != Format::Cbor {
        let found = subject.form;
        let message = format!(
            "--diag is the notation of CBOR, and this looks like {found}: if it is CBOR, say so \
             with --from cbor"
        );
        return Err((Exit::Usage, message).into());
    }
    let mut notation = Diagnostic::default();
    let summary = subject.walk(false, &mut |event| notation.add(&event, writer))?;
    notation.finish(writer)?;
    Ok(if summary.faults > 0 { Exit::Failed } else { Exit::Done })
}
