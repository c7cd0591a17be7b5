//! `manywire convert`: moves values from one format to another.
//!
//! The arguments become a `Plan`, an `Output` is opened lazily, and `manywire_tools::convert` does the work.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

use manywire_codec::coding::stream;
use manywire_format::{CodingLevel, Form, Format, Framing, Schema as Needs};
use manywire_tools::convert::{Conversion, Failure, Outcome, schema_text};
use manywire_tools::payload::{InputError, STDIN, Schema};

use crate::arguments::{CodingChoice, Convert};
use crate::exit::{Exit, Refusal, usage};
use crate::input;
use crate::signals::{self, INTERRUPTED};

/// What an interrupted conversion has to write what it has; longer it waits for input.
const PATIENCE: Duration = Duration::from_millis(500);

/// Converts the values.
pub(crate) fn run(arguments: &Convert) -> Exit {
    Exit::of(Plan::of(arguments).map(|plan| convert(arguments, &plan)))
}

fn convert(arguments: &Convert, plan: &Plan) -> Exit {
    if let Err(error) = signals::catch_within(PATIENCE) {
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

/// The arguments as things that can be used.
struct Plan {
    conversion: Conversion,
    /// The coding of the output.
    coding: Option<CodingLevel>,
}

impl Plan {
    fn of(arguments: &Convert) -> Result<Plan, Refusal> {
        let output = arguments.output.as_deref().filter(|path| path.as_os_str() != "-");
        let (to_path, coding_out) = output.map_or((None, None), Form::of_path);
        let to = arguments.to.or(to_path).ok_or_else(|| {
            usage(format!(
                "name the format with --to, or write to a file (-o) that ends in {}",
                Form::known_extensions(|_| true)
            ))
        })?;
        let coding = match arguments.coding {
            Some(CodingChoice::Level(level)) => Some(level),
            Some(CodingChoice::None) => None,
            None => coding_out.map(CodingLevel::from),
        };
        check_options(arguments, to)?;
        check_output(arguments, to, coding)?;
        let message = arguments.message.as_deref();
        let schema = arguments.schema.as_deref();
        let schema = schema.map(|path| input::schema(path, message)).transpose()?;
        // The last of all, for a URL is asked for here.
        let Convert { from, from_coding, ref web, .. } = *arguments;
        let (source, from) = input::source_from(&arguments.input, from, from_coding, web)?;
        let conversion = Conversion {
            source,
            from,
            to,
            schema,
            lossy: arguments.lossy,
            pretty: arguments.pretty,
            compression: arguments.avro_codec.unwrap_or_default(),
        };
        Ok(Plan { conversion, coding })
    }
}

/// Options that say something about another format than the one that is written.
fn check_options(arguments: &Convert, to: Form) -> Result<(), Refusal> {
    let has_lines = to.framing == Framing::Lines;
    if arguments.pretty && (to.format != Format::Json || has_lines) {
        return Err(usage(match to.format {
            Format::Json => "--pretty takes several lines for a value, and ndjson has one".into(),
            _ => format!("--pretty is for JSON, and this is to be {to}"),
        }));
    }
    if arguments.avro_codec.is_some() && to.framing != Framing::Container {
        return Err(usage(format!("--avro-codec is for Avro files, and this is to be {to}")));
    }
    if arguments.schema_out.is_some()
        && arguments.schema.is_none()
        && to.format.row().schema == Needs::InBand
    {
        return Err(usage(format!("--schema-out: {to} is written without a schema")));
    }
    Ok(())
}

/// Outputs that would do harm.
fn check_output(arguments: &Convert, to: Form, coding: Option<CodingLevel>) -> Result<(), Refusal> {
    let Some(path) = &arguments.output else {
        let binary = coding.is_some() || !to.format.row().text;
        if binary && stdout().is_terminal() {
            return Err(usage(
                "binary is not for a terminal: write to a file (-o) or a pipe, or insist with -o -",
            ));
        }
        return Ok(());
    };
    let same = |left: &Path, right: &Path| match (left.canonicalize(), right.canonicalize()) {
        (Ok(left), Ok(right)) => left == right,
        _ => false,
    };
    if same(path, &arguments.input) {
        let path = path.display();
        return Err(usage(format!("{path}: the output would overwrite the input as it is read")));
    }
    Ok(())
}

/// Where the bytes go.
enum Output {
    Plain(Target),
    Coded(Box<stream::Writer<Target>>),
}

/// Standard output, or a file that is made when the first bytes for it are there: an input that
/// cannot be read does not cost the file that was there before.
enum Target {
    Stdout(io::StdoutLock<'static>),
    File { path: PathBuf, file: Option<File> },
}

impl Output {
    /// A file, or standard output for none and for `-`.
    fn new(path: Option<&Path>, coding: Option<CodingLevel>) -> Result<Output, String> {
        let target = match path.filter(|path| path.as_os_str() != "-") {
            None => Target::Stdout(io::stdout().lock()),
            Some(path) => Target::File { path: path.to_owned(), file: None },
        };
        Ok(match coding {
            None => Output::Plain(target),
            Some(level) => {
                let writer = stream::Writer::new(level, target);
                Output::Coded(Box::new(writer.map_err(|error| error.to_string())?))
            }
        })
    }

    /// Writes what ends the coding, and makes the file even if nothing was written to it, if all
    /// went well.
    fn finish(self, well: bool) -> io::Result<()> {
        let mut target = match self {
            Output::Plain(target) => target,
            // What was written before a failure can be read, and so must end.
            Output::Coded(writer) => writer.finish()?,
        };
        if well && let Target::File { path, file: file @ None } = &mut target {
            *file = Some(create(path)?);
        }
        target.flush()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Plain(target) => target.write(bytes),
            Output::Coded(writer) => writer.write(bytes),
        }
    }

    /// A coding is not flushed: each time would cost it a part of what it saves.
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Plain(target) => target.flush(),
            Output::Coded(_) => Ok(()),
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::Stdout(stdout) => stdout.write(bytes),
            Target::File { file: Some(file), .. } => file.write(bytes),
            Target::File { .. } if bytes.is_empty() => Ok(0),
            Target::File { path, file } => file.insert(create(path)?).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::Stdout(stdout) => stdout.flush(),
            Target::File { file: Some(file), .. } => file.flush(),
            Target::File { .. } => Ok(()),
        }
    }
}

fn create(path: &Path) -> io::Result<File> {
    File::create(path)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}
