//! Hostile BSON input: deep nesting, false lengths, truncated and changed documents.

use std::collections::HashMap;

use manywire_codec::{Category, Limits, Result, bson};
use manywire_format::Format;
use manywire_shape::{Arena, Value, ValueSeed};
use proptest::prelude::*;
use serde::Deserialize;
use serde::de::IgnoredAny;

fn decode<'a>(bytes: &'a [u8], arena: &'a Arena, limits: Limits) -> Result<Value<'a>> {
    bson::from_slice_seed(&mut ValueSeed::new(arena), bytes, bson::TopLevel::Document, limits)
}

/// Returns a document of one element with the key "0".
fn document(kind: u8, value: &[u8]) -> Vec<u8> {
    let mut bytes = ((value.len() + 8) as u32).to_le_bytes().to_vec();
    bytes.extend([kind, b'0', 0]);
    bytes.extend(value);
    bytes.push(0);
    bytes
}

/// Returns `count` nested containers of a type, the innermost empty.
fn nested(kind: u8, count: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 * count);
    for inside in (1..count).rev() {
        bytes.extend((5 + 8 * inside as u32).to_le_bytes());
        bytes.extend([kind, b'0', 0]);
    }
    bytes.extend([5, 0, 0, 0, 0]);
    bytes.resize(bytes.len() + count - 1, 0);
    bytes
}

