//! `--top`: the paths that take the most bytes, over all inputs.

use std::io::{self, Write};

use manywire_inspect::{PathBytes, PathRanking, display};

use super::input;
use super::paths::Selection;
use super::resolve::{ByteSchema, ExplainError, ResolvedInput, WalkError};
use super::summary::{count, share};
use crate::arguments::Explain;
use crate::exit::Exit;

/// The maximum number of paths that are shown without `--items`.
const SHOWN: usize = 20;

/// Walks over every input, and writes the paths that take the most bytes.
pub(super) fn write(
    arguments: &Explain,
    schema: Option<&ByteSchema>,
    writer: &mut dyn Write,
) -> Result<Exit, ExplainError> {
    let mut exit = Exit::Done;
    let mut ranking = PathRanking::default();
    let (mut inputs, mut values) = (0, 0);
    for input in input::open_each(arguments) {
        let requested = arguments.from.first().copied();
        // An unreadable input does not stop the others.
        let resolved = match input.and_then(|input| ResolvedInput::of(input, requested, schema)) {
            Ok(resolved) => resolved,
            Err((failure, message)) => {
                eprintln!("error: {message}");
                exit = exit.and(failure);
                continue;
            }
        };
        let name = resolved.input.name.clone();
        // Here --items sets only the number of rows.
        let selecting = Explain { items: None, ..arguments.clone() };
        let mut selection = Selection::of(&selecting)?;
        let walked = resolved.walk(false, &mut |event| {
            if selection.includes(&event) {
                ranking.add(&event);
            }
            Ok(())
        });
        inputs += 1;
        let summary = match walked {
            Ok(summary) => summary,
            // The bytes before the error are in the ranking.
            Err(WalkError::Read { message, values: before }) => {
                eprintln!("error: {message}");
                exit = exit.and(Exit::Failed);
                values += before as usize;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        if let Err((failure, message)) = selection.check_found(&name) {
            eprintln!("error: {message}");
            exit = exit.and(failure);
        }
        if summary.faults > 0 {
            let faults = count(summary.faults, "fault");
            eprintln!("error: {name}: {faults}, which `explain` without --top shows");
            exit = exit.and(Exit::Failed);
        }
        values += summary.value_count as usize;
    }
    let shown = arguments.items.map_or(SHOWN, |items| usize::try_from(items).unwrap_or(usize::MAX));
    table(ranking.into_sorted(), shown, writer)?;
    writeln!(writer, "{} in {}", count(values, "value"), count(inputs, "input"))?;
    Ok(exit)
}

fn table(paths: Vec<PathBytes>, shown: usize, writer: &mut dyn Write) -> io::Result<()> {
    let total: usize = paths.iter().map(PathBytes::bytes).sum();
    let (listed, rest) = paths.split_at(shown.min(paths.len()));
    writeln!(writer, "{:>10}  share      keys     heads    values     times  path", "bytes")?;
    for entry in listed {
        let PathBytes { path, keys, heads, values, times } = entry;
        let (bytes, share) = (entry.bytes(), share(entry.bytes(), total));
        let path = display::visible(path);
        writeln!(
            writer,
            "{bytes:>10}  {share:>5}  {keys:>8}  {heads:>8}  {values:>8}  {times:>8}  {path}"
        )?;
    }
    if !rest.is_empty() {
        let bytes: usize = rest.iter().map(PathBytes::bytes).sum();
        let (share, more) = (share(bytes, total), count(rest.len(), "more path"));
        writeln!(writer, "{bytes:>10}  {share:>5}  in {more}: --items shows them")?;
    }
    write!(writer, "\n{total} bytes; ")
}
