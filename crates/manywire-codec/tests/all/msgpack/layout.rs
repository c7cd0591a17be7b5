//! The array layout: positions instead of names.

use manywire_codec::msgpack::{self, Layout};
use manywire_codec::{Category, Codec, Limits, Result, erased};
use manywire_format::Format;
use manywire_shape::{Arena, Shape, Shaped};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::marker::PhantomData;

fn array<T: Serialize>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    msgpack::encode(value, Layout::Array, &mut out).unwrap();
    out
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Reading {
    id: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<u8>,
    last: bool,
}

#[test]
fn skipped_fields_keep_their_position() {
    let reading = Reading { id: 7, last: true, ..Default::default() };
    assert_eq!(array(&reading), [0x94, 0x07, 0xc0, 0xc0, 0xc3]);
    assert_eq!(msgpack::from_slice::<Reading>(&array(&reading)).unwrap(), reading);
    // The map layout leaves the field out.
    let map = msgpack::to_vec(&reading).unwrap();
    assert_eq!(map, b"\x82\xa2id\x07\xa4last\xc3");
    assert_eq!(msgpack::from_slice::<Reading>(&map).unwrap(), reading);
}

#[test]
fn skipped_fields_may_widen_the_head() {
    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Wide {
        a: [(); 0],
        #[serde(skip_serializing_if = "Option::is_none")]
        b: Option<u8>,
        c: u8,
        d: u8,
        e: u8,
        f: u8,
        g: u8,
        h: u8,
        i: u8,
        j: u8,
        k: u8,
        l: u8,
        m: u8,
        n: u8,
        o: u8,
        p: u8,
    }
    let wide = Wide { p: 9, ..Default::default() };
    let bytes = array(&wide);
    assert_eq!(bytes[..5], [0xdc, 0, 16, 0x90, 0xc0]);
    assert_eq!(msgpack::from_slice::<Wide>(&bytes).unwrap(), wide);
}

#[test]
fn reads_shorter_arrays_if_the_tail_has_defaults() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Newer {
        id: u8,
        #[serde(default = "five")]
        count: u8,
        note: Option<String>,
        #[serde(default)]
        tags: Vec<u8>,
    }
    fn five() -> u8 {
        5
    }
    let expected = Newer { id: 1, count: 5, note: None, tags: vec![] };
    for bytes in [&[0x91, 1][..], &[0x92, 1, 5], &[0x93, 1, 0xc0, 0xc0], &[0x94, 1, 5, 0xc0, 0xc0]]
    {
        assert_eq!(msgpack::from_slice::<Newer>(bytes).unwrap(), expected, "{bytes:02x?}");
    }
    let error = msgpack::from_slice::<Newer>(&[0x90]).unwrap_err();
    assert_eq!(error.message(), "invalid length 0, expected struct Newer with 4 elements");
}

#[test]
fn reports_nil_without_a_default() {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code)]
    struct Strict {
        #[serde(default)]
        a: u8,
        b: u8,
        c: u8,
    }
    let error = msgpack::from_slice::<Strict>(&[0x93, 0xc0, 0xc0, 1]).unwrap_err();
    assert_eq!(error.message(), "invalid type: unit value, expected u8");
    assert_eq!((error.path_text().as_str(), error.offset()), ("$[1]", Some(2)));
    assert_eq!(error.category(), Category::Data);
    // A later error is reported itself, not the nil before it.
    let error = msgpack::from_slice::<Strict>(&[0x93, 0xc0, 1, 0xc3]).unwrap_err();
    assert_eq!((error.path_text().as_str(), error.offset()), ("$[2]", Some(3)));
    // A later end is reported, too.
    let error = msgpack::from_slice::<Strict>(&[0x91, 0xc0]).unwrap_err();
    assert_eq!(error.message(), "invalid length 1, expected struct Strict with 3 elements");
}

