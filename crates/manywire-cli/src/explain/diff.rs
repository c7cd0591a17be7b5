//! `--diff`: the same value in two formats, and what each path costs in either.

use std::collections::HashMap;
use std::io::{self, Write};

use manywire_format::Form;
use manywire_inspect::{Event, Role};
use manywire_shape::Value;

use super::input;
use super::paths::Selection;
use super::short;
use super::subject::{Ended, Known, Subject};
use crate::arguments::Explain;
use crate::exit::Exit;

/// How many paths are told apart; `--depth`, `--items` and `--path` choose among more.
const PATHS_MAX: usize = 1_000_000;

/// What stands at a path: bytes on either side, and what they say.
#[derive(Clone, Default)]
struct Place {
    bytes: [Option<usize>; 2],
    says: [Option<String>; 2],
}

#[derive(Default)]
struct Alignment {
    /// Where each path stands in the list.
    index: HashMap<String, usize>,
    places: Vec<(String, Place)>,
    totals: [usize; 2],
}

impl Alignment {
    /// Adds an event of one side; `false` where there are too many paths.
    fn add(&mut self, side: usize, event: &Event<'_>) -> bool {
        let Event::Span(span) = event else { return true };
        if span.inside.is_some() {
            return true;
        }
        let index = match self.index.get(span.path) {
            Some(index) => *index,
            None if self.places.len() >= PATHS_MAX => return false,
            None => {
                self.index.insert(span.path.to_owned(), self.places.len());
                self.places.push((span.path.to_owned(), Place::default()));
                self.places.len() - 1
            }
        };
        let place = &mut self.places[index].1;
        let length = span.bytes.len();
        self.totals[side] += length;
        *place.bytes[side].get_or_insert(0) += length;
        if matches!(span.role, Role::Value | Role::Fixed) {
            place.says[side] = span.value.and_then(said);
        }
        true
    }
}

/// What a scalar says, whichever format it comes from; `None` for what formats do not share.
fn said(value: Value<'_>) -> Option<String> {
    Some(match value {
        Value::Null => String::from("null"),
        Value::Bool(truth) => truth.to_string(),
        Value::I64(number) => number.to_string(),
        Value::U64(number) => number.to_string(),
        Value::Number(text) => match (text.parse::<i128>(), text.parse::<f64>()) {
            (Ok(number), _) => number.to_string(),
            (_, Ok(number)) => number.to_string(),
            _ => return None,
        },
        // A float of 32 bits is written shorter as one of 64 in JSON.
        Value::F32(number) => number.to_string(),
        Value::F64(number) => number.to_string(),
        Value::Str(text) => text.to_owned(),
        _ => return None,
    })
}

/// Walks both inputs, and writes a row for each path.
pub(super) fn write(
    arguments: &Explain,
    schema: Option<&Known>,
    writer: &mut dyn Write,
) -> Result<Exit, Ended> {
    if arguments.input.len() != 2 || arguments.from.len() > 2 {
        let message =
            "--diff compares two inputs: files, -, or bytes in quotes, with a --from each";
        return Err((Exit::Usage, message.to_owned()).into());
    }
    let mut exit = Exit::Done;
    let mut alignment = Alignment::default();
    let mut forms = Vec::new();
    for (side, input) in input::each(arguments).enumerate() {
        let asked = arguments.from.get(side).or(arguments.from.last()).copied();
        // One format for both is that of the one whose extension does not say another.
        let input = input?;
        let asked = asked.filter(|_| arguments.from.len() == 2 || !input.has_extension());
        let subject = Subject::of(input, asked, schema)?;
        forms.push(subject.form);
        let name = subject.input.name.clone();
        let mut selection = Selection::of(arguments);
        let mut few = true;
        let summary = subject.walk(false, &mut |event| {
            if selection.includes(&event) {
                few &= alignment.add(side, &event);
            }
            Ok(())
        })?;
        if !few {
            let message = format!(
                "{name}: more than {PATHS_MAX} paths; --depth, --items or --path choose among them"
            );
            return Err((Exit::Failed, message).into());
        }
        if summary.faults > 0 {
            eprintln!("error: {name}: it has faults; see `explain {name}`");
            exit = Exit::Failed;
        }
    }
    table(&alignment, &forms, writer)?;
    Ok(exit)
}

fn table(alignment: &Alignment, forms: &[Form], writer: &mut dyn Write) -> io::Result<()> {
    let titles: Vec<String> = forms.iter().map(ToString::to_string).collect();
    let width = titles.iter().map(|title| title.len()).max().unwrap_or(0).max(8);
    let row = |writer: &mut dyn Write, bytes: [Option<usize>; 2], what: &str| {
        for bytes in bytes {
            let bytes = bytes.map_or(String::from("-"), |bytes| bytes.to_string());
            write!(writer, "{bytes:>width$}  ")?;
        }
        let difference = bytes[1].unwrap_or(0) as i64 - bytes[0].unwrap_or(0) as i64;
        writeln!(writer, "{difference:>+10}  {what}")
    };
    for title in &titles {
        write!(writer, "{title:>width$}  ")?;
    }
    writeln!(writer, "{:>10}  path", "difference")?;
    for (path, place) in &alignment.places {
        let path = short::shortened(path);
        let what = match &place.says {
            [Some(one), Some(other)] if one != other => {
                format!("{path}  {} ≠ {}", short::shortened(one), short::shortened(other))
            }
            _ => path.to_string(),
        };
        row(writer, place.bytes, &what)?;
    }
    row(writer, alignment.totals.map(Some), "in all")
}
