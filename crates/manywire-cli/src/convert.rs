//! `manywire convert`: moves values from one format to another.
//!
//! The arguments become a `ConvertSetup`, and its `Conversion` writes to an `Output`, which creates its
//! file only when there is something to write.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

use manywire_codec::coding::stream;
use manywire_format::{CodingLevel, Form, Format, Framing, SchemaNeeds};
use manywire_tools::convert::{Conversion, Failure, Outcome, schema_text};
use manywire_tools::payload::{InputError, STDIN, Schema};

use crate::arguments::{CodingChoice, Convert};
use crate::exit::{CommandError, Exit, usage};
use crate::input;
use crate::signals::{self, INTERRUPTED};

/// The time that an interrupted conversion has to finish its output. A conversion that waits for
/// input would not notice the interrupt.
const INTERRUPT_GRACE: Duration = Duration::from_millis(500);

/// Converts the values.
pub(crate) fn run(arguments: &Convert) -> Exit {
    Exit::of(ConvertSetup::of(arguments).map(|setup| convert(arguments, &setup)))
}

fn convert(arguments: &Convert, setup: &ConvertSetup) -> Exit {
    if let Err(error) = signals::catch_with_grace(INTERRUPT_GRACE) {
        eprintln!("warning: an interrupt will cut the output short: {error}");
    }
    let mut output = match Output::new(arguments.output.as_deref(), setup.coding) {
        Ok(output) => output,
        Err(message) => {
            eprintln!("error: {message}");
            return Exit::Failed;
        }
    };
    let format = setup.conversion.to.format;
    let mut write_schema = |schema: &Schema| -> Result<(), String> {
        let Some(path) = &arguments.schema_out else { return Ok(()) };
        let failed = |error: String| format!("{}: {error}", path.display());
        let text = schema_text(schema, path, format).map_err(|error| failed(error.to_string()))?;
        fs::write(path, text).map_err(|error| failed(error.to_string()))
    };
    let outcome = setup.conversion.run(&mut output, &mut write_schema, &INTERRUPTED);
    let finished = output.finish(outcome.failure.is_none());
    report(arguments, &outcome);
    let exit = match (&outcome.failure, &finished) {
        (Some(Failure::Output(error)), _) => exit_for_write_error(error),
        (Some(_), _) => Exit::Failed,
        (None, Err(error)) => exit_for_write_error(error),
        (None, Ok(())) => Exit::Done,
    };
    if let (None, Err(error)) = (&outcome.failure, &finished)
        && exit == Exit::Failed
    {
        eprintln!("error: the output cannot be written: {error}");
    }
    if outcome.interrupted { exit.and(Exit::Interrupted) } else { exit }
}

/// Converts the values to a writer. The error is the message that the command would print.
#[cfg(test)]
pub(crate) fn convert_to(
    arguments: &Convert,
    writer: &mut dyn io::Write,
    interrupted: &std::sync::atomic::AtomicBool,
) -> Result<(), String> {
    let setup = ConvertSetup::of(arguments).map_err(|(_, message)| message)?;
    let outcome = setup.conversion.run(writer, &mut |_| Ok(()), interrupted);
    report(arguments, &outcome);
    outcome.failure.map_or(Ok(()), |failure| Err(failure.to_string()))
}

/// Returns the exit for a failed write. A closed pipe is not an error: the reader has stopped reading
/// on purpose.
fn exit_for_write_error(error: &io::Error) -> Exit {
    if error.kind() == io::ErrorKind::BrokenPipe { Exit::Done } else { Exit::Failed }
}

/// Prints losses and errors to standard error.
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

/// The validated arguments of a conversion.
struct ConvertSetup {
    conversion: Conversion,
    /// The coding of the output.
    coding: Option<CodingLevel>,
}

impl ConvertSetup {
    fn of(arguments: &Convert) -> Result<ConvertSetup, CommandError> {
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
        // Comes last because it fetches a URL.
        let Convert { from, from_coding, ref web, .. } = *arguments;
        let (source, from) = input::source_or_url(&arguments.input, from, from_coding, web)?;
        let conversion = Conversion {
            source,
            from,
            to,
            schema,
            lossy: arguments.lossy,
            pretty: arguments.pretty,
            compression: arguments.avro_codec.unwrap_or_default(),
        };
        Ok(ConvertSetup { conversion, coding })
    }
}

/// Rejects options that do not apply to the output format.
fn check_options(arguments: &Convert, to: Form) -> Result<(), CommandError> {
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
        && to.format.row().schema == SchemaNeeds::InBand
    {
        return Err(usage(format!("--schema-out: {to} is written without a schema")));
    }
    Ok(())
}

/// Rejects outputs that would do harm: binary data on a terminal, or the input file itself.
fn check_output(
    arguments: &Convert,
    to: Form,
    coding: Option<CodingLevel>,
) -> Result<(), CommandError> {
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

/// The output of a conversion, with or without a content coding.
enum Output {
    Plain(OutputFile),
    Coded(Box<stream::Writer<OutputFile>>),
}

/// Standard output, or a file that is created when its first bytes are written: an unreadable input
/// does not truncate an existing file.
enum OutputFile {
    Stdout(io::StdoutLock<'static>),
    File { path: PathBuf, file: Option<File> },
}

impl Output {
    /// Returns the output for a file, or for standard output if there is no path or the path is `-`.
    fn new(path: Option<&Path>, coding: Option<CodingLevel>) -> Result<Output, String> {
        let target = match path.filter(|path| path.as_os_str() != "-") {
            None => OutputFile::Stdout(io::stdout().lock()),
            Some(path) => OutputFile::File { path: path.to_owned(), file: None },
        };
        Ok(match coding {
            None => Output::Plain(target),
            Some(level) => {
                let writer = stream::Writer::new(level, target);
                Output::Coded(Box::new(writer.map_err(|error| error.to_string())?))
            }
        })
    }

    /// Writes the end of the content coding. Creates an empty file if the conversion succeeded and
    /// nothing was written.
    fn finish(self, succeeded: bool) -> io::Result<()> {
        let mut target = match self {
            Output::Plain(target) => target,
            // The output before a failure stays readable only if its coding is complete.
            Output::Coded(writer) => writer.finish()?,
        };
        if succeeded && let OutputFile::File { path, file: file @ None } = &mut target {
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

    /// Flushes uncompressed output only: each flush of a content coding makes it compress less.
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Plain(target) => target.flush(),
            Output::Coded(_) => Ok(()),
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            OutputFile::Stdout(stdout) => stdout.write(bytes),
            OutputFile::File { file: Some(file), .. } => file.write(bytes),
            OutputFile::File { .. } if bytes.is_empty() => Ok(0),
            OutputFile::File { path, file } => file.insert(create(path)?).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            OutputFile::Stdout(stdout) => stdout.flush(),
            OutputFile::File { file: Some(file), .. } => file.flush(),
            OutputFile::File { .. } => Ok(()),
        }
    }
}

fn create(path: &Path) -> io::Result<File> {
    File::create(path)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}
