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
