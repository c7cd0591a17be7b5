//! Variants of enums in the array layout.

use manywire_codec::msgpack;
use manywire_codec::msgpack::Layout;
use manywire_shape::{
    Arena, Int, Node, Presence, Shape, ShapeBuilder, Tagging, Variant, VariantKind,
};
use serde::Serialize;

use super::{field, json, read, record, sum, variant, write};

/// The layout of each enum representation is that of serde's derive, which reads it.
#[test]
fn enums_have_the_layout_of_derived_types() {
    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    struct Point {
        x: u8,
        y: Option<u8>,
    }
    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    enum External {
        Unit,
        New(Point),
        Pair(u8, u8),
        Named { x: u8, y: Option<u8> },
    }
    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    #[serde(tag = "t")]
    enum Internal {
        Unit,
        New(Point),
        Named { x: u8, y: Option<u8> },
    }
    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        Unit,
        New(Point),
        Pair(u8, u8),
        Named { x: u8, y: Option<u8> },
    }
    fn check<T>(tagging: Tagging, typed: T)
    where
        T: Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
    {
        let shape = sums(tagging);
        let arena = Arena::new();
        let text = serde_json::to_string(&typed).unwrap();
        let value = json(&text, &arena);
        let bytes = write(&shape, &value).unwrap();
        assert_eq!(msgpack::from_slice::<T>(&bytes).unwrap(), typed, "{text}: {bytes:02x?}");
        assert_eq!(read(&shape, &bytes, &arena).unwrap(), value, "{text}");
        let mut layout = Vec::new();
        msgpack::encode(&typed, Layout::Array, &mut layout).unwrap();
        // The content of an adjacently tagged variant keeps its names: see the next test.
        if !text.contains(r#""c":{"x""#) || !text.contains("Named") {
            assert_eq!(bytes, layout, "{text}");
        }
        assert_eq!(read(&shape, &layout, &arena).unwrap(), value, "{text}");
    }
    let point = || Point { x: 1, y: Some(2) };
    check(Tagging::External, External::Unit);
    check(Tagging::External, External::New(point()));
    check(Tagging::External, External::Pair(1, 2));
    check(Tagging::External, External::Named { x: 1, y: None });
    let internal = || Tagging::Internal { tag: "t".into() };
    check(internal(), Internal::Unit);
    check(internal(), Internal::New(point()));
    check(internal(), Internal::Named { x: 1, y: Some(3) });
    let adjacent = || Tagging::Adjacent { tag: "t".into(), content: "c".into() };
    check(adjacent(), Adjacent::Unit);
    check(adjacent(), Adjacent::New(point()));
    check(adjacent(), Adjacent::Pair(1, 2));
    check(adjacent(), Adjacent::Named { x: 1, y: Some(3) });
}

pub(super) fn sums(tagging: Tagging) -> Shape {
    let mut builder = ShapeBuilder::default();
    let number = builder.add(Node::Int(Int::unsigned(8)));
    let nullable = builder.add(Node::Option(number));
    let point = builder.add(record(vec![
        field("x", number, Presence::Required),
        field("y", nullable, Presence::Required),
    ]));
    let mut variants = vec![
        variant("Unit", VariantKind::Unit),
        variant("New", VariantKind::Newtype(point)),
        variant("Named", VariantKind::Struct(point)),
    ];
    if !matches!(tagging, Tagging::Internal { .. }) {
        variants.push(variant("Pair", VariantKind::Tuple(vec![number, number])));
    }
    let root = builder.add(sum(tagging, variants));
    builder.finish(root)
}