#[test]
fn a_type_that_denies_unknown_fields_refuses_extra_items() -> Result<()> {
    #[derive(Debug, PartialEq, Deserialize, Shaped)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        a: u8,
    }
    #[derive(Debug, PartialEq, Deserialize, Shaped)]
    struct Holder {
        list: Vec<Strict>,
    }
    let read = |format, bytes: &'static [u8]| {
        let codec = Codec::new(format, &Shape::of::<Holder>())?;
        erased::read(PhantomData::<Holder>, |seed| codec.decode_typed(seed, bytes, Limits::DEFAULT))
    };
    for format in [Format::MsgPack, Format::MsgPackArray] {
        assert_eq!(read(format, &[0x91, 0x91, 0x91, 1])?, Holder { list: vec![Strict { a: 1 }] });
        let error = read(format, &[0x91, 0x91, 0x92, 1, 2]).unwrap_err();
        assert_eq!((error.path_text().as_str(), error.offset()), ("$[0][0][1]", Some(4)));
        assert_eq!(error.format(), Some(format));
        assert_eq!(
            error.message(),
            "the array has 2 items, and the type, which denies unknown fields, has 1"
        );
    }
    // Dynamic values follow the shape, too.
    let (shape, arena) = (Shape::of::<Holder>(), Arena::new());
    let read = |bytes| msgpack::read_arranged(&shape, bytes, &arena, Limits::DEFAULT);
    read(&[0x91, 0x91, 0x91, 1])?;
    let error = read(&[0x91, 0x91, 0x92, 1, 2]).unwrap_err();
    assert_eq!(error.path_text(), "$.list[0][1]");
    assert_eq!(error.message(), "the type denies unknown fields and has no field for this item");
    // Without a shape, the reader does not know of the attribute.
    assert_eq!(msgpack::from_slice::<Strict>(&[0x92, 1, 2])?, Strict { a: 1 });
    Ok(())
}

#[test]
fn dynamic_variants_that_deny_unknown_fields_refuse_extra_items() -> Result<()> {
    #[derive(Deserialize, Shaped)]
    #[serde(tag = "t", deny_unknown_fields)]
    #[allow(dead_code, reason = "only its shape is used")]
    enum Internal {
        Empty,
        Full { a: u8 },
    }
    #[derive(Deserialize, Shaped)]
    #[serde(tag = "t", content = "c", deny_unknown_fields)]
    #[allow(dead_code, reason = "only its shape is used")]
    enum Adjacent {
        Empty,
        Full(u8),
    }
    let arena = Arena::new();
    for (shape, fits, extra) in [
        (Shape::of::<Internal>(), &b"\x91\xa5Empty"[..], &b"\x92\xa5Empty\x01"[..]),
        (Shape::of::<Internal>(), b"\x92\xa4Full\x01", b"\x93\xa4Full\x01\x02"),
        (Shape::of::<Adjacent>(), b"\x92\xa5Empty\xc0", b"\x93\xa5Empty\xc0\x01"),
        (Shape::of::<Adjacent>(), b"\x92\xa4Full\x01", b"\x93\xa4Full\x01\x02"),
    ] {
        msgpack::read_arranged(&shape, fits, &arena, Limits::DEFAULT)?;
        let error = msgpack::read_arranged(&shape, extra, &arena, Limits::DEFAULT).unwrap_err();
        assert!(error.message().contains("denies unknown fields"), "{error}");
    }
    // The content of a variant without content is null.
    let adjacent = Shape::of::<Adjacent>();
    let content = msgpack::read_arranged(&adjacent, b"\x92\xa5Empty\x01", &arena, Limits::DEFAULT);
    assert!(content.is_err(), "{content:?}");
    Ok(())
}

