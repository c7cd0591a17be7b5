//! Hostile MessagePack input: false claims, deep nesting and malformed bytes give an error without
//! much time or memory.

use std::collections::HashMap;

use manywire_codec::{Category, Limits, msgpack};
use manywire_shape::{Arena, OwnedValue, ValueSeed};
use proptest::collection::vec;
use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::support::any_value::{any_of, timestamp};
use crate::support::first_entry::FirstEntry;
use crate::value_round_trip::msgpack_leaf;

#[derive(Debug, Deserialize, Serialize)]
struct Nested(Vec<Nested>);

#[derive(Debug, Deserialize)]
enum Chain {
    Link(Box<Chain>),
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
struct Known {
    a: u8,
}

/// A key of any type.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key;

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Key)
    }
}

const DEEP: usize = 100_000;

fn deep(open: &[u8], last: &[u8]) -> Vec<u8> {
    let mut bytes = open.repeat(DEEP);
    bytes.extend_from_slice(last);
    bytes
}

#[test]
fn rejects_deep_nesting() {
    let arrays = deep(&[0x91], &[0x90]);
    let maps = deep(&[0x81, 0x00], &[0xc0]);
    let links = deep(b"\x81\xa4Link", &[0xc0]);
    let chain = msgpack::from_slice::<Chain>(&links).map(|Chain::Link(next)| drop(next));
    let arena = Arena::new();
    let value = |bytes| {
        let bytes: &Vec<u8> = bytes;
        msgpack::from_slice_seed(
            &mut ValueSeed::new(&arena),
            bytes,
            msgpack::ExtraItems::Skipped,
            Limits::DEFAULT,
        )
        .map(drop)
    };
    let results = [
        ("typed", msgpack::from_slice::<Nested>(&arrays).map(drop)),
        ("a chain of variants", chain),
        ("value of arrays", value(&arrays)),
        ("value of maps", value(&maps)),
        ("json value", msgpack::from_slice::<serde_json::Value>(&arrays).map(drop)),
    ];
    for (name, result) in results {
        let error = result.expect_err(name);
        assert_eq!(error.category(), Category::Limit, "{name}: {error:?}");
    }
}

#[test]
fn depth_counts_containers() {
    let limits = Limits::DEFAULT.with_depth(3);
    let read = |bytes: &[u8]| {
        let seed = std::marker::PhantomData::<Nested>;
        msgpack::from_slice_seed(seed, bytes, msgpack::ExtraItems::Skipped, limits)
            .map(drop)
            .map_err(|e| e.category())
    };
    assert_eq!(read(&[0x91, 0x91, 0x90]), Ok(()));
    // Leaving a container restores its level.
    assert_eq!(read(&[0x92, 0x91, 0x90, 0x91, 0x90]), Ok(()));
    assert_eq!(read(&[0x91, 0x91, 0x91, 0x90]), Err(Category::Limit));
}

/// The limit is the same whether a value is read or skipped.
#[test]
fn skipped_values_count_as_containers() {
    let nested = |depth: usize| -> Vec<u8> { [vec![0x91; depth - 1], vec![0x90]].concat() };
    for depth in [2, 5, 128, 129, 1_000] {
        let limits = Limits::DEFAULT.with_depth(depth);
        let ignored = |bytes: &[u8]| {
            let mut deserializer = msgpack::Deserializer::new(bytes).with_limits(limits);
            deserializer.read::<IgnoredAny>().map(drop).map_err(|error| error.category())
        };
        assert_eq!(ignored(&nested(depth)), Ok(()), "{depth}");
        assert_eq!(ignored(&nested(depth + 1)), Err(Category::Limit), "{depth}");
        // Leaving a container restores its level, at the last item, too.
        let tail = [vec![0x93], nested(depth - 1), nested(depth - 1), vec![0x00]].concat();
        assert_eq!(ignored(&tail), Ok(()), "{depth}");
        let tail = [vec![0x92, 0x90], nested(depth)].concat();
        assert_eq!(ignored(&tail), Err(Category::Limit), "{depth}");
        // Maps count alike, in keys and in values.
        let map = [&[0x82, 0x00][..], &nested(depth - 1), &nested(depth - 1), &[0x00]].concat();
        assert_eq!(ignored(&map), Ok(()), "{depth}");
        // An unknown field, and an item behind the last field of a record written as an array.
        let known = |bytes: &[u8]| {
            let mut deserializer = msgpack::Deserializer::new(bytes).with_limits(limits);
            deserializer.read::<Known>().map_err(|error| error.category())
        };
        let field = |inner| [&b"\x82\xa1x"[..], &nested(inner), b"\xa1a\x07"].concat();
        let item = |inner| [&[0x92, 0x07][..], &nested(inner)].concat();
        for bytes in [field(depth - 1), item(depth - 1)] {
            assert_eq!(known(&bytes), Ok(Known { a: 7 }), "{depth}");
        }
        for bytes in [field(depth), item(depth)] {
            assert_eq!(known(&bytes), Err(Category::Limit), "{depth}");
        }
    }
    for bytes in [deep(&[0x91], &[0x90]), deep(&[0x81, 0x00], &[0xc0]), deep(&[0x81], &[0xc0])] {
        let error = msgpack::from_slice::<IgnoredAny>(&bytes).unwrap_err();
        assert_eq!(error.message(), "nested deeper than the limit of 128");
    }
    let error = msgpack::from_slice::<IgnoredAny>(&deep(&[0x91], &[0x90])).unwrap_err();
    assert_eq!((error.category(), error.offset()), (Category::Limit, Some(129)));
}

