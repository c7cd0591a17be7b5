//! Payloads to serve: the values of a file in memory, and the formats that can hold them.

use std::{fmt, thread};

use manywire::content;
use manywire_codec::Codec;
use manywire_format::{Form, Format, Framing, SchemaNeeds};
use manywire_shape::fidelity::{Loss, Losses, Tolerance, losses_beyond, without_duplicates};
use manywire_shape::fit::fits;
use manywire_shape::infer::Inference;
use manywire_shape::{Arena, Shape, Value, names};
use manywire_tools::payload::{
    Halt, Input, InputError, Item, LIMITS, ProtoJsonRules, Schema, Source, Take,
};

/// A payload that is served at one path.
pub(super) struct Payload {
    pub(super) path: String,
    /// The name of the file, as in the arguments.
    pub(super) name: String,
    /// The values. They are served until the command ends, and so are never freed.
    pub(super) values: &'static [Value<'static>],
    /// True if the values are items of a stream. If not, there is exactly one value.
    pub(super) is_stream: bool,
    pub(super) shape: Shape,
    /// The differences between a value and the one that a format gives back that are not losses.
    pub(super) tolerance: Tolerance,
    /// The memory that the values take, in bytes.
    pub(super) memory_bytes: usize,
}

impl Payload {
    /// Reads all values of a file.
    ///
    /// # Errors
    /// Fails if the file is unreadable or empty, or if a value does not fit the schema.
    pub(super) fn read(
        path: String,
        source: &Source,
        form: Form,
        schema: Option<&Schema>,
    ) -> Result<Payload, InputError> {
        let arena: &'static Arena = Box::leak(Box::default());
        let mut input = Input::open(source, form, schema)?.with_proto_json(ProtoJsonRules::STRICT);
        // In ProtoJSON, an absent field is zero or empty, as readers of the other formats return it.
        let tolerance = Tolerance { defaults: input.reads_proto_json(), ..TOLERANCE };
        // An Avro file contains its schema.
        let shape = schema.or(input.schema()).map(|schema| schema.shape.clone());
        let mut collector = ValueCollector {
            arena,
            values: Vec::new(),
            shape,
            inference: Inference::new(),
            name: source.name(),
        };
        input.each(&mut collector)?;
        let ValueCollector { values, shape, inference, name, .. } = collector;
        if values.is_empty() {
            return Err(InputError::whole(&name, "there is no value to serve"));
        }
        // A container is the usual framing even of a single value in Avro, so one value in it is
        // not a stream.
        let is_framed = !matches!(form.framing, Framing::Single | Framing::Container);
        Ok(Payload {
            is_stream: is_framed || values.len() > 1,
            values: arena.alloc_slice_copy(&values),
            shape: shape.unwrap_or_else(|| inference.shape_named(&type_name(&path))),
            tolerance,
            memory_bytes: arena.allocated_bytes(),
            path,
            name,
        })
    }
}

/// Collects the values of an input, and infers their shape if there is no schema.
struct ValueCollector {
    arena: &'static Arena,
    values: Vec<Value<'static>>,
    shape: Option<Shape>,
    inference: Inference,
    name: String,
}

impl Take for ValueCollector {
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt> {
        // Readers keep only the last entry of duplicate keys, so formats would differ in the others.
        let (value, losses) = without_duplicates(item.value, item.arena);
        for loss in losses {
            eprintln!("warning: {}: {}: {}", self.name, loss.path, loss.lost);
        }
        match &self.shape {
            Some(shape) => fits(shape, &value).map_err(|misfit| Halt::Refused {
                message: format!("expected {}, found {}", misfit.expected, misfit.found),
                path: misfit.path,
            })?,
            None => self.inference.add(&value),
        }
        self.values.push(value.copied(self.arena));
        Ok(())
    }

    fn pause(&mut self) -> Result<(), Halt> {
        Ok(())
    }
}

/// Returns the name of the root record: `OrderItems` for `/order-items`, or `Root` if the name
/// would not begin with an ASCII letter.
fn type_name(path: &str) -> String {
    let name = names::pascal(path);
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name
    } else {
        "Root".to_owned()
    }
}

/// Returns the formats that can represent these values without loss, and the others with the reason.
/// Checks `parallel_max` formats at once; each needs the memory of one value again to read it back.
pub(super) fn usable_formats(
    formats: &[Format],
    shape: &Shape,
    values: &[Value<'static>],
    tolerance: Tolerance,
    is_stream: bool,
    parallel_max: usize,
) -> (Vec<Format>, Vec<(Format, UnusableFormat)>) {
    let (mut usable, mut refused) = (Vec::new(), Vec::new());
    for formats in formats.chunks(parallel_max) {
        let results: Vec<Result<(), UnusableFormat>> = thread::scope(|scope| {
            let check = |format| {
                scope.spawn(move || check_format(format, shape, values, tolerance, is_stream))
            };
            let threads: Vec<_> = formats.iter().map(|format| check(*format)).collect();
            let failed = |_| Err(UnusableFormat::Panic);
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(failed)).collect()
        });
        for (format, result) in formats.iter().zip(results) {
            match result {
                Ok(()) => usable.push(*format),
                Err(reason) => refused.push((*format, reason)),
            }
        }
    }
    (usable, refused)
}

/// The reason that a format cannot represent the values.
pub(super) enum UnusableFormat {
    /// The format cannot put values one after the other.
    NoFraming,
    /// The format cannot represent a value, or its codec cannot read the value back.
    Codec(manywire_codec::Error),
    /// A part of a value was lost when the value was written and read back.
    Loss(Loss),
    /// The codec panicked.
    Panic,
}

impl fmt::Display for UnusableFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnusableFormat::NoFraming => f.write_str("the format has no streams"),
            UnusableFormat::Codec(error) => error.fmt(f),
            UnusableFormat::Loss(loss) => write!(f, "{}: {}", loss.path, loss.lost),
            UnusableFormat::Panic => f.write_str("the codec panicked"),
        }
    }
}

fn check_format(
    format: Format,
    shape: &Shape,
    values: &[Value<'static>],
    tolerance: Tolerance,
    is_stream: bool,
) -> Result<(), UnusableFormat> {
    if is_stream && content::Framing::of(format).next().is_none() {
        return Err(UnusableFormat::NoFraming);
    }
    let codec = Codec::new(format, shape).map_err(UnusableFormat::Codec)?;
    // Self-describing formats refuse values that they cannot represent. With a shape, only reading
    // the value back shows a loss.
    let reads_back = format.row().schema != SchemaNeeds::InBand;
    let (mut bytes, mut arena) = (Vec::new(), Arena::new());
    for value in values {
        bytes.clear();
        codec.encode(value, &mut bytes).map_err(UnusableFormat::Codec)?;
        if reads_back {
            let returned = codec.decode_with(&bytes, &arena, LIMITS);
            let returned = returned.map_err(UnusableFormat::Codec)?;
            let mut losses = Losses::default();
            losses_beyond(tolerance, value, &returned, &mut losses);
            if let Some(loss) = losses.list().first() {
                return Err(UnusableFormat::Loss(loss.clone()));
            }
            arena.reset();
        }
    }
    Ok(())
}

/// A number of another type but the same value is not a loss, nor is a key that has the type of the
/// schema instead of being its text; a missing field is.
const TOLERANCE: Tolerance =
    Tolerance { numbers: true, absence: false, keys: true, defaults: false };