#[test]
fn reading_by_name_only_refuses_arrays_of_fields() -> Result<()> {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Point {
        x: u8,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    enum Place {
        At { x: u8 },
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Track {
        points: Vec<Point>,
        end: (u8, Place),
    }
    let read = |bytes| msgpack::from_slice_by_name(PhantomData::<Track>, bytes, Limits::DEFAULT);
    let track = Track { points: vec![Point { x: 1 }], end: (2, Place::At { x: 3 }) };
    // Lists and tuples are arrays in both layouts.
    let by_name = b"\x82\xa6points\x91\x81\xa1x\x01\xa3end\x92\x02\x81\xa2At\x81\xa1x\x03";
    assert_eq!(read(by_name)?, track);
    for (bytes, path) in [
        (&b"\x92\x91\x81\xa1x\x01\x92\x02\x81\xa2At\x81\xa1x\x03"[..], "$"),
        (b"\x82\xa6points\x91\x91\x01\xa3end\x92\x02\x81\xa2At\x81\xa1x\x03", "$.points[0]"),
        (b"\x82\xa6points\x91\x81\xa1x\x01\xa3end\x92\x02\x81\xa2At\x91\x03", "$.end[1].At"),
    ] {
        assert_eq!(msgpack::from_slice::<Track>(bytes)?, track);
        let error = read(bytes).unwrap_err();
        assert_eq!((error.category(), error.path_text().as_str()), (Category::Data, path));
        assert_eq!(
            error.message(),
            "expected a map of fields, found an array: fields are read by name only"
        );
    }
    Ok(())
}

#[test]
fn nullable_types_accept_nil() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Metres(Option<u8>);
    #[derive(Debug, PartialEq, Deserialize)]
    struct Nils {
        unit: (),
        newtype: Metres,
        any: serde_json::Value,
        option: Option<Option<u8>>,
        #[serde(default = "seven")]
        plain: Seven,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Seven(u8);
    fn seven() -> Seven {
        Seven(7)
    }
    let nils = Nils {
        unit: (),
        newtype: Metres(None),
        any: serde_json::Value::Null,
        option: None,
        plain: Seven(7),
    };
    assert_eq!(msgpack::from_slice::<Nils>(&[0x95, 0xc0, 0xc0, 0xc0, 0xc0, 0xc0]).unwrap(), nils);
    // An early end has the same meaning.
    for length in 0..5 {
        let bytes = [&[0x90 | length][..], &vec![0xc0; length.into()]].concat();
        assert_eq!(msgpack::from_slice::<Nils>(&bytes).unwrap(), nils);
    }
}

#[test]
fn skips_items_of_newer_writers() {
    let bytes = [0x96, 7, 0xc0, 0x91, 1, 0xc3, 0x82, 1, 2, 3, 0x91, 4, 0xa1, b'x'];
    let expected = Reading { id: 7, note: None, tags: vec![1], last: true };
    assert_eq!(msgpack::from_slice::<Reading>(&bytes).unwrap(), expected);
    // The correction does not disturb the bytes that follow.
    let two = [&[0x92][..], &bytes, &bytes].concat();
    let read: Vec<Reading> = msgpack::from_slice(&two).unwrap();
    assert_eq!(read.len(), 2);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Event {
    Started,
    Moved(i32),
    Placed(i32, i32),
    Named {
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nick: Option<String>,
        age: u8,
    },
}

#[test]
fn variants_keep_names_and_their_fields_do_not() {
    let named = Event::Named { name: "a".into(), nick: None, age: 3 };
    assert_eq!(array(&named), b"\x81\xa5Named\x93\xa1a\xc0\x03");
    assert_eq!(array(&Event::Started), b"\xa7Started");
    for event in [Event::Started, Event::Moved(-5), Event::Placed(1, 2), named] {
        for layout in [Layout::Map, Layout::Array] {
            let mut bytes = Vec::new();
            msgpack::encode(&event, layout, &mut bytes).unwrap();
            assert_eq!(msgpack::from_slice::<Event>(&bytes).unwrap(), event);
        }
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Inner {
    x: i32,
    y: Option<String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Internal {
    Empty,
    Struct { a: u8, b: String },
    Newtype(Inner),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Empty,
    Newtype(Inner),
    Tuple(u8, u8),
    Struct { a: u8 },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Text(String),
    Pair(u8, u8),
    Newtype(Inner),
    Struct { name: BTreeMap<String, u8> },
}

#[test]
fn round_trips_every_enum_in_both_layouts() {
    type All = (Vec<Event>, Vec<Internal>, Vec<Adjacent>, Vec<Untagged>);
    let mut all: All = (
        vec![Event::Started, Event::Moved(1)],
        vec![
            Internal::Empty,
            Internal::Struct { a: 1, b: "b".into() },
            Internal::Newtype(Inner { x: -1, y: None }),
        ],
        vec![
            Adjacent::Empty,
            Adjacent::Newtype(Inner { x: 300, y: Some("y".into()) }),
            Adjacent::Tuple(1, 2),
        ],
        vec![
            Untagged::Number(-1),
            Untagged::Text("t".into()),
            Untagged::Pair(1, 2),
            Untagged::Newtype(Inner { x: 5, y: Some("y".into()) }),
        ],
    );
    assert_eq!(msgpack::from_slice::<All>(&array(&all)).unwrap(), all);
    all.2.push(Adjacent::Struct { a: 1 });
    all.3.push(Untagged::Struct { name: [("k".into(), 1)].into() });
    assert_eq!(msgpack::from_slice::<All>(&msgpack::to_vec(&all).unwrap()).unwrap(), all);
}

/// serde's derive reads the fields of these two representations by name only. Arrays are rejected,
/// never misread.
#[test]
fn adjacent_and_untagged_fields_are_read_by_name_only() {
    let error = msgpack::from_slice::<Adjacent>(&array(&Adjacent::Struct { a: 1 })).unwrap_err();
    assert_eq!(error.message(), "invalid type: sequence, expected struct variant Adjacent::Struct");
    let bytes = array(&Untagged::Struct { name: BTreeMap::new() });
    assert!(msgpack::from_slice::<Untagged>(&bytes).is_err());
}

#[test]
fn flattened_records_stay_maps() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Page {
        id: u8,
        #[serde(flatten)]
        rest: BTreeMap<String, u16>,
    }
    // The number of entries is not known beforehand; the head grows with it.
    for count in [0, 3, 14, 15, 300, 70_000] {
        let rest = (0..count).map(|index| (format!("k{index}"), index as u16)).collect();
        let page = Page { id: 1, rest };
        for layout in [Layout::Map, Layout::Array] {
            let mut bytes = vec![0xaa];
            msgpack::encode(&page, layout, &mut bytes).unwrap();
            assert_eq!(msgpack::from_slice::<Page>(&bytes[1..]).unwrap(), page);
            let head: &[u8] = match count {
                0..15 => &[0x80 | (count as u8 + 1)],
                15..0xffff => &[0xde, ((count + 1) >> 8) as u8, (count + 1) as u8],
                _ => &[0xdf, 0, 1, 0x11, 0x71],
            };
            assert_eq!(&bytes[1..1 + head.len()], head, "{count}");
        }
    }
}

#[test]
fn errors_leave_the_output_unchanged() {
    struct Failing;
    impl Serialize for Failing {
        fn serialize<S: serde::Serializer>(&self, _: S) -> std::result::Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("no"))
        }
    }
    #[derive(Serialize)]
    struct Outer {
        a: u8,
        b: Vec<BTreeMap<String, Failing>>,
    }
    let outer = Outer { a: 1, b: vec![BTreeMap::new(), [("key".into(), Failing)].into()] };
    for (layout, format) in [(Layout::Map, Format::MsgPack), (Layout::Array, Format::MsgPackArray)]
    {
        let mut bytes = vec![1, 2, 3];
        let error = msgpack::encode(&outer, layout, &mut bytes).unwrap_err();
        assert_eq!(bytes, [1, 2, 3]);
        assert_eq!(error.path_text(), "$.b[1].key");
        assert_eq!(error.format(), Some(format));
    }
}

#[test]
fn text_that_fails_to_format_itself_is_unsupported() {
    struct Failing;
    impl std::fmt::Display for Failing {
        fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            Err(std::fmt::Error)
        }
    }
    impl Serialize for Failing {
        fn serialize<S: serde::Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
            s.collect_str(self)
        }
    }
    let mut bytes = vec![1];
    let error = msgpack::encode(&Failing, Layout::Map, &mut bytes).unwrap_err();
    assert_eq!(error.message(), "the value failed to format itself");
    assert_eq!(error.category(), Category::Unsupported);
    assert_eq!(bytes, [1]);
}

#[test]
fn corrects_wrong_item_counts() {
    struct Liar(usize, usize);
    impl Serialize for Liar {
        fn serialize<S: serde::Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
            use serde::ser::SerializeSeq;
            let mut seq = s.serialize_seq(Some(self.0))?;
            (0..self.1).try_for_each(|item| seq.serialize_element(&item))?;
            seq.end()
        }
    }
    for (claimed, written) in [(0, 3), (3, 0), (5, 20), (20, 5), (70_000, 2), (1, 70_000)] {
        let bytes = msgpack::to_vec(&(1, Liar(claimed, written), 2)).unwrap();
        let expected = msgpack::to_vec(&(1, (0..written).collect::<Vec<_>>(), 2)).unwrap();
        assert_eq!(bytes, expected);
    }
}

