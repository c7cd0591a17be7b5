//! Owned values through every format: each comes back equal, or is refused with its path.
//!
//! The numbers are those where a format may round or wrap: the bounds of integers, the integers
//! next to a power of two, numbers beyond 64 and 128 bits, and doubles of the same magnitude. Times
//! and bytes go through every format but JSON, which writes them as text and as lists.

use std::marker::PhantomData;

use manywire_codec::{Category, Codec, Error, Limits};
use manywire_format::Format;
use manywire_shape::fidelity::{Losses, Tolerance, losses_beyond};
use manywire_shape::infer::Inference;
use manywire_shape::{Arena, OwnedValue, Shape, Timestamp};

use crate::choices::{Choices, count};
use crate::target::{CheckResult, Violation, ensure};

/// The nesting of values.
const DEPTH: usize = 3;

pub(crate) fn check(bytes: &[u8]) -> CheckResult {
    let value = record(&mut Choices::from_bytes(bytes), DEPTH);
    let arena = Arena::new();
    let mut inference = Inference::default();
    inference.add(&value.borrowed(&arena));
    let inferred = inference.shape();
    let any = Shape::of::<OwnedValue>();
    let written_as_others = holds_time_or_bytes(&value);
    for format in Format::ALL.into_iter().filter(|it| *it != Format::Json || !written_as_others) {
        let what = |broken: Violation| Violation(format!("{value:?} in {format}: {broken}"));
        round_trip(&value, format, &inferred).map_err(what)?;
        round_trip(&value, format, &any).map_err(what)?;
    }
    Ok(())
}

fn round_trip(value: &OwnedValue, format: Format, shape: &Shape) -> CheckResult {
    let codec = match Codec::new(format, shape) {
        Ok(codec) => codec,
        Err(error) => {
            ensure!(error.category() == Category::Unsupported, "the shape is refused: {error}");
            return Ok(());
        }
    };
    let mut bytes = Vec::new();
    if let Err(error) = codec.encode_typed(value, &mut bytes) {
        ensure!(bytes.is_empty(), "bytes of a refused value");
        return check_refusal(&error);
    }
    let read = codec.decode_typed(PhantomData::<OwnedValue>, &bytes, Limits::DEFAULT);
    let read = match read {
        Ok(read) => read,
        // JSON refuses an integer that cannot be told from others with the same nearest double.
        Err(error) if format == Format::Json => return check_refusal(&error),
        Err(error) => return Err(Violation(format!("the written bytes cannot be read: {error}"))),
    };
    // A format with a schema may leave out a field, and may write a float for an integer.
    let by_schema = matches!(format, Format::Protobuf | Format::Avro | Format::MsgPackArray);
    let tolerance = Tolerance { numbers: by_schema, absence: by_schema, ..Tolerance::default() };
    let arena = Arena::new();
    let mut losses = Losses::default();
    losses_beyond(tolerance, &value.borrowed(&arena), &read.borrowed(&arena), &mut losses);
    ensure!(losses.list().is_empty(), "came back as {read:?}: {:?}", losses.list());
    Ok(())
}

/// Checks that a refusal names the value's path and says why.
fn check_refusal(error: &Error) -> CheckResult {
    let category = error.category();
    ensure!(matches!(category, Category::Unsupported | Category::Data), "{category:?}: {error}");
    ensure!(error.path_text().starts_with("$."), "a refusal without the path: {error}");
    ensure!(!error.message().is_empty(), "a refusal without a reason");
    Ok(())
}

fn holds_time_or_bytes(value: &OwnedValue) -> bool {
    match value {
        OwnedValue::Timestamp(_) | OwnedValue::Bytes(_) => true,
        OwnedValue::Array(items) => items.iter().any(holds_time_or_bytes),
        OwnedValue::Map(entries) => entries.iter().any(|entry| holds_time_or_bytes(&entry.1)),
        _ => false,
    }
}

fn record(choices: &mut Choices<'_>, depth: usize) -> OwnedValue {
    const KEYS: [&str; 5] = ["a", "b", "id", "name", "rest"];
    let keys = &KEYS[..count(choices, depth).min(KEYS.len())];
    let entries = keys.iter().map(|&key| (key.into(), any(choices, depth)));
    OwnedValue::Map(entries.collect())
}

fn any(choices: &mut Choices<'_>, depth: usize) -> OwnedValue {
    match choices.below(16) {
        0 => OwnedValue::Null,
        1 => OwnedValue::Bool(choices.one_in(2)),
        2 => choices.text().as_str().into(),
        3 | 4 => finite(choices),
        5 if depth > 1 => record(choices, depth - 1),
        6 if depth > 1 => {
            let items = 0..count(choices, depth);
            items.map(|_| any(choices, depth - 1)).collect::<Vec<_>>().into()
        }
        7 => time(choices),
        8 => OwnedValue::Bytes(choices.bytes()),
        _ => integer(choices),
    }
}

/// Returns a time, often at a bound of 32, 34 or 64 bits of seconds.
fn time(choices: &mut Choices<'_>) -> OwnedValue {
    let seconds = choices.number().cast_signed();
    let nanoseconds = [0, 1, 999_000_000, 999_999_999][choices.below(4)];
    OwnedValue::Timestamp(Timestamp { seconds, nanoseconds })
}

/// Returns a double that JSON can write, often one that equals an integer beyond 64 bits.
fn finite(choices: &mut Choices<'_>) -> OwnedValue {
    let large = 2f64.powi(60 + choices.below(80) as i32);
    let double = [choices.double(), large, -large][choices.below(3)];
    OwnedValue::F64(if double.is_finite() { double } else { 0.5 })
}

/// Returns an integer near a power of two or ten, of up to 40 digits.
fn integer(choices: &mut Choices<'_>) -> OwnedValue {
    let power = match choices.below(4) {
        0 => 10i128.pow(choices.below(39) as u32),
        1 => i128::from(choices.number()),
        _ => 1 << [7, 8, 15, 16, 31, 32, 53, 62, 63, 64, 65, 96, 126][choices.below(13)],
    };
    let near = power + i128::from(choices.byte() % 8) - 4;
    let integer = if choices.one_in(3) { -near } else { near };
    match (i32::try_from(integer), i64::try_from(integer), u64::try_from(integer)) {
        (Ok(narrow), ..) if choices.one_in(2) => narrow.into(),
        (_, Ok(wide), _) => wide.into(),
        (.., Ok(unsigned)) => unsigned.into(),
        _ => {
            // With another zero, the number may go beyond 128 bits.
            let zeros = if choices.one_in(4) { "0" } else { "" };
            OwnedValue::Number(format!("{integer}{zeros}"))
        }
    }
}
