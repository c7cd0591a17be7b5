//! Properties of all formats: a value of a shape is read back as it was written, except for the
//! losses of the format, or it is rejected with the path to the part that the format cannot
//! represent. No bytes make a reader panic.

use std::cell::Cell;

use crate::support::corpus::difference::difference;
use crate::support::corpus::{Leaves, corpus};
use manywire_codec::{Category, Codec, Error, Segment};
use manywire_format::{FORMATS, Format, IntegerRange, SchemaNeeds, TimePrecision};
use manywire_shape::infer::Inference;
use manywire_shape::{Arena, Node, OwnedValue, Shape, Space, Timestamp, Value};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};

/// Failures are shrunk and printed. Persisting them in a file would depend on the location of this
/// one.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn inferred(values: &[Value<'_>]) -> Shape {
    let mut inference = Inference::new();
    values.iter().for_each(|value| inference.add(value));
    inference.shape()
}

/// Runs a test over generated corpora with each format's codec for the corpus's shape.
fn for_every_format(
    cases: u32,
    leaves: Leaves,
    test: impl Fn(&Codec, &Shape, &[Value<'_>]) -> Result<(), TestCaseError>,
) {
    let check = |samples: Vec<OwnedValue>| {
        let arena = Arena::new();
        let values: Vec<_> = samples.iter().map(|sample| sample.borrowed(&arena)).collect();
        let shape = inferred(&values);
        for row in FORMATS {
            match Codec::new(row.format, &shape) {
                Ok(codec) => test(&codec, &shape, &values)?,
                Err(error) => prop_assert!(false, "{}: {error} for {shape}", row.name),
            }
        }
        Ok(())
    };
    TestRunner::new(config(cases))
        .run(&corpus(leaves), check)
        .unwrap_or_else(|error| panic!("{error}"));
}

fn encoded(codec: &Codec, value: &Value<'_>) -> Result<Vec<u8>, Error> {
    let mut out = vec![0xAA];
    let result = codec.encode(value, &mut out);
    assert_eq!(out[0], 0xAA, "{}: what stood before was changed", codec.format());
    if result.is_err() {
        assert_eq!(out.len(), 1, "{}: a rejected value left bytes behind", codec.format());
    }
    out.remove(0);
    result.map(|()| out)
}

fn comes_back(
    codec: &Codec,
    shape: &Shape,
    value: &Value<'_>,
    bytes: &[u8],
) -> Result<(), TestCaseError> {
    let format = codec.format();
    let arena = Arena::new();
    match codec.decode(bytes, &arena) {
        Err(error) => {
            prop_assert!(false, "{format}: {error} in {bytes:02x?} of {value:?} in {shape}");
        }
        Ok(read) => {
            if let Err(difference) = difference(format, shape, value, &read) {
                prop_assert!(false, "{format}: ${difference}, in {bytes:02x?} in {shape}");
            }
        }
    }
    Ok(())
}

#[test]
fn every_format_round_trips_common_values() {
    for_every_format(1_500, Leaves::Common, |codec, shape, values| {
        for value in values {
            match encoded(codec, value) {
                Ok(bytes) => comes_back(codec, shape, value, &bytes)?,
                Err(error) => {
                    let format = codec.format();
                    let is_expected = leads_to_unsupported_part(format, shape, value, &error);
                    prop_assert!(is_expected, "{format}: {error} of {value:?} in {shape}");
                }
            }
        }
        Ok(())
    });
}

#[test]
fn other_values_round_trip_or_are_rejected_with_their_path() {
    let rejected: Vec<Cell<u32>> = FORMATS.iter().map(|_| Cell::new(0)).collect();
    let accepted: Vec<Cell<u32>> = FORMATS.iter().map(|_| Cell::new(0)).collect();
    for_every_format(1_500, Leaves::All, |codec, shape, values| {
        let format = codec.format();
        let count = |cells: &[Cell<u32>]| {
            let cell = &cells[format as usize];
            cell.set(cell.get() + 1);
        };
        for value in values {
            match encoded(codec, value) {
                Ok(bytes) => {
                    comes_back(codec, shape, value, &bytes)?;
                    count(&accepted);
                }
                Err(error) => {
                    prop_assert_eq!(error.category(), Category::Unsupported, "{}", error);
                    prop_assert_eq!(error.format(), Some(format), "{}", error);
                    let is_expected = leads_to_unsupported_part(format, shape, value, &error);
                    prop_assert!(is_expected, "{format}: {error} of {value:?} in {shape}");
                    count(&rejected);
                }
            }
        }
        Ok(())
    });
    for row in FORMATS {
        let (accepted, rejected) = (&accepted[row.format as usize], &rejected[row.format as usize]);
        println!(
            "{}: {} were read back, {} were rejected",
            row.name,
            accepted.get(),
            rejected.get()
        );
        assert!(accepted.get() > 500, "{}: too few values were read back", row.name);
        assert!(rejected.get() > 50, "{}: too few values were rejected", row.name);
    }
}

/// Checks whether a rejection's path leads to a part that the format's row declares unsupported.
fn leads_to_unsupported_part(
    format: Format,
    shape: &Shape,
    value: &Value<'_>,
    error: &Error,
) -> bool {
    let mut place = *value;
    for segment in error.path() {
        // An entry of a map with keys that are not text is named by its index, or its key is in the
        // path as text.
        if let Value::Map(entries) = place
            && (matches!(segment, Segment::Index(_)) || !entries.iter().all(|(key, _)| text(key)))
        {
            return contains_unsupported(format, &place, shape);
        }
        let below = match (segment, place) {
            (Segment::Index(index), Value::Array(items)) => items.get(*index).copied(),
            (Segment::Key(key), Value::Map(entries)) => {
                let named = |(name, _): &&_| matches!(name, Value::Str(name) if name == key);
                let mut named = entries.iter().filter(named).map(|(_, value)| *value);
                let first = named.next();
                // The path does not tell which of two equal keys it means.
                if let (Some(_), Some(_)) = (first, named.next()) {
                    return contains_unsupported(format, &place, shape);
                }
                first
            }
            _ => None,
        };
        match below {
            Some(below) => place = below,
            None => return false,
        }
    }
    let top = error.path().len() == 0;
    // The path of a rejected key leads to the map.
    let keys = match place {
        Value::Map(entries) => {
            entries.iter().any(|(key, _)| contains_unsupported(format, key, shape))
        }
        _ => false,
    };
    keys || is_unsupported(format, &place, top, shape)
}

/// Checks whether a value contains a part that the format cannot represent.
fn contains_unsupported(format: Format, value: &Value<'_>, shape: &Shape) -> bool {
    let below = |value: &Value<'_>| contains_unsupported(format, value, shape);
    is_unsupported(format, value, false, shape)
        || match value {
            Value::Array(items) => items.iter().any(below),
            Value::Map(entries) => {
                let has_schema = format.row().schema != SchemaNeeds::InBand;
                let has_duplicates = entries.iter().enumerate().any(|(index, (key, _))| {
                    entries[..index].iter().any(|(before, _)| before == key)
                });
                has_schema && has_duplicates
                    || entries.iter().any(|(key, value)| below(key) || below(value))
            }
            _ => false,
        }
}

fn text(key: &Value<'_>) -> bool {
    matches!(key, Value::Str(_))
}

/// Checks whether the format cannot represent the value itself, or a key of it, by its row in the
/// table of formats.
fn is_unsupported(format: Format, value: &Value<'_>, top: bool, shape: &Shape) -> bool {
    let holds = format.row().holds;
    // BSON has documents at the top only.
    let scalar = !matches!(value, Value::Array(_) | Value::Map(_));
    if format == Format::Bson && top && (scalar || is_ambiguous_in_bson(value, shape)) {
        return true;
    }
    match value {
        Value::Bytes(_) => !holds.bytes,
        Value::U64(_) => holds.integers < IntegerRange::U64,
        Value::Number(text) => match holds.integers {
            IntegerRange::I64 | IntegerRange::U64 => true,
            IntegerRange::BytesOf128 => text.parse::<i128>().is_err(),
            IntegerRange::Any => false,
        },
        Value::F32(float) => !holds.non_finite && !float.is_finite(),
        Value::F64(float) => !holds.non_finite && !float.is_finite(),
        Value::Timestamp(time) => match holds.times {
            TimePrecision::None => true,
            TimePrecision::Milliseconds => !in_milliseconds(*time),
            TimePrecision::Nanoseconds => false,
        },
        Value::Ext(ext) => !spaces(format).contains(&ext.space),
        Value::Map(entries) => !holds.any_key && entries.iter().any(|(key, _)| !text(key)),
        _ => false,
    }
}

/// Returns the extensions that a format has.
fn spaces(format: Format) -> &'static [Space] {
    match format {
        Format::MsgPack | Format::MsgPackArray => &[Space::MessagePack],
        Format::Cbor => &[Space::CborTag, Space::CborSimple],
        Format::Bson => &[Space::Bson],
        Format::Avro => &[Space::MessagePack, Space::CborTag, Space::CborSimple, Space::Bson],
        Format::Json | Format::Protobuf => &[],
    }
}

/// Checks whether a point in time is a number of milliseconds within 64 bits.
fn in_milliseconds(time: Timestamp) -> bool {
    time.nanoseconds.is_multiple_of(1_000_000)
        && time.seconds.checked_mul(1_000).is_some_and(|whole| whole.checked_add(999).is_some())
}

/// Checks whether BSON, which only has documents at the top level, cannot tell an array from a map
/// by its keys although the shape allows both.
fn is_ambiguous_in_bson(value: &Value<'_>, shape: &Shape) -> bool {
    let mut root = shape.node(shape.root());
    while let Node::Option(inner) = root {
        root = shape.node(*inner);
    }
    let numbered = |entries: &[(Value<'_>, Value<'_>)]| {
        entries.iter().zip(0..).all(|((key, _), index)| *key == Value::Str(&format!("{index}")))
    };
    matches!(root, Node::Union(_) | Node::Any)
        && match value {
            Value::Array(items) => items.is_empty(),
            Value::Map(entries) => !entries.is_empty() && numbered(entries),
            _ => false,
        }
}

/// Truncated or changed bytes are not a value.
#[test]
fn rejects_truncated_values() {
    for_every_format(150, Leaves::All, |codec, _, values| {
        for value in values {
            let Ok(bytes) = encoded(codec, value) else { continue };
            // Every position in short inputs, some in long ones.
            for end in (0..bytes.len()).step_by(1 + bytes.len() / 100) {
                let arena = Arena::new();
                let part = &bytes[..end];
                match (codec.format(), codec.decode(part, &arena)) {
                    // A part of a message is a message, and a part of a number may be a number.
                    (Format::Protobuf, _) => {}
                    (
                        Format::Json,
                        Ok(Value::I64(_) | Value::U64(_) | Value::F64(_) | Value::Number(_)),
                    ) => {}
                    (_, Err(_)) => {}
                    (format, Ok(read)) => {
                        prop_assert!(false, "{format}: {part:02x?} of {bytes:02x?} is {read:?}");
                    }
                }
            }
        }
        Ok(())
    });
}

/// A value read from changed bytes can be written and read back.
#[test]
fn values_of_changed_bytes_can_be_written() {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<Change>()), 1..4);
    let cases = (corpus(Leaves::All), prop::collection::vec(changes, 8));
    let read_again = Cell::new(0);
    let check = |(samples, all_changes): (Vec<OwnedValue>, Vec<Changes>)| {
        let arena = Arena::new();
        let values: Vec<_> = samples.iter().map(|sample| sample.borrowed(&arena)).collect();
        let shape = inferred(&values);
        for row in FORMATS {
            let Ok(codec) = Codec::new(row.format, &shape) else { continue };
            for (value, changes) in values.iter().cycle().zip(&all_changes) {
                let Ok(mut bytes) = encoded(&codec, value) else { continue };
                changes.iter().for_each(|(at, change)| change.apply(*at, &mut bytes));
                let arena = Arena::new();
                let Ok(read) = codec.decode(&bytes, &arena) else { continue };
                let Ok(written) = encoded(&codec, &read) else { continue };
                let again = codec.decode(&written, &arena);
                let again = again.map_err(|error| {
                    let format = row.format;
                    TestCaseError::fail(format!("{format}: {error} in {written:02x?} of {read:?}"))
                })?;
                if let Err(difference) = difference(row.format, &shape, &read, &again) {
                    let name = row.name;
                    prop_assert!(false, "{name}: ${difference}, after {bytes:02x?} for {shape}");
                }
                read_again.set(read_again.get() + 1);
            }
        }
        Ok(())
    };
    TestRunner::new(config(400)).run(&cases, check).unwrap_or_else(|error| panic!("{error}"));
    println!("{} changed encodings were values", read_again.get());
    assert!(read_again.get() > 500, "hardly any change left a value");
}

