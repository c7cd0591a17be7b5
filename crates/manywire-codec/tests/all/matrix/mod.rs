//! Every form of enum and struct in every place that serde's attributes give it, through every
//! format: a value comes back equal, or the plan of the type is refused.
//!
//! Serde's own reading of its own JSON says which values a type can hold at all: a type that serde
//! cannot write, or that reads `Some(None)` back as `None`, does so in every format. A format may
//! return what serde_json returns, and nothing else.

mod tape;
mod types;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::marker::PhantomData;

use manywire_codec::{Codec, Error, Limits, avro, erased, msgpack, protobuf};
use manywire_format::{FORMATS, Format};
use manywire_shape::{Shape, Shaped};
use serde::Serialize;
use serde::de::DeserializeOwned;

use self::tape::{Tape, record};
use self::types::*;
use crate::support::{protobuf_peer, read_avro};

/// The result of one format for the values of one type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// Every value came back, except those that serde itself refuses.
    Good,
    /// The plan of the type was refused.
    Refused(String),
    /// A value was refused when it was written, although serde writes it.
    LateRefusal(String),
    /// The bytes that were written cannot be read.
    Unreadable(String),
    /// Another value came back.
    Wrong(String),
}

/// The outcomes of every type and format.
#[derive(Default)]
struct Matrix {
    outcomes: BTreeMap<(&'static str, String), Outcome>,
}

/// Returns the codec of a shape in a format, and checks the text of its schema.
fn codec(format: Format, shape: &Shape) -> Result<Codec, String> {
    match format {
        Format::Protobuf => {
            use manywire_shape::proto::Schema;
            let schema = Schema::from_shape(shape).map_err(|error| error.to_string())?;
            let plan = protobuf::Plan::new(&schema).map_err(|error| error.to_string())?;
            protobuf_peer::compile(&schema.to_proto("test"));
            return Ok(plan.into());
        }
        Format::Avro => {
            use manywire_shape::avro::Schema;
            let schema = Schema::from_shape(shape).map_err(|error| error.to_string())?;
            let text = schema.to_string();
            let again = read_avro(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            // The text holds everything that the plan needs.
            let plan = avro::Plan::new(&again).map_err(|error| error.to_string())?;
            apache_avro::Schema::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            return Ok(plan.into());
        }
        Format::MsgPackArray => {
            msgpack::check_array_layout(shape).map_err(|error| error.to_string())?;
        }
        _ => {}
    }
    Codec::new(format, shape).map_err(|error| error.to_string())
}

fn write(codec: &Codec, tape: &Tape) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    codec.encode_typed(tape, &mut out)?;
    Ok(out)
}

fn read<T: DeserializeOwned>(codec: &Codec, bytes: &[u8]) -> Result<T, Error> {
    erased::read(PhantomData::<T>, |seed| codec.decode_typed(seed, bytes, Limits::DEFAULT))
}

/// Checks a type in each of these places.
macro_rules! check_places {
    ($matrix:ident, $of:ident, $name:ident: $($place:ident)*) => {$(
        $matrix.check::<$place<$of>>(&format!("{}<{}>", stringify!($place), $name));
    )*};
}

impl Matrix {
    fn check<T>(&mut self, name: &str)
    where
        T: Samples + Shaped + Serialize + DeserializeOwned + PartialEq + Debug,
    {
        let samples = T::samples();
        let shape = Shape::of::<T>();
        let json = codec(Format::Json, &shape).expect("JSON has a codec for any type");
        // The recording, and the value that serde_json reads back, of each sample.
        let written: Vec<(&T, Option<T>, Tape)> = samples
            .iter()
            .filter_map(|value| {
                let readable = record(value, true).ok()?;
                let bytes = write(&json, &readable).ok()?;
                let back = read::<T>(&json, &bytes).ok();
                Some((value, back, record(value, false).ok()?))
            })
            .collect();
        for row in FORMATS {
            let outcome = match codec(row.format, &shape) {
                Err(message) => Outcome::Refused(message),
                Ok(codec) => written
                    .iter()
                    .map(|(value, json, tape)| outcome(&codec, *value, json, tape))
                    .max()
                    .unwrap_or(Outcome::Good),
            };
            self.outcomes.insert((row.name, name.to_owned()), outcome);
        }
    }