#[derive(Debug, Deserialize)]
struct Tree {
    #[serde(rename = "0")]
    #[allow(dead_code, reason = "only ever as deep as it is read")]
    child: Option<Box<Tree>>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Empty {}

#[test]
fn rejects_nesting_beyond_the_limit() {
    for kind in [0x03, 0x04] {
        for count in [5_000, 100_000] {
            let bytes = nested(kind, count);
            let arena = Arena::new();
            let error = decode(&bytes, &arena, Limits::DEFAULT).unwrap_err();
            assert_eq!(error.category(), Category::Limit, "{error}");
            assert_eq!(error.offset(), Some(7 * 128), "{error}");
            assert_eq!(error.path().len(), 128);
        }
    }
    let error = bson::from_slice::<Tree>(&nested(0x03, 100_000)).unwrap_err();
    assert_eq!(error.category(), Category::Limit, "{error}");
}

#[test]
fn reads_nesting_up_to_the_limit() {
    for kind in [0x03, 0x04] {
        let arena = Arena::new();
        decode(&nested(kind, 128), &arena, Limits::DEFAULT).expect("as deep as the limit");
        decode(&nested(kind, 129), &arena, Limits::DEFAULT).expect_err("deeper");
        decode(&nested(kind, 3), &arena, Limits::DEFAULT.with_depth(3)).expect("as deep");
        decode(&nested(kind, 4), &arena, Limits::DEFAULT.with_depth(3)).expect_err("deeper");
        decode(&nested(kind, 1), &arena, Limits::DEFAULT.with_depth(0)).expect_err("deeper");
    }
}

#[test]
fn counts_the_depth_of_scopes() {
    let mut code = vec![0; 4];
    code.extend([1, 0, 0, 0, 0]);
    code.extend(nested(0x03, 127));
    let len = (code.len() as u32).to_le_bytes();
    code[..4].copy_from_slice(&len);
    let arena = Arena::new();
    decode(&document(0x0F, &code), &arena, Limits::DEFAULT).expect("as deep as the limit");
    decode(&document(0x0F, &code), &arena, Limits::DEFAULT.with_depth(127)).expect_err("deeper");
}

#[test]
fn skips_unknown_fields_of_any_depth() {
    let deep = document(0x03, &nested(0x04, 100_000));
    assert_eq!(bson::from_slice::<Empty>(&deep).expect("nothing asked for"), Empty {});
    bson::from_slice::<HashMap<String, IgnoredAny>>(&deep).expect("nothing asked for");
    bson::from_slice::<IgnoredAny>(&deep).expect("nothing asked for");
}

#[test]
fn rejects_false_lengths_in_skipped_values() {
    let lies: &[(u8, &[u8])] = &[
        (0x02, &[0xFF, 0xFF, 0xFF, 0x7F, 0]),
        (0x03, &[0xFF, 0xFF, 0xFF, 0x7F, 0]),
        (0x04, &[0xFF, 0xFF, 0xFF, 0x7F, 0]),
        (0x05, &[0xFF, 0xFF, 0xFF, 0x7F, 0]),
        (0x0D, &[0xFF, 0xFF, 0xFF, 0x7F, 0]),
        (0x0F, &[0xFF, 0xFF, 0xFF, 0x7F, 0]),
        // One byte too many: the terminator of the enclosing document.
        (0x02, &[2, 0, 0, 0, 0]),
        (0x03, &[6, 0, 0, 0, 0]),
        (0x04, &[6, 0, 0, 0, 0]),
        (0x05, &[1, 0, 0, 0, 0]),
        (0x0D, &[2, 0, 0, 0, 0]),
        (0x0E, &[2, 0, 0, 0, 0]),
        (0x0F, &[15, 0, 0, 0, 1, 0, 0, 0, 0, 5, 0, 0, 0, 0]),
        (0x02, &[0, 0, 0, 0, 0]),
        (0x03, &[4, 0, 0, 0, 0]),
        (0x05, &[0xFF, 0xFF, 0xFF, 0xFF, 0]),
        (0x0F, &[13, 0, 0, 0, 1, 0, 0, 0, 0, 5, 0, 0, 0, 0]),
    ];
    for (kind, value) in lies {
        let bytes = document(*kind, value);
        let arena = Arena::new();
        for error in [
            decode(&bytes, &arena, Limits::DEFAULT).map(drop).unwrap_err(),
            bson::from_slice::<Empty>(&bytes).map(drop).unwrap_err(),
        ] {
            assert!(matches!(error.category(), Category::Eof | Category::Syntax), "{error}");
            assert_eq!(error.offset(), Some(7), "{kind:#04x} {value:?}: {error}");
            assert_eq!(error.format(), Some(Format::Bson));
            assert_eq!(error.path_text(), "$.0", "{error}");
        }
    }
}

#[test]
fn claims_of_gigabytes_allocate_nothing() {
    let bytes = [0xFF, 0xFF, 0xFF, 0x7F, 0x0A, 0, 0];
    let arena = Arena::new();
    let error = decode(&bytes, &arena, Limits::DEFAULT).unwrap_err();
    assert_eq!((error.category(), error.offset()), (Category::Eof, Some(0)));
    assert_eq!(arena.allocated_bytes(), 0);
    bson::from_slice::<HashMap<String, String>>(&bytes).unwrap_err();
    bson::from_slice::<IgnoredAny>(&bytes).unwrap_err();
}

#[test]
fn collections_reserve_at_most_the_bytes_present() {
    // A first element of the smallest size before a long one: the estimate from the first suggests
    // a thousand elements.
    let mut items = vec![0x0A, b'0', 0, 0x02, b'1', 0];
    items.extend(60_001_u32.to_le_bytes());
    items.extend([b'x'; 60_000]);
    items.push(0);
    let mut bytes = ((items.len() + 5) as u32).to_le_bytes().to_vec();
    bytes.extend(&items);
    bytes.push(0);
    let read: Vec<Option<String>> = bson::from_slice(&bytes).expect("two items");
    assert_eq!(read.len(), 2);
    assert!(read.capacity() <= 1_024, "{}", read.capacity());
}

/// Returns a document with every type.
fn everything() -> Vec<u8> {
    let elements: &[(u8, &[u8])] = &[
        (0x01, &[0; 8]),
        (0x02, b"\x04\0\0\0a\xC3\xA9\0"),
        (0x03, b"\x08\0\0\0\x0Aa\0\0"),
        (0x04, b"\x08\0\0\0\x0A0\0\0"),
        (0x05, b"\x02\0\0\0\0ab"),
        (0x05, b"\x06\0\0\0\x02\x02\0\0\0ab"),
        (0x06, b""),
        (0x07, &[7; 12]),
        (0x08, b"\x01"),
        (0x09, &[9; 8]),
        (0x0A, b""),
        (0x0B, b"a\0i\0"),
        (0x0C, b"\x02\0\0\0b\0abcdefghijkl"),
        (0x0D, b"\x02\0\0\0c\0"),
        (0x0E, b"\x02\0\0\0s\0"),
        (0x0F, b"\x13\0\0\0\x03\0\0\0xy\0\x08\0\0\0\x0Aa\0\0"),
        (0x10, &[1; 4]),
        (0x11, &[2; 8]),
        (0x12, &[3; 8]),
        (0x13, &[4; 16]),
        (0x7F, b""),
        (0xFF, b""),
    ];
    let mut body = Vec::new();
    for (index, (kind, value)) in elements.iter().enumerate() {
        body.push(*kind);
        body.extend([b'a' + index as u8, 0]);
        body.extend(*value);
    }
    let mut bytes = ((body.len() + 5) as u32).to_le_bytes().to_vec();
    bytes.append(&mut body);
    bytes.push(0);
    bytes
}

#[test]
fn skips_every_type() {
    let bytes = everything();
    assert_eq!(bson::from_slice::<Empty>(&bytes).expect("nothing asked for"), Empty {});
    let arena = Arena::new();
    let value = decode(&bytes, &arena, Limits::DEFAULT).expect("every type");
    assert_eq!(bson::to_vec(&value).expect("every type"), bytes);
}

#[test]
fn rejects_every_prefix() {
    let bytes = everything();
    for len in 0..bytes.len() {
        let arena = Arena::new();
        let error = decode(&bytes[..len], &arena, Limits::DEFAULT).map(drop).unwrap_err();
        assert_eq!(error.category(), Category::Eof, "{len}: {error}");
        // With the length of the document corrected, the fault is at the cut.
        let mut cut = bytes[..len.max(4)].to_vec();
        cut.push(0);
        let claimed = (cut.len() as u32).to_le_bytes();
        cut[..4].copy_from_slice(&claimed);
        if let Ok(value) = decode(&cut, &arena, Limits::DEFAULT) {
            assert_eq!(bson::to_vec(&value).expect("whole elements"), cut, "{len}");
        }
        let _ = bson::from_slice::<Empty>(&cut);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4_000, failure_persistence: None, ..ProptestConfig::default()
    })]

    /// Every value that is read from changed bytes can be written and read again.
    #[test]
    fn values_of_changed_documents_can_be_written(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)
    ) {
        let mut bytes = everything();
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        let arena = Arena::new();
        match decode(&bytes, &arena, Limits::DEFAULT) {
            Ok(value) => {
                let written = bson::to_vec(&value).expect("what was read");
                let again = decode(&written, &arena, Limits::DEFAULT).expect("what was written");
                prop_assert_eq!(bson::to_vec(&again).expect("what was read"), written);
            }
            Err(error) => {
                prop_assert!(error.offset().is_some_and(|at| at <= bytes.len()), "{}", error);
                prop_assert_eq!(error.format(), Some(Format::Bson));
            }
        }
        let _ = bson::from_slice::<Empty>(&bytes);
    }
}

#[test]
fn sorts_the_options_of_a_regular_expression_when_read() {
    let read = document(0x0B, b"a.b\0smi\0");
    let sorted = document(0x0B, b"a.b\0ims\0");
    let arena = Arena::new();
    let value = decode(&read, &arena, Limits::DEFAULT).expect("a regular expression");
    assert_eq!(value, decode(&sorted, &arena, Limits::DEFAULT).expect("a regular expression"));
    let mut written = Vec::new();
    manywire_codec::write_value(Format::Bson, &value, &mut written).expect("BSON");
    assert_eq!(written, sorted);
}
