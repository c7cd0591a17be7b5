//! `convert` from any form to any other, strict and lossy.
//!
//! The output must read as the values of the input, or as the documented lossy results, and what
//! was written before a failure must be complete values.

use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use manywire_codec::avro::container::Compression;
use manywire_format::{FORMS, Form, Framing};
use manywire_shape::fidelity::{Losses, Tolerance, losses_beyond};
use manywire_shape::{Arena, Shape, Value};
use manywire_tools::convert::{Conversion, Failure, Outcome};
use manywire_tools::payload::{Halt, Input, InputCoding, Item, Schema, Source, Take};

use crate::everything::Everything;
use crate::target::{CheckResult, Violation, ensure};

/// The number of bytes at the front of an input that choose the conversion.
pub(crate) const CHOICE_BYTES: usize = 3;

/// The length to which inputs are cut, because each input is converted several times.
const BYTES_MAX: usize = 1 << 10;

/// The maximum number of bytes written: far more than an input of [`BYTES_MAX`] bytes can convert
/// to, unless the conversion trusts a length that the input declares.
const WRITTEN_MAX: usize = 64 << 20;

static EVERYTHING: LazyLock<Schema> = LazyLock::new(|| Schema::from(Shape::of::<Everything>()));

pub(crate) fn check(bytes: &[u8]) -> CheckResult {
    let Some((&[from, to, how], bytes)) = bytes.split_first_chunk::<CHOICE_BYTES>() else {
        return Ok(());
    };
    let bytes = &bytes[..bytes.len().min(BYTES_MAX)];
    let form = |choice: u8| FORMS[usize::from(choice) % FORMS.len()].form;
    let (from, to) = (form(from), form(to));
    let compressions = [Compression::Null, Compression::Deflate, Compression::Zstandard];
    let schema = (from.needs_schema() || how & 1 != 0).then(|| EVERYTHING.clone());
    let strict = Conversion {
        source: uncompressed("input", bytes),
        from,
        to,
        schema,
        lossy: false,
        // A pretty-printed value spans several lines, so the command refuses it for line formats.
        pretty: how & 2 != 0 && to.framing != Framing::Lines,
        compression: compressions[usize::from(how >> 2) % 3],
    };
    let what = |broken: Violation| Violation(format!("{from} to {to}: {broken}"));
    check_strict_and_lossy(&strict).map_err(what)
}

fn check_strict_and_lossy(strict: &Conversion) -> CheckResult {
    let there = ConversionResult::run(strict)?;
    there.check_output(strict, "strict")?;
    there.check_unchanged(strict)?;
    let loose = Conversion { lossy: true, ..strict.clone() };
    let lossy = ConversionResult::run(&loose)?;
    lossy.check_output(&loose, "lossy")?;
    let Outcome { values, .. } = there.outcome;
    match &there.outcome.failure {
        None => {
            let failed = &lossy.outcome.failure;
            ensure!(failed.is_none(), "strict succeeds and lossy fails: {failed:?}");
            ensure!(
                lossy.outcome.losses.is_empty(),
                "strict succeeds and lossy loses {:?}",
                lossy.lost()
            );
            // The sync markers of two container files differ.
            let same = strict.to.framing == Framing::Container || lossy.bytes == there.bytes;
            ensure!(same, "strict output {:02x?}, lossy output {:02x?}", there.bytes, lossy.bytes);
        }
        Some(failure) => {
            ensure!(!failure.to_string().is_empty(), "a failure without a reason");
            let lossy_values = lossy.outcome.values;
            // Schema inference reads all values before the first is written.
            ensure!(
                lossy_values >= values,
                "{values} values when strict, but {lossy_values} when lossy"
            );
        }
    }
    Ok(())
}

/// The result of a conversion.
struct ConversionResult {
    outcome: Outcome,
    bytes: Vec<u8>,
    /// The schema of the output.
    schema: Option<Schema>,
}

impl ConversionResult {
    fn run(conversion: &Conversion) -> Result<ConversionResult, Violation> {
        let mut bytes = Vec::new();
        let mut schema = None;
        let mut report_schema = |written: &Schema| {
            schema = Some(written.clone());
            Ok(())
        };
        let outcome = conversion.run(&mut bytes, &mut report_schema, &AtomicBool::new(false));
        ensure!(bytes.len() <= WRITTEN_MAX, "{} bytes are written", bytes.len());
        let unwritten = matches!(outcome.failure, Some(Failure::Output(_)));
        ensure!(!unwritten, "writing to memory fails: {:?}", outcome.failure);
        Ok(ConversionResult { outcome, bytes, schema })
    }