#[test]
fn skips_every_type() {
    let mut values: Vec<Vec<u8>> = vec![
        vec![0x00],
        vec![0xe0],
        vec![0xc0],
        vec![0xc2],
        vec![0xa2, 1, 2],
        vec![0x92, 0, 0],
        vec![0x81, 0, 0],
        vec![0xdc, 0, 2, 0, 0],
        vec![0xdd, 0, 0, 0, 2, 0, 0],
        vec![0xde, 0, 1, 0, 0],
        vec![0xdf, 0, 0, 0, 1, 0, 0],
        vec![0xc7, 3, 9, 1, 2, 3],
        vec![0xc8, 0, 3, 9, 1, 2, 3],
        vec![0xc9, 0, 0, 0, 3, 9, 1, 2, 3],
    ];
    for (marker, count) in [(0xca, 4), (0xcb, 8), (0xcc, 1), (0xcd, 2), (0xce, 4), (0xcf, 8)] {
        values.push([vec![marker], vec![1; count]].concat());
    }
    for (marker, count) in [(0xd0, 1), (0xd1, 2), (0xd2, 4), (0xd3, 8)] {
        values.push([vec![marker], vec![1; count]].concat());
    }
    for (marker, count) in [(0xd4, 1), (0xd5, 2), (0xd6, 4), (0xd7, 8), (0xd8, 16)] {
        values.push([vec![marker], vec![1; 1 + count]].concat());
    }
    for (marker, width) in [(0xc4, 1), (0xc5, 2), (0xc6, 4), (0xd9, 1), (0xda, 2), (0xdb, 4)] {
        let length = &[0, 0, 0, 5][4 - width..];
        values.push([&[marker], length, &[1; 5]].concat());
    }
    for value in values {
        msgpack::from_slice::<IgnoredAny>(&value).unwrap_or_else(|e| panic!("{value:02x?}: {e}"));
        for end in 0..value.len() {
            let result = msgpack::from_slice::<IgnoredAny>(&value[..end]);
            assert_eq!(result.unwrap_err().category(), Category::Eof, "{:02x?}", &value[..end]);
        }
    }
    let error = msgpack::from_slice::<IgnoredAny>(&[0x91, 0xc1]).unwrap_err();
    assert_eq!((error.category(), error.offset()), (Category::Syntax, Some(1)));
}

#[test]
fn checks_claimed_lengths_before_allocating() {
    let claims: [(&str, &[u8]); 5] = [
        ("array32", &[0xdd, 0xff, 0xff, 0xff, 0xff]),
        ("map32", &[0xdf, 0xff, 0xff, 0xff, 0xff]),
        ("str32", &[0xdb, 0xff, 0xff, 0xff, 0xff]),
        ("bin32", &[0xc6, 0xff, 0xff, 0xff, 0xff]),
        ("ext32", &[0xc9, 0xff, 0xff, 0xff, 0xff, 0x05]),
    ];
    for (name, bytes) in claims {
        let arena = Arena::new();
        let mut results = vec![
            msgpack::from_slice_seed(
                &mut ValueSeed::new(&arena),
                bytes,
                msgpack::ExtraItems::Skipped,
                Limits::DEFAULT,
            )
            .map(drop),
            msgpack::from_slice::<IgnoredAny>(bytes).map(drop),
        ];
        match name {
            "array32" => {
                results.push(msgpack::from_slice::<Vec<[u64; 32]>>(bytes).map(drop));
                results.push(msgpack::from_slice::<Known>(bytes).map(drop));
            }
            "map32" => {
                results.push(msgpack::from_slice::<HashMap<u64, u64>>(bytes).map(drop));
                results.push(msgpack::from_slice::<Known>(bytes).map(drop));
            }
            "str32" => results.push(msgpack::from_slice::<String>(bytes).map(drop)),
            "bin32" => results.push(msgpack::from_slice::<serde_bytes::ByteBuf>(bytes).map(drop)),
            _ => {}
        }
        for result in results {
            assert_eq!(result.unwrap_err().category(), Category::Eof, "{name}");
        }
        // The arena holds nothing for a mere claim.
        assert!(arena.allocated_bytes() < 4_096, "{name}: {}", arena.allocated_bytes());
    }
}