#[test]
fn records_of_every_size_have_the_right_head() {
    const NAMES: [&str; 18] = [
        "a",
        "b",
        "c",
        "d",
        "e",
        "f",
        "g",
        "h",
        "i",
        "j",
        "k",
        "l",
        "m",
        "n",
        "o",
        "p",
        "q",
        "a name of more than thirty-one bytes",
    ];
    /// The length that the record announces, the first name that it writes, and the number of
    /// fields that it writes.
    struct Fields(usize, usize, usize);
    impl Serialize for Fields {
        fn serialize<S: serde::Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
            use serde::ser::SerializeStruct;
            let mut fields = s.serialize_struct("Fields", self.0)?;
            for name in NAMES.iter().cycle().skip(self.1).take(self.2) {
                fields.serialize_field(name, &1u8)?;
            }
            fields.end()
        }
    }
    for claimed in [0, 1, 3, 15, 16, 17] {
        for written in [0, 1, 3, 15, 16, 17] {
            for first in [0, 17] {
                let bytes = msgpack::to_vec(&(Fields(claimed, first, written), 7)).unwrap();
                let names = NAMES.iter().cycle().skip(first).take(written);
                let expected: BTreeMap<String, u8> =
                    names.map(|name| (name.to_string(), 1)).collect();
                let read: (BTreeMap<String, u8>, u8) = msgpack::from_slice(&bytes).unwrap();
                assert_eq!(read, (expected, 7), "{claimed} {written}");
                assert_eq!(
                    rmp_serde::from_slice::<(BTreeMap<String, u8>, u8)>(&bytes).unwrap(),
                    read
                );
            }
        }
    }
    // A variant's record, and one whose every field is skipped.
    #[derive(Serialize)]
    enum Bare {
        Empty {},
        Skipped {
            #[serde(skip_serializing_if = "Option::is_none")]
            a: Option<u8>,
        },
    }
    assert_eq!(msgpack::to_vec(&Bare::Empty {}).unwrap(), b"\x81\xa5Empty\x80");
    assert_eq!(msgpack::to_vec(&Bare::Skipped { a: None }).unwrap(), b"\x81\xa7Skipped\x80");
    assert_eq!(array(&Bare::Skipped { a: None }), b"\x81\xa7Skipped\x91\xc0");
}