    fn lost(&self) -> Vec<String> {
        let list = self.outcome.losses.list().iter();
        list.map(|loss| format!("{}: {}", loss.path, loss.lost)).collect()
    }

    /// Checks that the output has the right number of values and converts to its own form without
    /// loss.
    fn check_output(&self, conversion: &Conversion, how: &str) -> CheckResult {
        let Outcome { values, .. } = self.outcome;
        if self.bytes.is_empty() && values == 0 {
            return Ok(());
        }
        let arena = Arena::new();
        let read = self.read_again(conversion, &arena)?;
        ensure!(
            read.len() as u64 == values,
            "{values} {how} values are written, {} read",
            read.len()
        );
        let again = Conversion {
            source: uncompressed("output", &self.bytes),
            from: conversion.to,
            schema: self.schema.clone(),
            lossy: false,
            ..conversion.clone()
        };
        let twice = ConversionResult::run(&again)?;
        let failed = twice.outcome.failure;
        ensure!(
            failed.is_none(),
            "the bytes written {how} are not converted to themselves: {failed:?}"
        );
        ensure!(twice.outcome.values == values, "{values} become {}", twice.outcome.values);
        Ok(())
    }

    fn read_again<'a>(
        &self,
        conversion: &Conversion,
        arena: &'a Arena,
    ) -> Result<Vec<Value<'a>>, Violation> {
        let source = uncompressed("output", &self.bytes);
        let schema = self.schema.as_ref().or(conversion.schema.as_ref());
        values(&source, conversion.to, schema, u64::MAX, arena).map_err(|error| {
            Violation(format!("{:02x?} was written and cannot be read: {error}", self.bytes))
        })
    }

    /// Checks that a strict conversion preserved every value.
    fn check_unchanged(&self, conversion: &Conversion) -> CheckResult {
        let arena = Arena::new();
        let Outcome { values: count, .. } = self.outcome;
        if count == 0 {
            return Ok(());
        }
        let (from, schema) = (conversion.from, conversion.schema.as_ref());
        let before = values(&conversion.source, from, schema, count, &arena).map_err(|error| {
            Violation(format!(
                "{count} values were converted, but reading the input fails: {error}"
            ))
        })?;
        let after = self.read_again(conversion, &arena)?;
        // A given schema defines the meaning of absence, and the type of keys.
        let has_schema = schema.is_some() || from.framing == Framing::Container;
        let tolerance = Tolerance {
            numbers: true,
            absence: has_schema,
            keys: has_schema,
            defaults: has_schema,
        };
        for (before, after) in before.iter().zip(&after) {
            let mut losses = Losses::default();
            losses_beyond(tolerance, before, after, &mut losses);
            ensure!(losses.is_empty(), "{before:?} became {after:?}: {:?}", losses.list());
        }
        Ok(())
    }
}

/// Returns a source whose bytes are not decompressed, even if they begin like compressed data, as
/// an Avro datum may.
fn uncompressed(name: &str, bytes: &[u8]) -> Source {
    Source::of_bytes(name, bytes).with_coding(Some(InputCoding::None))
}

/// Returns the first `count` values of a source.
fn values<'a>(
    source: &Source,
    form: Form,
    schema: Option<&Schema>,
    count: u64,
    arena: &'a Arena,
) -> Result<Vec<Value<'a>>, manywire_tools::payload::InputError> {
    let mut collected = Collect { values: Vec::new(), count, arena };
    let read = Input::open(source, form, schema)?.each(&mut collected);
    // An error after the last requested value does not matter.
    if (collected.values.len() as u64) < count {
        read?;
    }
    Ok(collected.values)
}

struct Collect<'a> {
    values: Vec<Value<'a>>,
    count: u64,
    arena: &'a Arena,
}

impl Take for Collect<'_> {
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt> {
        if self.values.len() as u64 == self.count {
            return Err(Halt::Stopped);
        }
        self.values.push(item.value.copied(self.arena));
        Ok(())
    }

    fn pause(&mut self) -> Result<(), Halt> {
        Ok(())
    }
}
