//! Samples that try to exhaust inference: memory stays bounded, and every sample still fits.

use manywire_shape::fit::fits;
use manywire_shape::infer::{DEPTH_MAX, Inference, KEY_BYTES_MAX, KEYS_MAX, MapReason};
use manywire_shape::{Arena, Node, Value};

/// A deterministic generator of pseudorandom numbers.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 20
    }
}

/// Returns a map of maps with this depth, each with two entries under new keys.
fn churned<'a>(arena: &'a Arena, numbers: &mut Numbers, depth: usize) -> Value<'a> {
    if depth == 0 {
        return Value::I64(1);
    }
    let entries = [(); 2].map(|()| {
        let key = arena.alloc_str(&format!("{:x}", numbers.next()));
        (Value::Str(key), churned(arena, numbers, depth - 1))
    });
    Value::Map(arena.alloc(entries))
}

/// Returns the size of the inference, by its evidence.
fn evidence_count(inference: &Inference) -> usize {
    inference.evidence().len()
}

#[test]
fn endless_keys_become_a_map() {
    let mut inference = Inference::new();
    let mut numbers = Numbers(1);
    let mut arena = Arena::new();
    for _ in 0..20_000 {
        arena.reset();
        inference.add(&churned(&arena, &mut numbers, 3));
    }
    let shape = inference.shape();
    assert_eq!(shape.to_string().trim(), "{str: {str: {str: i64}}}");
    assert_eq!(evidence_count(&inference), 4);
    assert_eq!(inference.evidence()[0].objects.unwrap().map, Some(MapReason::BeyondBounds));
}

/// Each profile has fewer keys than its bound, but there are many profiles: the bound on profiles
/// holds.
#[test]
fn endless_paths_become_maps() {
    let mut inference = Inference::new();
    let mut last = None;
    for outer in 0..400u64 {
        let arena = Arena::new();
        let inner: Vec<(Value<'_>, Value<'_>)> = (0..200)
            .map(|n| (Value::Str(arena.alloc_str(&format!("i{n}"))), Value::I64(1)))
            .collect();
        let entry = (
            Value::Str(arena.alloc_str(&format!("o{outer}"))),
            Value::Map(arena.alloc_slice_copy(&inner)),
        );
        let value = Value::Map(arena.alloc_slice_copy(&[(Value::Str("id"), Value::I64(1)), entry]));
        inference.add(&value);
        let shape = inference.shape();
        assert_eq!(fits(&shape, &value), Ok(()));
        last = Some(shape);
    }
    let shape = last.unwrap();
    assert!(shape.nodes().len() < 1_000, "{} nodes", shape.nodes().len());
}

#[test]
fn merging_many_stays_bounded() {
    let mut merged = Inference::new();
    for part in 0..40u64 {
        let mut inference = Inference::new();
        for outer in 0..30 {
            let arena = Arena::new();
            let inner: Vec<(Value<'_>, Value<'_>)> = (0..300)
                .map(|n| (Value::Str(arena.alloc_str(&format!("{part}-{n}"))), Value::I64(1)))
                .collect();
            let key = Value::Str(arena.alloc_str(&format!("{part}-{outer}")));
            let inner = Value::Map(arena.alloc_slice_copy(&inner));
            inference.add(&Value::Map(&[(key, inner)]));
        }
        merged.merge(inference);
        assert!(evidence_count(&merged) <= manywire_shape::infer::PROFILES_MAX * 2);
    }
    assert_eq!(merged.shape().to_string().trim(), "{str: {str: i64}}");
}

#[test]
fn a_record_may_have_the_maximum_number_of_keys() {
    let arena = Arena::new();
    let object = |keys: usize| {
        let entries: Vec<_> = (0..keys)
            .map(|n| {
                // Keys of letters, so that they look like words.
                let name: String =
                    n.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect();
                (Value::Str(arena.alloc_str(&name)), Value::I64(1))
            })
            .collect();
        Value::Map(arena.alloc_slice_copy(&entries))
    };
    let record = crate::sample::infer(&[object(KEYS_MAX)]).shape();
    let Node::Record(record) = record.node(record.root()) else { panic!("not a record") };
    assert_eq!(record.fields.len(), KEYS_MAX);
    let map = crate::sample::infer(&[object(KEYS_MAX + 1)]).shape();
    assert_eq!(map.to_string().trim(), "{str: i64}");
}

#[test]
fn a_key_that_is_too_long_makes_a_map() {
    let keys = ["k".repeat(KEY_BYTES_MAX), "k".repeat(KEY_BYTES_MAX + 1)];
    let [record, map] = keys.map(|key| {
        let entries = [(Value::Str(&key), Value::Bool(true))];
        crate::sample::infer(&[Value::Map(&entries)]).shape().to_string()
    });
    assert!(record.starts_with("Root"));
    assert_eq!(map.trim(), "{str: bool}");
}

#[test]
fn values_nested_too_deep_become_any() {
    let arena = Arena::new();
    for wrap in [
        (|inner, arena| Value::Array(arena.alloc_slice_copy(&[inner])))
            as for<'a> fn(Value<'a>, &'a Arena) -> Value<'a>,
        |inner, arena| Value::Map(arena.alloc_slice_copy(&[(Value::Str("a"), inner)])),
        |inner, arena| Value::Map(arena.alloc_slice_copy(&[(inner, Value::Null)])),
    ] {
        let mut value = Value::I64(1);
        for _ in 0..DEPTH_MAX * 3 {
            value = wrap(value, &arena);
        }
        let shape = crate::sample::infer(&[value]).shape();
        assert!(shape.nodes().contains(&Node::Any));
        assert_eq!(fits(&shape, &value), Ok(()));
    }
}

/// Objects and arrays alternate at every path: two profiles below each, without a wide record.
#[test]
fn bounds_paths_that_double_at_every_level() {
    fn node<'a>(arena: &'a Arena, numbers: &mut Numbers, depth: usize) -> Value<'a> {
        if depth == 0 {
            return Value::Null;
        }
        let inner = node(arena, numbers, depth - 1);
        match numbers.next() % 2 {
            0 => Value::Array(arena.alloc_slice_copy(&[inner])),
            _ => Value::Map(arena.alloc_slice_copy(&[(Value::Str("a"), inner)])),
        }
    }
    let mut inference = Inference::new();
    let mut numbers = Numbers(5);
    let mut arena = Arena::new();
    for _ in 0..20_000 {
        arena.reset();
        inference.add(&node(&arena, &mut numbers, 40));
    }
    assert!(evidence_count(&inference) <= manywire_shape::infer::PROFILES_MAX * 2);
    let value = node(&arena, &mut numbers, 40);
    inference.add(&value);
    assert_eq!(fits(&inference.shape(), &value), Ok(()));
}
