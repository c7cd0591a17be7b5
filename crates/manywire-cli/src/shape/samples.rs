//! Samples, one by one, from wherever they are.

use std::path::PathBuf;

use manywire_format::{Form, Format, Framing};
use manywire_payload::{
    Found, Halt, Input, InputError, Item, STDIN, Schema, Source, Take, holds_lines,
};
use manywire_shape::fidelity::without_duplicates;

use crate::exit::Exit;
use crate::gather::{self, How};

/// What cannot be read is named one by one up to this number; of more only how many there are.
const NAMED_MAX: usize = 20;

/// Where samples are.
pub(super) struct Samples {
    sources: Vec<Found>,
    /// What they are read by, where their form needs it.
    schema: Option<Schema>,
}

impl Samples {
    /// The samples in files, in folders, on standard input, at URLs, and in what browsers recorded.
    pub(super) fn of(
        arguments: &[PathBuf],
        how: How<'_>,
        schema: Option<Schema>,
        complaints: &mut Complaints,
    ) -> Samples {
        let mut found = Vec::new();
        for source in gather::sources(arguments, how, schema.is_some()) {
            match source {
                Ok(source) => found.push(source),
                Err(error) => complaints.add(error),
            }
        }
        Samples { sources: found, schema }
    }

    /// Those on standard input, of which this much was read already: all, or its head.
    pub(super) fn of_stdin(head: Vec<u8>, all: bool, from: Option<Form>) -> Samples {
        let lines = Form { format: Format::Json, framing: Framing::Lines };
        let form = match from {
            Some(form) => form,
            None if holds_lines(&head) => lines,
            None => Form::of(Format::Json),
        };
        let source = if all { Source::of_bytes(STDIN, head) } else { Source::of_stdin_after(head) };
        Samples { sources: vec![Found::new(source, form)], schema: None }
    }

    /// Whether they can be read a second time.
    pub(super) fn are_repeatable(&self) -> bool {
        self.sources.iter().all(|found| found.source.is_repeatable())
    }

    /// Hands out every sample that can be read, without the keys that a later one of the same name
    /// overrules, in the memory of the longest. What cannot be read hides no other.
    pub(super) fn each(
        &self,
        complaints: &mut Complaints,
        sink: &mut dyn FnMut(Form, &str, &Item<'_>),
    ) {
        for Found { source, form, .. } in &self.sources {
            let mut taker = Taker { form: *form, file: source.name(), sink: &mut *sink, taken: 0 };
            if let Err(error) = read(source, *form, self.schema.as_ref(), &mut taker, complaints) {
                complaints.add(error);
            }
        }
    }
}

fn read(
    source: &Source,
    form: Form,
    schema: Option<&Schema>,
    taker: &mut Taker<'_>,
    complaints: &mut Complaints,
) -> Result<(), InputError> {
    let mut input = Input::open(source, form, schema)?.with_rounded_fractions();
    let mut whole = true;
    while let Err(error) = input.each(taker) {
        if !input.goes_on() {
            return Err(error);
        }
        complaints.add(error);
        whole = false;
    }
    // A container says of itself that there is nothing in it.
    if taker.taken == 0 && whole && form.framing != Framing::Container {
        return Err(InputError::whole(input.name(), "empty: there is no value in it"));
    }
    Ok(())
}

struct Taker<'t> {
    form: Form,
    file: String,
    sink: &'t mut dyn FnMut(Form, &str, &Item<'_>),
    taken: u64,
}

impl Take for Taker<'_> {
    fn value(&mut self, mut item: Item<'_>) -> Result<(), Halt> {
        self.taken += 1;
        item.value = without_duplicates(item.value, item.arena).0;
        (self.sink)(self.form, &self.file, &item);
        Ok(())
    }

    fn pause(&mut self) -> Result<(), Halt> {
        Ok(())
    }
}

/// What could not be read.
#[derive(Default)]
pub(super) struct Complaints {
    pub(super) named: Vec<InputError>,
    /// How many there are beyond those.
    pub(super) more: u64,
}

impl Complaints {
    fn add(&mut self, error: InputError) {
        if self.named.len() < NAMED_MAX { self.named.push(error) } else { self.more += 1 }
    }

    /// Names them on standard error, and says how the command ends for it.
    pub(super) fn tell(&self) -> Exit {
        self.named.iter().for_each(|error| eprintln!("error: {error}"));
        if self.more > 0 {
            eprintln!("error: and {} more that could not be read", self.more);
        }
        if self.named.is_empty() { Exit::Done } else { Exit::Failed }
    }
}
