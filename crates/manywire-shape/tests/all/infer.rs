//! Samples and the outline of the shape inferred from them.

use crate::sample::{example, infer, read};
use manywire_shape::fit::{Misfits, fits};
use manywire_shape::infer::{HoldOut, Inference, hold_out};
use manywire_shape::{Arena, Ext, Space, Timestamp, Value};

/// Samples and the outline of their shape; records after the root follow in the text.
const TABLE: &[(&[&str], &str)] = &[
    // Scalars.
    (&["null"], "null"),
    (&["true", "false"], "bool"),
    (&["1", "200"], "i64"),
    (&["1", "-1"], "i64 zigzag"),
    (&["9223372036854775807"], "i64"),
    (&["9223372036854775808", "1"], "u64 fixed"),
    (&["9223372036854775808", "-1"], "i128 zigzag"),
    (&["2.0"], "f64"),
    (&["1", "2.5"], "f64"),
    (&["2.5", "9007199254740992"], "f64"),
    (&["2.5", "9007199254740993", "3"], "i64 | f64"),
    (&["2.5", "0.5", "9007199254740993"], "f64 | i64"),
    (&[r#""a""#], "str"),
    (&["1", "null"], "i64?"),
    // Mixed kinds: the most frequent first, null separate.
    (&["1", r#""a""#, r#""b""#], "str | i64"),
    (&["1", r#""a""#, "null", "[true]", "2"], "(i64 | str | [bool])?"),
    // Arrays.
    (&["[]"], "[null]"),
    (&["[]", "[1]"], "[i64]"),
    (&["[1, null]"], "[i64?]"),
    (&["[[1, 2], []]", "[[-3]]"], "[[i64 zigzag]]"),
    (&["[1]", "null"], "[i64]?"),
    (&["[1]", "null", "[]"], "[i64]?"),
    // Records: optional is not nullable.
    (&["{}"], "Root {}"),
    (&[r#"{"a":1,"b":"x"}"#, r#"{"a":null}"#], "Root { a: i64? #1 b?: str #2 }"),
    (&[r#"{"a":[1]}"#, "{}"], "Root { a?: [i64] #1 }"),
    (&[r#"{"a":[1]}"#, "{}", r#"{"a":[]}"#], "Root { a?: [i64] #1 }"),
    (&[r#"{"a":null}"#, "{}"], "Root { a?: null #1 }"),
    // Field numbers by frequency, order by first appearance.
    (
        &[r#"{"a":null,"b":1,"c":1}"#, r#"{"c":2,"b":null}"#],
        "Root { a?: null #3 b: i64? #2 c: i64 #1 }",
    ),
    // Readers use the last of duplicate keys, but the shape fits both.
    (&[r#"{"a":1,"a":"x"}"#, r#"{"a":2}"#], "Root { a: i64 | str #1 }"),
    // Names: from the key, in the singular, with the parent's name in front if taken.
    (
        &[r#"{"rooms":[{"id":1}],"lobby":{"room":{"no":"x"}}}"#],
        "Root { rooms: [Room] #1 lobby: Lobby #2 } Room { id: i64 #1 } \
         Lobby { room: LobbyRoom #1 } LobbyRoom { no: str #1 }",
    ),
    (
        &[r#"{"boxes":[{"a":1}],"cities":[{"b":1}],"2nd-part":{"c":1},"address":{"d":1}}"#],
        "Root { boxes: [Box] #1 cities: [City] #2 2nd-part: Record2ndPart #3 address: Address #4 } \
         Box { a: i64 #1 } City { b: i64 #1 } Record2ndPart { c: i64 #1 } Address { d: i64 #1 }",
    ),
    (
        &[
            r#"{"hotelPeople":[{"a":1}],"orderStatuses":[{"b":1}],"specimen":[{"c":1}],"ABDOMEN":[{"d":1}]}"#,
        ],
        "Root { hotelPeople: [HotelPerson] #1 orderStatuses: [OrderStatus] #2 specimen: [Specimen] #3 \
         ABDOMEN: [ABDOMEN] #4 } HotelPerson { a: i64 #1 } OrderStatus { b: i64 #1 } \
         Specimen { c: i64 #1 } ABDOMEN { d: i64 #1 }",
    ),
    // Equal records with equal names are one type.
    (
        &[r#"{"rooms":[{"id":1}],"lobby":{"room":{"id":2}}}"#],
        "Root { rooms: [Room] #1 lobby: Lobby #2 } Room { id: i64 #1 } Lobby { room: Room #1 }",
    ),
    // Trees.
    (
        &[r#"{"name":"a","children":[{"name":"b","children":[{"name":"c","children":[]}]}]}"#],
        "Root { name: str #1 children: [Root] #2 }",
    ),
    (
        &[r#"{"head":{"v":1,"next":{"v":2,"next":{"v":3,"next":null}}}}"#],
        "Root { head: Head #1 } Head { v: i64 #1 next: Head? #2 }",
    ),
    (
        &[r#"{"v":1,"left":{"v":2,"left":null,"right":{"v":3}},"right":{"v":4,"right":null}}"#],
        "Root { v: i64 #1 left?: Root? #3 right?: Root? #2 }",
    ),
    // A single level is not a tree.
    (
        &[r#"{"id":1,"name":"a","parent":{"id":2,"name":"b"}}"#],
        "Root { id: i64 #1 name: str #2 parent: Parent #3 } Parent { id: i64 #1 name: str #2 }",
    ),
    // Maps: keys that are numbers.
    (&[r#"{"names":{"205":"x","301":"y"}}"#], "Root { names: {str: str} #1 }"),
    (&[r#"{"1":"x","2":true}"#], "Root { 1: str #1 2: bool #2 }"),
    // Maps: changing keys.
    (
        &[
            r#"{"s":{"ab":{"n":1}}}"#,
            r#"{"s":{"cd":{"n":1},"ef":{"n":2}}}"#,
            r#"{"s":{}}"#,
            r#"{"s":{"gh":{"n":1}}}"#,
            r#"{"s":{"ij":{"n":1},"ab":{"n":3}}}"#,
        ],
        "Root { s: {str: S} #1 } S { n: i64 #1 }",
    ),
    // Changing keys, but values of different kinds, or records with different fields.
    (
        &[r#"{"a":1,"b":2}"#, r#"{"c":"x"}"#, r#"{"d":2}"#, r#"{"e":2}"#, r#"{"f":[]}"#],
        "Root { a?: i64 #1 b?: i64 #2 c?: str #3 d?: i64 #4 e?: i64 #5 f?: [null] #6 }",
    ),
    // A key in every object is a field, however rare the others.
    (
        &[
            r#"{"id":"0","a":"x"}"#,
            r#"{"id":"1","b":"x"}"#,
            r#"{"id":"2","c":"x"}"#,
            r#"{"id":"3","d":"x"}"#,
            r#"{"id":"4","e":"x"}"#,
        ],
        "Root { id: str #1 a?: str #2 b?: str #3 c?: str #4 d?: str #5 e?: str #6 }",
    ),
    // Too few objects to decide.
    (&[r#"{"a":1}"#, r#"{"b":1}"#, r#"{"c":1}"#], "Root { a?: i64 #1 b?: i64 #2 c?: i64 #3 }"),
];

/// Returns an outline on one line.
fn flat(outline: &str) -> String {
    outline.split_whitespace().collect::<Vec<_>>().join(" ").replace("{ }", "{}")
}

#[test]
fn infers_the_expected_shapes() {
    for (samples, expected) in TABLE {
        let arena = Arena::new();
        let values: Vec<Value<'_>> = samples.iter().map(|text| read(&arena, text)).collect();
        let shape = infer(&values).shape();
        assert_eq!(flat(&shape.to_string()), *expected, "{samples:?}");
        for value in &values {
            assert_eq!(fits(&shape, value), Ok(()), "{samples:?}");
        }
    }
}

#[test]
fn infers_shapes_of_values_beyond_json() {
    let ext = Ext { space: Space::CborTag, code: 32, content: Value::Null };
    let time = Value::Timestamp(Timestamp { seconds: 1, nanoseconds: 0 });
    let table: &[(&[Value<'_>], &str)] = &[
        (&[Value::F32(1.5)], "f32"),
        (&[Value::F32(1.5), Value::F64(1.5)], "f64"),
        (&[Value::F32(1.5), Value::I64(1)], "f64"),
        (&[Value::Bytes(b"ab"), Value::Null], "bytes?"),
        (&[Value::Bytes(b"ab"), Value::Str("ab")], "str | bytes"),
        (&[time], "timestamp"),
        (&[Value::Ext(&ext)], "any"),
        (&[Value::Number("1e400"), Value::I64(1), Value::Null], "any"),
        (&[Value::Map(&[(Value::I64(1), Value::Bool(true))])], "{i64: bool}"),
        (
            &[Value::Map(&[(Value::I64(1), Value::Null), (Value::Str("a"), Value::Null)])],
            "{str | i64: null}",
        ),
        (
            &[
                Value::Map(&[(Value::Str("a"), Value::I64(1))]),
                Value::Map(&[(Value::Bytes(b"k"), Value::Str("x"))]),
            ],
            "{str | bytes: str | i64}",
        ),
    ];
    for (values, expected) in table {
        let shape = infer(values).shape();
        assert_eq!(flat(&shape.to_string()), *expected, "{values:?}");
        for value in *values {
            assert_eq!(fits(&shape, value), Ok(()), "{values:?}");
        }
    }
}

#[test]
fn a_wide_object_with_ids_for_keys_is_a_map() {
    let object = |entries: usize, key: fn(usize) -> String| {
        let entries: Vec<String> = (0..entries).map(|n| format!("{:?}:{n}", key(n))).collect();
        format!("{{{}}}", entries.join(","))
    };
    let outline = |samples: &[String]| {
        let arena = Arena::new();
        let values: Vec<_> = samples.iter().map(|text| read(&arena, text)).collect();
        flat(&infer(&values).shape().to_string())
    };
    let id = |n| format!("user-{n}");
    assert_eq!(outline(&[object(20, id)]), "{str: i64}");
    assert!(outline(&[object(19, id)]).starts_with("Root"), "19 are too few");
    assert!(outline(&[object(30, |n| "x".repeat(n + 1))]).starts_with("Root"), "these are words");
    let both = [object(30, id), object(30, id)];
    assert!(outline(&both).starts_with("Root"), "each key is in every object");
    let varied = [object(5, |n| format!("k{n}")), object(5, |n| format!("k{}", n + 5))];
    assert_eq!(outline(&varied), "{str: i64}");
}

#[test]
fn names_the_root_record() {
    let arena = Arena::new();
    let shape = infer(&[read(&arena, r#"[{"a":1}]"#)]).shape_named("hotels");
    assert_eq!(flat(&shape.to_string()), "[Hotel] Hotel { a: i64 #1 }");
}

#[test]
fn infers_one_recursive_record_for_people() {
    let text = example("people.json");
    assert_eq!(text.len(), 7_863);
    let arena = Arena::new();
    let shape = infer(&[read(&arena, &text)]).shape_named("people");
    let outline = shape.to_string();
    assert!(outline.starts_with("[Person]"), "{outline}");
    for line in ["isActive: bool #4", "age: i64 #7", "longitude: f64 #18", "friends: [Friend] #20"]
    {
        assert!(outline.contains(line), "{line} in {outline}");
    }
    assert!(!outline.contains('?'), "nothing is optional in {outline}");
}

#[test]
fn distinguishes_maps_from_records_and_absent_from_null() {
    let text = example("events.ndjson");
    let arena = Arena::new();
    let values: Vec<_> = text.lines().map(|line| read(&arena, line)).collect();
    assert!(values.len() >= 200);
    let inference = infer(&values);
    let outline = inference.shape().to_string();
    for line in [
        "id: str #1",
        "referrer?: str? #",
        "value?: f64 #",
        "buckets?: [[i64]] #",
        "delta?: i64 zigzag #",
        "temperature_c?: f64? #",
        "levels?: {str: i64} #",
        "sessions?: {str: Session} #",
        "changes?: Changes #",
    ] {
        assert!(outline.contains(line), "{line} in {outline}");
    }
    let evidence: Vec<String> = inference.evidence().iter().map(ToString::to_string).collect();
    let of = |path: &str| evidence.iter().find(|line| line.starts_with(path)).expect("is noted");
    assert_eq!(
        of("$.referrer:"),
        "$.referrer: 73 seen: 40 null, 33 string; absent 191 times; \
         texts of 29 to 34 bytes; sample 20: null; sample 0: \"https://search.example/?q=tea\""
    );
    assert!(of("$.sessions:").contains("a map: keys that look like identifiers"));
    assert!(of("$.value:").contains("12 integer, 12 float"));
}

#[test]
fn reports_held_out_samples_that_do_not_fit() {
    let arena = Arena::new();
    let mut texts = vec![r#"{"price":1}"#; 40];
    texts[7] = r#"{"price":12.5}"#;
    let values: Vec<_> = texts.iter().map(|text| read(&arena, text)).collect();
    // Sample 7 is the only float, so the shape depends on whether that sample is held out.
    let HoldOut { inferred_from, tried, fitting, misfits } = hold_out(&values);
    assert_eq!(inferred_from + fitting + misfits.len(), 40);
    assert_eq!((tried, fitting + misfits.len()), (8, 8));
    let held_out: Vec<usize> =
        (0..40).filter(|at| manywire_shape::infer::is_held_out(*at as u64)).collect();
    assert_eq!(held_out.len(), 8);
    texts = vec![r#"{"price":1}"#; 40];
    texts[held_out[3]] = r#"{"price":12.5}"#;
    let values: Vec<_> = texts.iter().map(|text| read(&arena, text)).collect();
    let HoldOut { misfits, .. } = hold_out(&values);
    let [(at, misfit)] = &misfits[..] else { panic!("one does not fit: {misfits:?}") };
    assert_eq!(*at, held_out[3]);
    assert_eq!(
        misfit.to_string(),
        "$.price: expected a signed integer of 64 bits, found the float 12.5"
    );
}

#[test]
fn finds_every_misfit_in_order() {
    let arena = Arena::new();
    let read = |text| read(&arena, text);
    let samples = read(r#"{"id":1,"list":[1,2],"of":{"a":"x"},"either":{"b":1}}"#);
    let mut inference = Inference::new();
    inference.add(&samples);
    inference.add(&read(r#"{"id":1,"list":[],"of":{"a":"y"},"either":"text"}"#));
    let shape = inference.shape();
    let value =
        read(r#"{"id":"x","list":[1,"a",2.5],"of":{"a":1,"b":2},"either":{"b":"c"},"new":1}"#);
    let all = Misfits::of(&shape, &value, 100);
    let paths: Vec<&str> = all.named.iter().map(|misfit| misfit.path.as_str()).collect();
    assert_eq!(paths, ["$.id", "$.list[1]", "$.list[2]", "$.of.a", "$.of", "$.either.b", "$"]);
    assert_eq!((all.more, all.count()), (0, 7));
    assert_eq!(fits(&shape, &value), Err(all.named[0].clone()));
    for named_max in 1..9 {
        let some = Misfits::of(&shape, &value, named_max);
        assert_eq!(some.named[..], all.named[..named_max.min(7)]);
        assert_eq!(some.count(), 7, "{named_max}");
    }
    assert!(Misfits::of(&shape, &samples, 100).is_empty());
}

#[test]
fn holds_out_one_of_few_samples() {
    assert_eq!(hold_out(&[]).inferred_from, 0);
    assert_eq!(hold_out(&[Value::Null]).inferred_from, 1);
    for samples in 2..=5 {
        let held_out = hold_out(&vec![Value::Null; samples]);
        assert_eq!((held_out.inferred_from, held_out.fitting), (samples - 1, 1), "of {samples}");
    }
}

#[test]
fn merging_renumbers_the_samples_of_examples() {
    let mut left = Inference::new();
    left.add(&Value::I64(1));
    let mut right = Inference::new();
    right.add(&Value::I64(2));
    right.add(&Value::Str("x"));
    left.merge(right);
    assert_eq!(left.samples(), 3);
    let evidence = left.evidence();
    assert_eq!(
        evidence[0].to_string(),
        "$: 3 seen: 2 integer, 1 string; integers 1 to 2; texts of 1 to 1 bytes; \
         sample 0: 1; sample 2: \"x\""
    );
}
