//! Dynamic values: bytes are read into a tree, and the tree is dropped.

use manywire_codec::{Limits, Result, json, msgpack};
use manywire_shape::{Arena, Value, ValueSeed};

use super::case::{floor, leak};
use crate::Subject;
use crate::documents::Documents;
use crate::subject::Buffer;

pub(super) fn add(subjects: &mut Vec<Subject>, documents: Documents) {
    let text = documents.large_json;
    let tree: serde_json::Value = serde_json::from_str(text).expect("the large document is JSON");
    let packed = leak(rmp_serde::to_vec_named(&tree).expect("rmp-serde writes it"));
    check(text, packed, &tree);

    let group = "large/decode-value/json";
    subjects.push(Subject::new(group, "manywire", Buffer::None, text.len(), || {
        let arena = Arena::new();
        json::read_value(text.as_bytes(), &arena, Limits::DEFAULT).is_ok()
    }));
    let mut arena = Arena::new();
    subjects.push(Subject::new(group, "manywire", Buffer::Reused, text.len(), move || {
        arena.reset();
        json::read_value(text.as_bytes(), &arena, Limits::DEFAULT).is_ok()
    }));
    subjects.push(Subject::new(group, "serde_json", Buffer::None, text.len(), || {
        serde_json::from_slice::<serde_json::Value>(text.as_bytes())
    }));
    floor(subjects, group, text.as_bytes());

    let group = "large/decode-value/msgpack";
    subjects.push(Subject::new(group, "manywire", Buffer::None, packed.len(), move || {
        read_msgpack(packed, &Arena::new()).is_ok()
    }));
    let mut arena = Arena::new();
    subjects.push(Subject::new(group, "manywire", Buffer::Reused, packed.len(), move || {
        arena.reset();
        read_msgpack(packed, &arena).is_ok()
    }));
    subjects.push(Subject::new(group, "rmpv", Buffer::None, packed.len(), || {
        rmpv::decode::read_value(&mut &packed[..])
    }));
    floor(subjects, group, packed);
}

fn read_msgpack<'a>(bytes: &'a [u8], arena: &'a Arena) -> Result<Value<'a>> {
    let mut seed = ValueSeed::new(arena);
    msgpack::from_slice_seed(&mut seed, bytes, msgpack::ExtraItems::Skipped, Limits::DEFAULT)
}

/// Checks that all readers return the same tree.
fn check(text: &str, packed: &[u8], tree: &serde_json::Value) {
    let arena = Arena::new();
    let from_json = json::read_value(text.as_bytes(), &arena, Limits::DEFAULT).expect("we read it");
    let from_msgpack = read_msgpack(packed, &arena).expect("we read it");
    let again = |value| serde_json::to_value(value).expect("a tree of JSON is JSON");
    assert!(again(from_json) == *tree, "manywire reads other JSON than serde_json");
    assert!(again(from_msgpack) == *tree, "manywire reads other MessagePack than rmp-serde wrote");
    let theirs = rmpv::decode::read_value(&mut &packed[..]).expect("rmpv reads it");
    assert!(serde_json::to_value(theirs).is_ok_and(|theirs| theirs == *tree), "rmpv");
}
