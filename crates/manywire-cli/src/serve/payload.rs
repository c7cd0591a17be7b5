//! Payloads to serve: the values of a file in memory, and the formats that can hold them.

use std::thread;

use manywire::content;
use manywire_codec::Codec;
use manywire_format::{Form, Format, Framing, Schema as SchemaNeeds};
use manywire_shape::fidelity::{Losses, Tolerance, losses_beyond, without_duplicates};
use manywire_shape::infer::{Inference, fits};
use manywire_shape::{Arena, Shape, Value, names};
use manywire_tools::payload::{Halt, Input, InputError, Item, LIMITS, Schema, Source, Take};

/// What is served at one path.
pub(super) struct Payload {
    pub(super) path: String,
    /// The file, as it was given.
    pub(super) name: String,
    /// They are served until the command ends, so nothing of them is ever freed.
    pub(super) values: &'static [Value<'static>],
    /// Whether they are items of a stream; else there is one.
    pub(super) is_stream: bool,
    pub(super) shape: Shape,
    /// What the values take, in bytes.
    pub(super) memory_bytes: usize,
}

impl Payload {
    /// Reads all values of a file.
    ///
    /// # Errors
    /// A file that cannot be read or has no values, a value that does not fit the schema.
    pub(super) fn read(
        path: String,
        source: &Source,
        form: Form,
        schema: Option<&Schema>,
    ) -> Result<Payload, InputError> {
        let arena: &'static Arena = Box::leak(Box::default());
        let mut input = Input::open(source, form, schema)?;
        // An Avro file brings its schema.
        let shape = schema.or(input.schema()).map(|schema| schema.shape.clone());
        let mut reader = Reader {
            arena,
            values: Vec::new(),
            shape,
            seen: Inference::new(),
            name: source.name(),
        };
        input.each(&mut reader)?;
        let Reader { values, shape, seen, name, .. } = reader;
        if values.is_empty() {
            return Err(InputError::whole(&name, "there is no value to serve"));
        }
        // An Avro file is the only way to write Avro down, whether one value is meant or many.
        let is_framed = !matches!(form.framing, Framing::Single | Framing::Container);
        Ok(Payload {
            is_stream: is_framed || values.len() > 1,
            values: arena.alloc_slice_copy(&values),
            shape: shape.unwrap_or_else(|| seen.shape_named(&type_name(&path))),
            memory_bytes: arena.allocated_bytes(),
            path,
            name,
        })
    }
}

/// Takes values in as they come.
struct Reader {
    arena: &'static Arena,
    values: Vec<Value<'static>>,
    shape: Option<Shape>,
    seen: Inference,
    name: String,
}

impl Take for Reader {
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt> {
        // Of entries with one key readers keep the last, so formats would not agree on the others.
        let (value, losses) = without_duplicates(item.value, item.arena);
        for loss in losses {
            eprintln!("warning: {}: {}: {}", self.name, loss.path, loss.lost);
        }
        match &self.shape {
            Some(shape) => fits(shape, &value).map_err(|misfit| Halt::Refused {
                message: format!("expected {}, found {}", misfit.expected, misfit.found),
                path: misfit.path,
            })?,
            None => self.seen.add(&value),
        }
        self.values.push(value.copied(self.arena));
        Ok(())
    }

    fn pause(&mut self) -> Result<(), Halt> {
        Ok(())
    }
}

/// What the record at the root is called: `/order-items` has `OrderItems`.
fn type_name(path: &str) -> String {
    let mut name = String::new();
    for word in names::words(path) {
        let (first, rest) = word.split_at(1);
        name.push_str(&first.to_ascii_uppercase());
        name.push_str(rest);
    }
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name
    } else {
        "Root".to_owned()
    }
}

/// The formats that hold these values as they are, and why the others do not. So many are tried
/// `at_once`, each of which takes the memory of the values again where it reads them back.
pub(super) fn split(
    formats: &[Format],
    shape: &Shape,
    values: &[Value<'static>],
    is_stream: bool,
    at_once: usize,
) -> (Vec<Format>, Vec<(Format, String)>) {
    let (mut held, mut refused) = (Vec::new(), Vec::new());
    for formats in formats.chunks(at_once) {
        let results: Vec<Result<(), String>> = thread::scope(|scope| {
            let check = |format| scope.spawn(move || holds(format, shape, values, is_stream));
            let threads: Vec<_> = formats.iter().map(|format| check(*format)).collect();
            let failed = |_| Err("its codec failed".to_owned());
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(failed)).collect()
        });
        for (format, result) in formats.iter().zip(results) {
            match result {
                Ok(()) => held.push(*format),
                Err(reason) => refused.push((*format, reason)),
            }
        }
    }
    (held, refused)
}

fn holds(
    format: Format,
    shape: &Shape,
    values: &[Value<'static>],
    is_stream: bool,
) -> Result<(), String> {
    if is_stream && content::Framing::of(format).is_empty() {
        return Err("it has no way to put values one after the other".to_owned());
    }
    let codec = Codec::new(format, shape).map_err(|error| error.to_string())?;
    // Formats that say themselves what they hold refuse what they cannot; where a shape decides,
    // only reading it back shows it.
    let reads_back = format.row().schema != SchemaNeeds::InBand;
    let (mut bytes, mut arena) = (Vec::new(), Arena::new());
    for value in values {
        bytes.clear();
        codec.encode(value, &mut bytes).map_err(|error| error.to_string())?;
        if reads_back {
            let returned = codec.decode_with(&bytes, &arena, LIMITS);
            let returned = returned.map_err(|error| error.to_string())?;
            let mut losses = Losses::default();
            losses_beyond(TOLERANCE, value, &returned, &mut losses);
            if let Some(loss) = losses.list().first() {
                return Err(format!("{}: {}", loss.path, loss.lost));
            }
            arena.reset();
        }
    }
    Ok(())
}

/// The same number is no loss; a field that is not there any more is one.
const TOLERANCE: Tolerance = Tolerance { numbers: true, absence: false };