#[test]
fn errors_have_offset_and_path() {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code)]
    struct Room {
        name: String,
        beds: u8,
    }
    #[derive(Debug, Deserialize)]
    #[expect(dead_code)]
    struct Hotel {
        rooms: Vec<Room>,
    }
    // {"rooms": [{"name": "a", "beds": 1}, {"name": "b", "beds": 300}]}
    let bytes =
        b"\x81\xa5rooms\x92\x82\xa4name\xa1a\xa4beds\x01\x82\xa4name\xa1b\xa4beds\xcd\x01\x2c";
    let error = msgpack::from_slice::<Hotel>(bytes).unwrap_err();
    assert_eq!(error.path_text(), "$.rooms[1].beds");
    assert_eq!(error.offset(), Some(bytes.len() - 3));
    assert_eq!(error.format(), Some(manywire_format::Format::MsgPack));
    assert_eq!(error.category(), Category::Data);
    assert_eq!(error.message(), "invalid value: integer `300`, expected u8");
    // A key that is not text is in the path, too.
    let error = msgpack::from_slice::<HashMap<i32, bool>>(&[0x81, 0xd0, 0x80, 0x05]).unwrap_err();
    assert_eq!((error.path_text().as_str(), error.offset()), ("$.-128", Some(3)));
    // A number is not taken for the index of a field in the source code.
    let error = msgpack::from_slice::<Known>(&[0x81, 0x00, 0x07]).unwrap_err();
    assert_eq!(error.message(), "expected a name, found an integer");
    // Missing and extra fields.
    let error = msgpack::from_slice::<Room>(b"\x81\xa4beds\x01").unwrap_err();
    assert_eq!((error.message(), error.offset()), ("missing field `name`", Some(0)));
    let error = msgpack::from_slice::<(u8, u8)>(&[0x93, 1, 2, 3]).unwrap_err();
    assert_eq!(error.message(), "expected 2 items, found 3");
    let error = msgpack::from_slice::<FirstEntry>(b"\x82\xa1a\x01\xa1b\x02").unwrap_err();
    assert_eq!(error.message(), "the map has more entries than expected");
    // A value that is a key goes into the path of an error, however deep the limits let it nest.
    let key = [vec![0x81], vec![0x91; 200], vec![0x90, 0xc3]].concat();
    let mut deserializer =
        msgpack::Deserializer::new(&key).with_limits(Limits::DEFAULT.with_depth(300));
    let error = deserializer.read::<HashMap<Key, u8>>().unwrap_err();
    assert_eq!((error.path_text().as_str(), error.offset()), ("$[\"an array\"]", Some(202)));
    // The name of a variant that has content, alone.
    let error = msgpack::from_slice::<Chain>(b"\xa4Link").unwrap_err();
    assert_eq!(error.message(), "invalid type: unit variant, expected newtype variant");
}

/// Generates any value that the format can represent, in containers of known and of unknown length.
fn any_value() -> impl Strategy<Value = OwnedValue> {
    let leaf = any_of(vec![
        msgpack_leaf(),
        any::<u32>().prop_map(|bits| OwnedValue::F32(f32::from_bits(bits))).boxed(),
        any::<u64>().prop_map(|bits| OwnedValue::F64(f64::from_bits(bits))).boxed(),
        timestamp(i64::MIN..i64::MAX, 1),
    ]);
    leaf.prop_recursive(5, 60, 20, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..20).prop_map(OwnedValue::Array),
            vec((inner.clone(), inner), 0..20).prop_map(OwnedValue::Map),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn every_prefix_is_an_early_end(owned in any_value()) {
        let arena = Arena::new();
        let value = owned.borrowed(&arena);
        let bytes = msgpack::to_vec(&value).unwrap();
        let read = |end: usize| {
            msgpack::from_slice_seed(
                &mut ValueSeed::new(&arena),
                &bytes[..end],
                msgpack::ExtraItems::Skipped,
                Limits::DEFAULT,
            )
        };
        prop_assert_eq!(read(bytes.len()).unwrap(), value);
        for end in 0..bytes.len() {
            prop_assert_eq!(read(end).unwrap_err().category(), Category::Eof);
        }
    }
}