#[test]
fn aliases_of_variants_become_names() {
    let shape = |tagging| {
        let mut builder = ShapeBuilder::default();
        let number = builder.add(Node::Int(Int::unsigned(8)));
        let point = builder.add(record(vec![field("x", number, Presence::Required)]));
        let variants =
            vec![variant("Unit", VariantKind::Unit), variant("Named", VariantKind::Struct(point))];
        let aliased = variants.into_iter().map(|variant| Variant {
            aliases: vec![variant.name.to_lowercase().into()],
            ..variant
        });
        let root = builder.add(sum(tagging, aliased.collect()));
        let nullable = builder.add(Node::Option(root));
        let flag = builder.add(Node::Bool);
        // A union, too, finds the variant of a name.
        let either = builder.add(Node::Union(vec![flag, root]));
        let pair = builder.add(Node::Tuple(vec![nullable, either]));
        builder.finish(pair)
    };
    let internal = Tagging::Internal { tag: "t".into() };
    let adjacent = Tagging::Adjacent { tag: "t".into(), content: "c".into() };
    let cases = [
        (Tagging::External, r#"["unit","unit"]"#, r#"["Unit","Unit"]"#),
        (
            Tagging::External,
            r#"[{"named":{"x":1}},{"named":{"x":2}}]"#,
            r#"[{"Named":{"x":1}},{"Named":{"x":2}}]"#,
        ),
        (internal.clone(), r#"[{"t":"unit"},{"t":"unit"}]"#, r#"[{"t":"Unit"},{"t":"Unit"}]"#),
        (
            internal,
            r#"[{"x":1,"t":"named"},{"t":"named","x":2}]"#,
            r#"[{"t":"Named","x":1},{"t":"Named","x":2}]"#,
        ),
        (
            adjacent,
            r#"[{"t":"named","c":{"x":1}},{"t":"unit"}]"#,
            r#"[{"t":"Named","c":{"x":1}},{"t":"Unit"}]"#,
        ),
    ];
    for (tagging, given, expected) in cases {
        let (shape, arena) = (shape(tagging), Arena::new());
        let bytes = write(&shape, &json(given, &arena)).unwrap();
        let expected = json(expected, &arena);
        assert_eq!(bytes, write(&shape, &expected).unwrap(), "{given}");
        assert_eq!(read(&shape, &bytes, &arena).unwrap(), expected, "{given}");
    }
    // Bytes that another writer gave an alias.
    let arena = Arena::new();
    let external = shape(Tagging::External);
    let expected = json(r#"["Unit",{"Named":{"x":1}}]"#, &arena);
    let bytes = b"\x92\xa4unit\x81\xa5named\x91\x01";
    assert_eq!(read(&external, bytes, &arena).unwrap(), expected);
    let error = read(&external, b"\x92\xa4unit\x81\xa5named\x91\xc3", &arena).unwrap_err();
    assert_eq!(error.path_text(), "$[1].named.x");
}

#[test]
fn a_short_variant_counts_its_tag() {
    let shape = sums(Tagging::Internal { tag: "t".into() });
    let arena = Arena::new();
    let error = read(&shape, b"\x91\xa5Named", &arena).unwrap_err();
    assert_eq!(error.message(), "expected 3 items, found 1");
    let error = read(&shape, b"\x90", &arena).unwrap_err();
    assert_eq!(error.message(), "expected 1 item, found 0");
}

#[test]
fn rejects_variants_that_do_not_fit() {
    let adjacent = Tagging::Adjacent { tag: "t".into(), content: "c".into() };
    let internal = Tagging::Internal { tag: "t".into() };
    let cases = [
        (Tagging::External, r#""New""#),
        (Tagging::External, r#""Other""#),
        (Tagging::External, r#"{"Unit":1}"#),
        (Tagging::External, r#"{"Pair":[1]}"#),
        (Tagging::External, r#"{"New":{"x":1,"y":2},"Unit":null}"#),
        (Tagging::External, "1"),
        (internal.clone(), r#"{"x":1}"#),
        (internal.clone(), r#"{"t":"Unit","x":1}"#),
        (internal.clone(), r#"{"t":"New","x":1,"y":2,"z":3}"#),
        (internal, r#"{"t":5}"#),
        (adjacent.clone(), r#"{"t":"New"}"#),
        (adjacent.clone(), r#"{"t":"Unit","c":null}"#),
        (adjacent, r#"{"t":"New","c":{"x":1,"y":2},"d":1}"#),
    ];
    for (tagging, text) in cases {
        let arena = Arena::new();
        let result = write(&sums(tagging.clone()), &json(text, &arena));
        assert!(result.is_err(), "{tagging:?} {text}: {result:02x?}");
    }
}
