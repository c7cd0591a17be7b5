//! Unions, and integers beyond 64 bits, in the array layout.

use manywire_shape::{Arena, Int, Node, Presence, ShapeBuilder};

use super::{array_of, field, json, read, record, write};

#[test]
fn records_in_unions_with_arrays_keep_names() {
    let mut builder = ShapeBuilder::default();
    let number = builder.add(Node::Int(Int::signed(64)));
    let text = builder.add(Node::Str);
    let point = builder.add(record(vec![field("x", number, Presence::Required)]));
    let numbers = builder.add(array_of(number));
    let apart = builder.add(Node::Union(vec![text, point]));
    let beside = builder.add(Node::Union(vec![point, numbers]));
    let root = builder.add(Node::Tuple(vec![apart, apart, beside, beside]));
    let shape = builder.finish(root);
    let arena = Arena::new();
    let value = json(r#"["a",{"x":1},{"x":2},[3]]"#, &arena);
    let bytes = write(&shape, &value).unwrap();
    assert_eq!(bytes, b"\x94\xa1a\x91\x01\x81\xa1x\x02\x91\x03");
    assert_eq!(read(&shape, &bytes, &arena).unwrap(), value);
    assert!(write(&shape, &json(r#"[true,{"x":1},{"x":2},[3]]"#, &arena)).is_err());
}

#[test]
fn reads_wide_integers_as_numbers() {
    let mut builder = ShapeBuilder::default();
    let root = builder.add(Node::Int(Int::signed(128)));
    let shape = builder.finish(root);
    for text in ["18446744073709551616", "-170141183460469231731687303715884105728", "7"] {
        let arena = Arena::new();
        let value = json(text, &arena);
        let bytes = write(&shape, &value).unwrap();
        assert_eq!(read(&shape, &bytes, &arena).unwrap(), value);
    }
}

#[test]
fn wide_integers_keep_their_sign() {
    let shape_of = |int| {
        let mut builder = ShapeBuilder::default();
        let root = builder.add(Node::Int(int));
        builder.finish(root)
    };
    let (signed, unsigned) = (shape_of(Int::signed(128)), shape_of(Int::unsigned(128)));
    let arena = Arena::new();
    for (text, bytes) in [
        ("340282366920938463463374607431768211455", u128::MAX.to_be_bytes()),
        ("170141183460469231731687303715884105728", (1_u128 << 127).to_be_bytes()),
        ("18446744073709551616", (1_u128 << 64).to_be_bytes()),
    ] {
        let value = json(text, &arena);
        let written = write(&unsigned, &value).unwrap();
        assert_eq!(written, [&[0xc4, 16][..], &bytes].concat(), "{text}");
        assert_eq!(read(&unsigned, &written, &arena).unwrap(), value, "{text}");
    }
    for (shape, text) in
        [(&signed, "170141183460469231731687303715884105728"), (&unsigned, "-18446744073709551616")]
    {
        assert!(write(shape, &json(text, &arena)).is_err(), "{text}");
    }
    // A writer may also send a small number in 16 bytes.
    let small = [&[0xc4, 16][..], &7_u128.to_be_bytes()].concat();
    for shape in [&signed, &unsigned] {
        assert_eq!(read(shape, &small, &arena).unwrap(), json("7", &arena));
    }
}
