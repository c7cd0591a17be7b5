//! `--top`: the paths that take the most bytes, over all inputs.

use std::collections::HashMap;
use std::io::{self, Write};

use manywire_inspect::{Event, Role};

use super::display;
use super::input;
use super::paths::{Selection, fold_indexes};
use super::resolve::{ByteSchema, ExplainError, ResolvedInput};
use super::summary::{count, share};
use crate::arguments::Explain;
use crate::exit::Exit;

/// The number of paths that are shown without `--items`.
const SHOWN: usize = 20;

/// The largest number of separate paths. Keys that are data, such as user names, could be any number.
const PATHS_MAX: usize = 100_000;

/// The label of all paths beyond that number.
const OTHERS: &str = "(other paths)";

/// The bytes at a path.
#[derive(Clone, Copy, Default)]
struct PathBytes {
    keys: usize,
    heads: usize,
    values: usize,
    /// The number of values at the path.
    times: usize,
}

impl PathBytes {
    fn bytes(&self) -> usize {
        self.keys + self.heads + self.values
    }
}

#[derive(Default)]
struct Ranking {
    paths: HashMap<String, PathBytes>,
    /// The path of the last span, and its folded form: successive spans often have the same path.
    last: (String, String),
}

impl Ranking {
    fn add(&mut self, event: &Event<'_>) {
        let Event::Span(span) = event else { return };
        // Decompressed bytes take no space in the input.
        if span.inside.is_some() {
            return;
        }
        if self.last.0 != span.path {
            span.path.clone_into(&mut self.last.0);
            self.last.1 = fold_indexes(span.path);
        }
        let known = self.paths.contains_key(&self.last.1) || self.paths.len() < PATHS_MAX;
        let path = if known { self.last.1.as_str() } else { OTHERS };
        if !self.paths.contains_key(path) {
            self.paths.insert(path.to_owned(), PathBytes::default());
        }
        let Some(entry) = self.paths.get_mut(path) else { return };
        let length = span.bytes.len();
        match span.role {
            Role::Key => entry.keys += length,
            _ => {
                entry.heads += span.head;
                entry.values += length - span.head;
            }
        }
        entry.times += usize::from(matches!(span.role, Role::Value | Role::Fixed));
    }
}

/// Walks over every input, and writes the paths that take the most bytes.
pub(super) fn write(
    arguments: &Explain,
    schema: Option<&ByteSchema>,
    writer: &mut dyn Write,
) -> Result<Exit, ExplainError> {
    let mut exit = Exit::Done;
    let mut ranking = Ranking::default();
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
        let summary = resolved.walk(false, &mut |event| {
            if selection.includes(&event) {
                ranking.add(&event);
            }
            Ok(())
        })?;
        if let Err((failure, message)) = selection.check_found(&name) {
            eprintln!("error: {message}");
            exit = exit.and(failure);
        }
        if summary.faults > 0 {
            eprintln!("error: {name}: {}; see `explain {name}`", count(summary.faults, "fault"));
            exit = exit.and(Exit::Failed);
        }
        inputs += 1;
        values += summary.value_count as usize;
    }
    let shown = arguments.items.map_or(SHOWN, |items| usize::try_from(items).unwrap_or(usize::MAX));
    table(ranking.paths, shown, writer)?;
    writeln!(writer, "{} in {}", count(values, "value"), count(inputs, "input"))?;
    Ok(exit)
}

fn table(
    paths: HashMap<String, PathBytes>,
    shown: usize,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let total: usize = paths.values().map(PathBytes::bytes).sum();
    let mut paths: Vec<(String, PathBytes)> = paths.into_iter().collect();
    paths.sort_by(|(one, left), (other, right)| {
        right.bytes().cmp(&left.bytes()).then_with(|| one.cmp(other))
    });
    let rest = paths.split_off(shown.min(paths.len()));
    writeln!(writer, "{:>10}  share      keys     heads    values     times  path", "bytes")?;
    for (path, entry) in &paths {
        let PathBytes { keys, heads, values, times } = *entry;
        let (bytes, share) = (entry.bytes(), share(entry.bytes(), total));
        let path = display::visible(path);
        writeln!(
            writer,
            "{bytes:>10}  {share:>5}  {keys:>8}  {heads:>8}  {values:>8}  {times:>8}  {path}"
        )?;
    }
    if !rest.is_empty() {
        let bytes: usize = rest.iter().map(|(_, entry)| entry.bytes()).sum();
        let (share, more) = (share(bytes, total), count(rest.len(), "more path"));
        writeln!(writer, "{bytes:>10}  {share:>5}  in {more}: --items shows them")?;
    }
    write!(writer, "\n{total} bytes; ")
}