/// Changes and their positions.
type Changes = Vec<(prop::sample::Index, Change)>;

/// A change to some bytes.
#[derive(Clone, Copy, Debug)]
enum Change {
    Set(u8),
    Flip(u8),
    Insert(u8),
    Remove,
    Truncate,
    Double,
}

impl Arbitrary for Change {
    type Parameters = ();
    type Strategy = BoxedStrategy<Change>;

    fn arbitrary_with((): ()) -> Self::Strategy {
        let notable = prop::sample::select(vec![0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF]);
        prop_oneof![
            prop_oneof![any::<u8>(), notable].prop_map(Change::Set),
            (0..8_u8).prop_map(Change::Flip),
            any::<u8>().prop_map(Change::Insert),
            Just(Change::Remove),
            Just(Change::Truncate),
            Just(Change::Double),
        ]
        .boxed()
    }
}

impl Change {
    fn apply(self, at: prop::sample::Index, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let at = at.index(bytes.len());
        match self {
            Change::Set(byte) => bytes[at] = byte,
            Change::Flip(bit) => bytes[at] ^= 1 << bit,
            Change::Insert(byte) => bytes.insert(at, byte),
            Change::Remove => drop(bytes.remove(at)),
            Change::Truncate => bytes.truncate(at),
            Change::Double => bytes.extend_from_within(at..),
        }
    }
}

#[test]
fn random_bytes_never_panic() {
    let cases = (corpus(Leaves::All), prop::collection::vec(any::<u8>(), 0..200));
    let check = |(samples, bytes): (Vec<OwnedValue>, Vec<u8>)| {
        let arena = Arena::new();
        let values: Vec<_> = samples.iter().map(|sample| sample.borrowed(&arena)).collect();
        let shape = inferred(&values);
        for row in FORMATS {
            if let Ok(codec) = Codec::new(row.format, &shape)
                && let Err(error) = codec.decode(&bytes, &arena)
            {
                prop_assert_eq!(error.format(), Some(row.format), "{}", error);
                prop_assert!(error.offset().is_some_and(|at| at <= bytes.len()), "{}", error);
            }
        }
        Ok(())
    };
    TestRunner::new(config(800)).run(&cases, check).unwrap_or_else(|error| panic!("{error}"));
}
