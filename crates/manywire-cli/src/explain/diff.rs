//! `--diff`: compares two inputs, such as one value in two formats: the bytes of each at every path.

use std::collections::HashMap;
use std::io::{self, Write};

use manywire_format::Form;
use manywire_inspect::{Event, Role, display};
use manywire_shape::Value;

use super::input;
use super::paths::Selection;
use super::resolve::{ByteSchema, ExplainError, ResolvedInput};
use super::summary::count;
use crate::arguments::Explain;
use crate::exit::{Exit, failed, usage};

/// The largest number of paths. If an input has more, `--depth`, `--items` and `--path` can select
/// some of them.
const PATHS_MAX: usize = 1_000_000;

/// The bytes and the value of a path in each of the two inputs.
#[derive(Clone, Default)]
struct PathComparison {
    bytes: [Option<usize>; 2],
    values: [Option<String>; 2],
}

#[derive(Default)]
struct Alignment {
    /// The index of each path in `paths`.
    index: HashMap<String, usize>,
    paths: Vec<(String, PathComparison)>,
    totals: [usize; 2],
}

impl Alignment {
    /// Adds an event of one input. Returns `false` if there are too many paths.
    fn add(&mut self, side: usize, event: &Event<'_>) -> bool {
        let Event::Span(span) = event else { return true };
        if span.inside.is_some() {
            return true;
        }
        let index = match self.index.get(span.path) {
            Some(index) => *index,
            None if self.paths.len() >= PATHS_MAX => return false,
            None => {
                self.index.insert(span.path.to_owned(), self.paths.len());
                self.paths.push((span.path.to_owned(), PathComparison::default()));
                self.paths.len() - 1
            }
        };
        let comparison = &mut self.paths[index].1;
        let length = span.bytes.len();
        self.totals[side] += length;
        *comparison.bytes[side].get_or_insert(0) += length;
        if matches!(span.role, Role::Value | Role::Fixed) {
            comparison.values[side] = span.value.and_then(comparable_text);
        }
        true
    }
}

/// Returns the text of a scalar in a form that is the same for all formats, or `None` if formats
/// represent it differently.
fn comparable_text(value: Value<'_>) -> Option<String> {
    Some(match value {
        Value::Null => String::from("null"),
        Value::Bool(truth) => truth.to_string(),
        Value::I64(number) | Value::Long(number) => number.to_string(),
        Value::U64(number) => number.to_string(),
        Value::Number(text) => match (text.parse::<i128>(), text.parse::<f64>()) {
            (Ok(number), _) => number.to_string(),
            (_, Ok(number)) => number.to_string(),
            _ => return None,
        },
        // The text of a 32-bit float is the shortest one, as in JSON.
        Value::F32(number) => number.to_string(),
        Value::F64(number) => number.to_string(),
        Value::Str(text) => text.to_owned(),
        _ => return None,
    })
}

/// Walks over both inputs, and writes a row for each path.
pub(super) fn write(
    arguments: &Explain,
    schema: Option<&ByteSchema>,
    writer: &mut dyn Write,
) -> Result<Exit, ExplainError> {
    if arguments.input.len() != 2 || arguments.from.len() > 2 {
        let message =
            "--diff compares two inputs: files, -, or bytes in quotes, with a --from each";
        return Err(usage(message).into());
    }
    let mut exit = Exit::Done;
    let mut alignment = Alignment::default();
    let (mut forms, mut missing) = (Vec::new(), Vec::new());
    for (side, input) in input::open_each(arguments).enumerate() {
        let requested = arguments.from.get(side).or(arguments.from.last()).copied();
        // A single --from applies to the inputs whose extension gives no form.
        let input = input?;
        let requested = requested.filter(|_| arguments.from.len() == 2 || !input.has_extension());
        let resolved = ResolvedInput::of(input, requested, schema)?;
        forms.push(resolved.form);
        let name = resolved.input.name.clone();
        let mut selection = Selection::of(arguments)?;
        let mut within_limit = true;
        let summary = resolved.walk(false, &mut |event| {
            if selection.includes(&event) {
                within_limit &= alignment.add(side, &event);
            }
            Ok(())
        })?;
        missing.extend(selection.check_found(&name).err());
        if !within_limit {
            let message = format!(
                "{name}: more than {PATHS_MAX} paths; --depth, --items or --path choose among them"
            );
            return Err(failed(message).into());
        }
        if summary.faults > 0 {
            let faults = count(summary.faults, "fault");
            eprintln!("error: {name}: {faults}, which `explain` without --diff shows");
            exit = Exit::Failed;
        }
    }
    // A path that only one of the inputs has is a difference like others.
    if missing.len() == forms.len()
        && let Some(error) = missing.pop()
    {
        return Err(error.into());
    }
    table(&alignment, &forms, writer)?;
    Ok(exit)
}

fn table(alignment: &Alignment, forms: &[Form], writer: &mut dyn Write) -> io::Result<()> {
    let titles: Vec<String> = forms.iter().map(ToString::to_string).collect();
    let width = titles.iter().map(|title| title.len()).max().unwrap_or(0).max(8);
    let row = |writer: &mut dyn Write, bytes: [Option<usize>; 2], label: &str| {
        for bytes in bytes {
            let bytes = bytes.map_or(String::from("-"), |bytes| bytes.to_string());
            write!(writer, "{bytes:>width$}  ")?;
        }
        let difference = bytes[1].unwrap_or(0) as i64 - bytes[0].unwrap_or(0) as i64;
        writeln!(writer, "{difference:>+10}  {label}")
    };
    for title in &titles {
        write!(writer, "{title:>width$}  ")?;
    }
    writeln!(writer, "{:>10}  path", "difference")?;
    for (path, comparison) in &alignment.paths {
        let path = display::shortened(path);
        let label = match &comparison.values {
            [Some(one), Some(other)] if one != other => {
                format!("{path}  {} ≠ {}", display::shortened(one), display::shortened(other))
            }
            _ => path.to_string(),
        };
        row(writer, comparison.bytes, &label)?;
    }
    row(writer, alignment.totals.map(Some), "in all")
}
