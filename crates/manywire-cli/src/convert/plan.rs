use std::io::{IsTerminal, stdout};
use std::path::Path;

use manywire_convert::Conversion;
use manywire_format::{CodingLevel, Form, Format, Framing, Schema as Needs};

use crate::arguments::{CodingChoice, Convert};
use crate::exit::{Refusal, usage};
use crate::input;

/// The arguments as things that can be used.
pub(super) struct Plan {
    pub(super) conversion: Conversion,
    /// The coding of the output.
    pub(super) coding: Option<CodingLevel>,
}

impl Plan {
    pub(super) fn of(arguments: &Convert) -> Result<Plan, Refusal> {
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
