//! `manywire convert`: words first, objects second, then one call.

mod output;
mod plan;

use std::fs;
use std::io;
use std::time::Duration;

use manywire_convert::{Failure, Outcome, schema_text};
use manywire_payload::{InputError, STDIN, Schema};

use crate::arguments::Convert;
use crate::exit::Exit;
use crate::interrupt::{self, INTERRUPTED};

use output::Output;
use plan::Plan;

/// What an interrupted conversion has to write what it has; longer it waits for input.
const PATIENCE: Duration = Duration::from_millis(500);

/// Converts the values.
pub(crate) fn run(arguments: &Convert) -> Exit {
    Exit::of(Plan::of(arguments).map(|plan| convert(arguments, &plan)))
}

fn convert(arguments: &Convert, plan: &Plan) -> Exit {
    if let Err(error) = interrupt::catch_within(PATIENCE) {
        eprintln!("warning: an interrupt will cut the output short: {error}");
    }
    let mut output = match Output::new(arguments.output.as_deref(), plan.coding) {
        Ok(output) => output,
        Err(message) => {
            eprintln!("error: {message}");
            return Exit::Failed;
        }
    };
    let format = plan.conversion.to.format;
    let mut tell = |schema: &Schema| -> Result<(), String> {
        let Some(path) = &arguments.schema_out else { return Ok(()) };
        let failed = |error: String| format!("{}: {error}", path.display());
        let text = schema_text(schema, path, format).map_err(|error| failed(error.to_string()))?;
        fs::write(path, text).map_err(|error| failed(error.to_string()))
    };
    let outcome = plan.conversion.run(&mut output, &mut tell, &INTERRUPTED);
    let ended = output.finish(outcome.failure.is_none());
    report(arguments, &outcome);
    let exit = match (&outcome.failure, &ended) {
        (Some(Failure::Output(error)), _) => closed(error),
        (Some(_), _) => Exit::Failed,
        (None, Err(error)) => closed(error),
        (None, Ok(())) => Exit::Done,
    };
    if let (None, Err(error)) = (&outcome.failure, &ended)
        && exit == Exit::Failed
    {
        eprintln!("error: the output cannot be written: {error}");
    }
    if outcome.interrupted { exit.and(Exit::Interrupted) } else { exit }
}

/// Converts the values to a writer; the error is what would be told of it.
#[cfg(test)]
pub(crate) fn written(
    arguments: &Convert,
    writer: &mut dyn io::Write,
    interrupted: &std::sync::atomic::AtomicBool,
) -> Result<(), String> {
    let plan = Plan::of(arguments).map_err(|(_, message)| message)?;
    let outcome = plan.conversion.run(writer, &mut |_| Ok(()), interrupted);
    report(arguments, &outcome);
    outcome.failure.map_or(Ok(()), |failure| Err(failure.to_string()))
}

/// Whoever reads has seen enough: that is no failure.
fn closed(error: &io::Error) -> Exit {
    if error.kind() == io::ErrorKind::BrokenPipe { Exit::Done } else { Exit::Failed }
}

/// Says what was lost, and what went wrong.
fn report(arguments: &Convert, outcome: &Outcome) {
    for loss in outcome.losses.list() {
        let places = match loss.places {
            1 => String::new(),
            places => format!(" (the first of {places} places)"),
        };
        eprintln!("lossy: {}: {}{places}", loss.path, loss.lost);
    }
    if outcome.losses.unlisted() > 0 {
        eprintln!("lossy: and {} more, of other kinds or elsewhere", outcome.losses.unlisted());
    }
    match &outcome.failure {
        None => {}
        Some(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Some(failure) => {
            eprintln!("error: {failure}");
            let guessed = arguments.from.is_none() && arguments.input.as_os_str() == "-";
            let at_once = |error: &InputError| error.value <= 1 && *error.path == *"$";
            if guessed && matches!(failure, Failure::Input(error) if at_once(error)) {
                eprintln!("hint: {STDIN} is read as JSON unless --from names its format");
            }
        }
    }
}
