//! `--top`: which paths own the bytes, over all inputs.

use std::collections::HashMap;
use std::io::{self, Write};

use manywire_inspect::{Event, Role};

use super::input;
use super::paths::{Selection, folded};
use super::short;
use super::subject::{Ended, Known, Subject};
use super::summary::{count, share};
use crate::arguments::Explain;
use crate::exit::Exit;

/// How many paths are shown where `--items` does not say.
const SHOWN: usize = 20;

/// How many paths are told apart. Keys that are data, such as names of users, could be any number.
const PATHS_MAX: usize = 100_000;

/// What the paths beyond share.
const OTHERS: &str = "(other paths)";

/// What a path owns, in bytes.
#[derive(Clone, Copy, Default)]
struct Owned {
    keys: usize,
    heads: usize,
    values: usize,
    /// How many values there are at the path.
    times: usize,
}

impl Owned {
    fn bytes(&self) -> usize {
        self.keys + self.heads + self.values
    }
}

#[derive(Default)]
struct Ranking {
    paths: HashMap<String, Owned>,
    /// The path of the last span, and what it folds to: neighbours share it.
    last: (String, String),
}

impl Ranking {
    fn add(&mut self, event: &Event<'_>) {
        let Event::Span(span) = event else { return };
        // What was unpacked takes no bytes itself.
        if span.inside.is_some() {
            return;
        }
        if self.last.0 != span.path {
            span.path.clone_into(&mut self.last.0);
            self.last.1 = folded(span.path);
        }
        let known = self.paths.contains_key(&self.last.1) || self.paths.len() < PATHS_MAX;
        let path = if known { self.last.1.as_str() } else { OTHERS };
        if !self.paths.contains_key(path) {
            self.paths.insert(path.to_owned(), Owned::default());
        }
        let Some(owned) = self.paths.get_mut(path) else { return };
        let length = span.bytes.len();
        match span.role {
            Role::Key => owned.keys += length,
            _ => {
                owned.heads += span.head;
                owned.values += length - span.head;
            }
        }
        owned.times += usize::from(matches!(span.role, Role::Value | Role::Fixed));
    }
}

/// Walks every input, and writes the paths that own the most bytes.
pub(super) fn write(
    arguments: &Explain,
    schema: Option<&Known>,
    writer: &mut dyn Write,
) -> Result<Exit, Ended> {
    let mut exit = Exit::Done;
    let mut ranking = Ranking::default();
    let (mut inputs, mut values) = (0, 0);
    for input in input::each(arguments) {
        let asked = arguments.from.first().copied();
        // One that cannot be read does not keep the others from being counted.
        let subject = match input.and_then(|input| Subject::of(input, asked, schema)) {
            Ok(subject) => subject,
            Err((failure, message)) => {
                eprintln!("error: {message}");
                exit = exit.and(failure);
                continue;
            }
        };
        let name = subject.input.name.clone();
        // How many rows there are is all that --items says here.
        let selecting = Explain { items: None, ..arguments.clone() };
        let mut selection = Selection::of(&selecting);
        let summary = subject.walk(false, &mut |event| {
            if selection.includes(&event) {
                ranking.add(&event);
            }
            Ok(())
        })?;
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

fn table(paths: HashMap<String, Owned>, shown: usize, writer: &mut dyn Write) -> io::Result<()> {
    let total: usize = paths.values().map(Owned::bytes).sum();
    let mut paths: Vec<(String, Owned)> = paths.into_iter().collect();
    paths.sort_by(|(one, left), (other, right)| {
        right.bytes().cmp(&left.bytes()).then_with(|| one.cmp(other))
    });
    let rest = paths.split_off(shown.min(paths.len()));
    writeln!(writer, "{:>10}  share      keys     heads    values     times  path", "bytes")?;
    for (path, owned) in &paths {
        let Owned { keys, heads, values, times } = *owned;
        let (bytes, share) = (owned.bytes(), share(owned.bytes(), total));
        let path = short::visible(path);
        writeln!(
            writer,
            "{bytes:>10}  {share:>5}  {keys:>8}  {heads:>8}  {values:>8}  {times:>8}  {path}"
        )?;
    }
    if !rest.is_empty() {
        let bytes: usize = rest.iter().map(|(_, owned)| owned.bytes()).sum();
        let (share, more) = (share(bytes, total), count(rest.len(), "more path"));
        writeln!(writer, "{bytes:>10}  {share:>5}  in {more}: --items shows them")?;
    }
    write!(writer, "\n{total} bytes; ")
}
