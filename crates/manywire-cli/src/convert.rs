//! `manywire convert`: moves values from one format to another.
//!
//! The arguments become a `ConvertSetup`, and its `Conversion` writes to an `Output`, which replaces its
//! file only when every value is converted.

use std::io::{self, IsTerminal, Write, stdout};
use std::path::Path;
use std::time::Duration;

use manywire_codec::coding::stream;
use manywire_format::{CodingLevel, Form, Format, Framing, SchemaNeeds};
use manywire_tools::convert::{
    Conversion, Failure, Outcome, SchemaFailure, SchemaLanguage, schema_text,
};
use manywire_tools::payload::{InputError, STDIN, Schema};

use crate::arguments::{CodingChoice, Convert};
use crate::exit::{CommandError, Exit, usage};
use crate::input;
use crate::output_file::{self, OutputFile};
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
    let path = arguments.output.as_deref().unwrap_or(Path::new("-"));
    let outputs = Output::open(path, setup.coding).and_then(|output| {
        let schema = arguments.schema_out.as_deref().map(OutputFile::open).transpose()?;
        Ok((output, schema))
    });
    let (mut output, mut schema_file) = match outputs {
        Ok(outputs) => outputs,
        Err(error) => {
            eprintln!("error: {error}");
            return Exit::Failed;
        }
    };
    let format = setup.conversion.to.format;
    let mut write_schema = |schema: &Schema| -> Result<(), SchemaFailure> {
        let (Some(path), Some(file)) = (&arguments.schema_out, &mut schema_file) else {
            return Ok(());
        };
        let text = schema_text(schema, path, format);
        let text = text.map_err(|error| SchemaFailure::UnsupportedIn(path.clone(), error))?;
        file.write_all(text.as_bytes()).map_err(SchemaFailure::Write)
    };
    let outcome = setup.conversion.run(&mut output, &mut write_schema, &INTERRUPTED);
    let complete = outcome.failure.is_none() && !outcome.interrupted;
    if !complete && output.is_replacement && outcome.values > 0 {
        eprintln!("note: {} is not written: only a whole conversion replaces it", path.display());
    }
    let finished = output.finish(complete).and_then(|()| match schema_file {
        Some(file) if complete => file.commit(),
        _ => Ok(()),
    });
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
        eprintln!("lossy: not listed: {} more", outcome.losses.unlisted());
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
        let schema = arguments.schema.as_deref();
        let schema = schema.map(|path| input::schema(path, &arguments.reading)).transpose()?;
        // The source comes last, because a URL is fetched here.
        let Convert { from, from_coding, ref web, .. } = *arguments;
        let (source, from) = input::source(&arguments.input, from, from_coding, web)?;
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
            Format::Json => {
                "--pretty writes a value on several lines, and NDJSON has one line per value".into()
            }
            _ => format!("--pretty is for JSON, but the output is {to}"),
        }));
    }
    if arguments.avro_codec.is_some() && to.framing != Framing::Container {
        return Err(usage(format!("--avro-codec is for Avro files, but the output is {to}")));
    }
    if arguments.schema_out.is_some()
        && arguments.schema.is_none()
        && to.format.row().schema == SchemaNeeds::InBand
    {
        return Err(usage(format!("--schema-out: {to} is written without a schema")));
    }
    if let Some(SchemaLanguage { extension: own, .. }) = SchemaLanguage::required_by(to)
        && let Some(path) = &arguments.schema_out
        && SchemaLanguage::of_file(path).is_some_and(|language| language.extension != *own)
    {
        return Err(usage(format!(
            "--schema-out: {to} can be read by its own schema only: write a .{own}, which `manywire \
             shape --schema FILE.{own} --as` translates"
        )));
    }
    Ok(())
}

/// Rejects outputs that would do harm: binary data on a terminal, or a schema over the values.
fn check_output(
    arguments: &Convert,
    to: Form,
    coding: Option<CodingLevel>,
) -> Result<(), CommandError> {
    if arguments.output.is_none()
        && (coding.is_some() || !to.format.row().text)
        && stdout().is_terminal()
    {
        return Err(usage(
            "binary is not for a terminal: write to a file (-o) or a pipe, or force it with -o -",
        ));
    }
    let output = arguments.output.as_deref().unwrap_or(Path::new("-"));
    if let Some(path) = &arguments.schema_out
        && output_file::are_same(path, output)
    {
        let path = path.display();
        return Err(usage(format!("--schema-out: {path} is the output of the values")));
    }
    Ok(())
}

/// The output of a conversion.
struct Output {
    writer: OutputWriter,
    /// True if the output replaces a file when it is complete.
    is_replacement: bool,
}

/// An output with or without a content coding.
enum OutputWriter {
    Plain(OutputFile),
    Coded(Box<stream::Writer<OutputFile>>),
}

impl Output {
    /// Opens the output that a path names; `-` is standard output.
    fn open(path: &Path, coding: Option<CodingLevel>) -> io::Result<Output> {
        let file = OutputFile::open(path)?;
        let is_replacement = file.is_replacement();
        let writer = match coding {
            None => OutputWriter::Plain(file),
            Some(level) => {
                let writer = stream::Writer::new(level, file);
                OutputWriter::Coded(Box::new(writer.map_err(io::Error::other)?))
            }
        };
        Ok(Output { writer, is_replacement })
    }

    /// Writes the end of the content coding, and replaces the file. If the conversion is not
    /// `complete`, the file stays as it was; on standard output, the values so far stay readable.
    fn finish(self, complete: bool) -> io::Result<()> {
        if self.is_replacement && !complete {
            return Ok(());
        }
        match self.writer {
            OutputWriter::Plain(file) => file.commit(),
            OutputWriter::Coded(writer) => writer.finish()?.commit(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.writer {
            OutputWriter::Plain(file) => file.write(bytes),
            OutputWriter::Coded(writer) => writer.write(bytes),
        }
    }

    /// Flushes uncompressed output only: each flush of a content coding makes it compress less.
    fn flush(&mut self) -> io::Result<()> {
        match &mut self.writer {
            OutputWriter::Plain(file) => file.flush(),
            OutputWriter::Coded(_) => Ok(()),
        }
    }
}