#[test]
fn reads_streams_value_by_value() -> Result<()> {
    let mut bytes = Vec::new();
    let mut serializer = msgpack::Serializer::new(&mut bytes, Layout::Map);
    serializer.write(&1u8)?;
    serializer.write("two")?;
    serializer.write(&[3u8])?;
    let mut deserializer = msgpack::Deserializer::new(&bytes);
    assert_eq!(deserializer.read::<u8>()?, 1);
    assert_eq!((deserializer.offset(), deserializer.remaining()), (1, 6));
    assert_eq!(deserializer.read::<&str>()?, "two");
    assert_eq!(deserializer.finish().unwrap_err().category(), Category::Syntax);
    assert_eq!(deserializer.read::<Vec<u8>>()?, [3]);
    deserializer.finish()?;
    assert_eq!(deserializer.read::<u8>().unwrap_err().category(), Category::Eof);
    Ok(())
}

mod check {
    use manywire_codec::msgpack::check_array_layout;
    use manywire_shape::{Shape, Shaped};
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Untagged {
        S { a: u8 },
        V(Vec<u8>),
    }

    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        S { a: u8 },
    }

    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(tag = "t")]
    enum Internal {
        S {
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            list: Vec<u8>,
        },
    }

    #[derive(Serialize, Deserialize, Shaped)]
    struct Shifted {
        #[serde(skip_serializing, default)]
        secret: u8,
        id: u8,
    }

    #[derive(Serialize, Deserialize, Shaped)]
    struct Holder<T> {
        list: Vec<Option<T>>,
    }

    /// Its fields become entries of a map, which has names.
    #[derive(Serialize, Deserialize, Shaped)]
    struct Flattened {
        #[serde(flatten)]
        untagged: Untagged,
    }

    #[derive(Serialize, Deserialize, Shaped)]
    enum External {
        S { a: u8 },
        N(Option<u8>),
    }

    #[derive(Serialize, Deserialize, Shaped)]
    struct Point {
        x: u8,
    }

    #[derive(Serialize, Deserialize, Shaped)]
    struct Size {
        width: u8,
    }

    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Like<T> {
        Other(T),
        Point(Point),
    }

    fn refusal<T: Shaped>() -> String {
        match check_array_layout(&Shape::of::<T>()) {
            Ok(()) => String::new(),
            Err(error) => format!("{}: {}", error.path_text(), error.message()),
        }
    }

    #[test]
    fn types_that_arrays_do_not_hold_are_refused_with_their_path() {
        assert!(refusal::<Untagged>().starts_with("$: serde reads a struct variant"));
        assert!(refusal::<Holder<Untagged>>().starts_with("$.list[0]: serde reads a struct"));
        assert!(refusal::<Holder<Adjacent>>().starts_with("$.list[0].S: serde reads a struct"));
        assert!(refusal::<Holder<Internal>>().starts_with("$.list[0]: a field within"));
        assert!(refusal::<Holder<Shifted>>().starts_with("$.list[0]: a field is skipped either"));
        assert!(refusal::<Like<Size>>().starts_with("$: serde takes the first branch"));
        assert!(refusal::<Like<Vec<u8>>>().starts_with("$: serde takes the first branch"));
        assert_eq!(refusal::<Like<u8>>(), "");
        assert_eq!(refusal::<Holder<External>>(), "");
        assert_eq!(refusal::<Flattened>(), "");
    }
}