    /// Checks a type in the places where its form matters.
    fn check_in_places<E>(&mut self, name: &str)
    where
        E: Samples + Shaped + Serialize + DeserializeOwned + PartialEq + Debug + Clone,
    {
        check_places!(self, E, name: Field Flat FlatOption Opt Skipped Internal);
    }

    /// Checks a type in the other places, whose handling does not depend on the type.
    fn check_in_other_places<E>(&mut self, name: &str)
    where
        E: Samples + Shaped + Serialize + DeserializeOwned + PartialEq + Debug + Clone,
    {
        check_places!(self, E, name:
            FlatRest FlatTwice Nested Items Keyed External InternalNewtype Adjacent Untagged Through);
    }
}

fn outcome<T: DeserializeOwned + PartialEq + Debug>(
    codec: &Codec,
    value: &T,
    json: &Option<T>,
    tape: &Tape,
) -> Outcome {
    let bytes = match write(codec, tape) {
        Ok(bytes) => bytes,
        // BSON has no scalars at the top and no empty array beside maps, whatever the type.
        Err(error) if codec.format() == Format::Bson && error.to_string().contains("top") => {
            return Outcome::Good;
        }
        Err(error) => return Outcome::LateRefusal(format!("{error} of {value:?}")),
    };
    match read::<T>(codec, &bytes) {
        Ok(back) if back == *value || json.as_ref() == Some(&back) => Outcome::Good,
        Ok(back) => Outcome::Wrong(format!("{back:?} of {value:?} in {bytes:02x?}")),
        // Serde itself cannot read the value.
        Err(_) if json.is_none() => Outcome::Good,
        Err(error) => Outcome::Unreadable(format!("{error} of {value:?} in {bytes:02x?}")),
    }
}

#[test]
fn every_type_round_trips_or_has_no_plan() {
    let mut matrix = Matrix::default();
    // All combinations would take minutes to compile, because each is a separate type.
    macro_rules! types {
        ($check:ident: $($type:ty)*) => {$(
            matrix.$check::<$type>(stringify!($type));
        )*};
    }
    types! {
        check:
        () Units UnitsInternal UnitsAdjacent Mixed MixedInternal MixedAdjacent MixedUntagged
        Contents ContentsAdjacent ContentsInternal ContentsUntagged
        Renamed OtherInternal Skipping PartlyUntagged Recursive RecursiveInternal RecursiveUntagged
        Scalars Records LikeRecords
        Plain Empty Strict Defaulted Transparent NonZeroDefaults Options Rest Tree
        u8 Option<u8> Vec<u8> BTreeMap<String, u8>
    }
    types! {
        check_in_places:
        () Units UnitsInternal Mixed MixedInternal MixedAdjacent MixedUntagged Contents
        PartlyUntagged Plain Options Option<u8>
    }
    types! { check_in_other_places: () Mixed MixedUntagged Plain }
    let (mut refused, mut wrong) = (String::new(), String::new());
    for ((format, name), outcome) in &matrix.outcomes {
        match outcome {
            Outcome::Good => {}
            Outcome::Refused(message) => {
                assert!(!message.is_empty(), "{format}: {name} is refused without a reason");
                refused.push_str(&format!("{format}: {name}: {message}\n"));
            }
            fault => wrong.push_str(&format!("{format}: {name}: {fault:?}\n")),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    // A type that is refused without need is a fault too, so the list is checked in.
    let path = format!("{}/tests/all/matrix/refused.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("MANYWIRE_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, &refused).expect("a file");
    }
    let expected = std::fs::read_to_string(&path).expect("the list");
    assert_eq!(refused, expected, "the refused types differ from {path}");
    println!("{} cells, {} refused", matrix.outcomes.len(), refused.lines().count());
}
