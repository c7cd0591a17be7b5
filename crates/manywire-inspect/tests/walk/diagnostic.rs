//! CBOR diagnostic notation (RFC 8949, section 8 and Appendix A).

use manywire_format::{Form, Format, Framing};
use manywire_inspect::{Diagnostic, Options, walk_from};

use crate::inputs;

fn notation(bytes: &[u8]) -> String {
    let mut diagnostic = Diagnostic::default();
    let mut text = Vec::new();
    let form = Form { format: Format::Cbor, framing: Framing::Sequence };
    walk_from(&mut &bytes[..], form, Options::DEFAULT, &mut |event| {
        diagnostic.add(&event, &mut text).expect("memory");
    })
    .expect("memory");
    diagnostic.finish(&mut text).expect("memory");
    String::from_utf8(text).expect("text")
}

#[test]
fn writes_the_notation_of_the_specification() {
    let cases = [
        // Encoding indicators, section 8.1.
        ("1b 0000000000000001", "1_3"),
        ("18 01", "1_0"),
        ("38 00", "-1_0"),
        ("9a 00000001 01", "[_2 1]"),
        ("b8 01 01 02", "{_0 1: 2}"),
        ("58 01 61", "h'61'_0"),
        ("79 0001 61", "\"a\"_1"),
        ("d8 01 01", "1_0(1)"),
        ("fb 3ff8000000000000", "1.5_3"),
        ("fa 3fc00000", "1.5_2"),
        ("fa 3f8ccccd", "1.100000023841858"),
        ("fb 3e70000000000000", "5.960464477539063e-8_3"),
        // Indefinite lengths.
        ("9f ff", "[_ ]"),
        ("bf ff", "{_ }"),
        ("9f 9f ff 01 ff", "[_ [_ ], 1]"),
        ("5f ff", "''_"),
        ("82 7f ff 01", "[\"\"_, 1]"),
        ("d8 02 49 01 00 00 00 00 00 00 00 00", "2_0(h'010000000000000000')"),
        ("82 7f 61 61 ff 02", "[(_ \"a\"), 2]"),
        // Tags, of containers and within them.
        ("c1 82 01 c1 02", "1([1, 1(2)])"),
        ("82 c1 c2 80 05", "[1(2([])), 5]"),
        ("c1 80", "1([])"),
        // Values that are not written as bignums: with a leading 0, short, in chunks, or without
        // bytes.
        ("c2 49 00ffffffffffffffff", "2(h'00ffffffffffffffff')"),
        ("c2 41 01", "2(h'01')"),
        ("c2 5f 41 01 ff", "2((_ h'01'))"),
        ("c2 01", "2(1)"),
        ("83 c3 49 ffffffffffffffffff 01 02", "[-4722366482869645213696, 1, 2]"),
        // Characters that a terminal would interpret.
        ("63 1b 22 0a", "\"\\u001b\\\"\\n\""),
        // Sequences, RFC 8742.
        ("01 80 02", "1,\n[],\n2"),
        // Invalid bytes.
        ("9f 01", "[_ 1 / byte 2: expected an item, but the bytes end here / ]"),
        ("82 01 1c 00", "[1] / byte 2: expected a head: 1c is reserved /  / unread: 2 /"),
        ("61 ff", " / byte 1: expected UTF-8 / h'ff' / text that is not UTF-8 /"),
    ];
    for (hex, expected) in cases {
        assert_eq!(notation(&inputs::bytes(hex)).trim_end(), expected, "{hex}");
    }
    assert_eq!(notation(b""), "");
}

#[test]
fn writes_appendix_a_as_printed() {
    for (hex, expected) in inputs::appendix_a() {
        // The appendix escapes characters outside of ASCII, and this simple value is no longer well
        // formed.
        let expected = match serde_json::from_str::<String>(&expected) {
            Ok(text) if !text.is_ascii() => format!("\"{text}\""),
            _ => expected,
        };
        if hex != "f818" {
            assert_eq!(notation(&inputs::bytes(&hex)).trim_end(), expected, "{hex}");
        }
    }
}

#[test]
fn writes_notation_for_any_bytes() {
    for input in inputs::vectors(Format::Cbor) {
        let bytes = &input.bytes[..input.bytes.len().min(300)];
        for length in 0..bytes.len() {
            notation(&bytes[..length]);
            notation(&bytes[length..]);
        }
    }
}
