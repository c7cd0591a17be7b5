//! Errors of invalid JSON text: the expected and the found text, the position, and the path.

use manywire_codec::json::{self, Position};
use manywire_codec::{Category, Error, Limits};
use manywire_format::Format;
use manywire_shape::Arena;

fn error(bytes: &[u8]) -> Error {
    let arena = Arena::new();
    json::read_value(bytes, &arena, Limits::default().with_depth(4))
        .expect_err(&String::from_utf8_lossy(bytes))
}

#[test]
fn syntax_errors_have_position_and_hint() {
    let table: &[(&[u8], &str)] = &[
        (b"{\"a\":1 x}", "expected ',' or '}' after the value, found 'x', at $.a (byte 7)"),
        (b"[1 2]", "expected ',' or ']' after the item, found '2', at $[0] (byte 3)"),
        (b"[1,]", "expected a value, found ']', at $[1] (byte 3)"),
        (b"{\"a\":1,}", "expected a key in quotes, found '}' (byte 7)"),
        (b"{a:1}", "expected a key in quotes, found 'a' (byte 1)"),
        (b"{\"a\" 1}", "expected ':' after the key, found '1', at $.a (byte 5)"),
        (
            b"{\"a\":{\"b\":[0,{\"c\":tru}]}}",
            "expected a value, found 'tru', at $.a.b[1].c (byte 18)",
        ),
        (
            b"[[1,2],[3,[4 5]]]",
            "expected ',' or ']' after the item, found '5', at $[1][1][0] (byte 13)",
        ),
        (b"{\"x\":{},\"y\":[{},{}],}", "expected a key in quotes, found '}' (byte 20)"),
        (
            b"{\"x\":[{\"y\":1}{",
            "expected ',' or ']' after the item, found '{', at $.x[0] (byte 13)",
        ),
        (b"1 2", "expected nothing more after the value, found '2' (byte 2)"),
        (b"{}\0", "expected nothing more after the value, found the character U+0000 (byte 2)"),
        (b"[\xC2\xA0]", "expected a value, found the character U+00A0, at $[0] (byte 1)"),
        (
            "\u{FEFF}{}".as_bytes(),
            "expected a value, found a byte order mark, which JSON text must not begin with (byte 0)",
        ),
        (b"'a'", "expected a value, found a single quote; strings need double quotes (byte 0)"),
        (
            b"[1, // one\n2]",
            "expected a value, found a comment, which JSON does not have, at $[1] (byte 4)",
        ),
        (b"+1", "expected a value, found '+'; a positive number has no sign (byte 0)"),
        (b".5", "expected a value, found '.'; a number begins with a digit (byte 0)"),
        (b"NaN", "expected a value, found NaN or infinity, which JSON does not have (byte 0)"),
        (b"[True]", "expected a value, found 'True', at $[0] (byte 1)"),
        (b"truely", "expected nothing more after the value, found 'l' (byte 4)"),
        (b"-Infinity", "expected a digit after the minus, found 'I' (byte 1)"),
        (b"01", "a number must not begin with a zero that more digits follow (byte 0)"),
        (b"-012", "a number must not begin with a zero that more digits follow (byte 1)"),
        (b"1.e5", "expected a digit after the decimal point, found 'e' (byte 2)"),
        (b"1e+x", "expected a digit in the exponent, found 'x' (byte 3)"),
        (
            br#""\x41""#,
            "expected one of \" \\ / b f n r t u after the backslash, found 'x' (byte 2)",
        ),
        (br#""\u12g4""#, "expected a hexadecimal digit, found 'g' (byte 5)"),
        (
            br#"["\ud800"]"#,
            r"\ud800 is half of a surrogate pair; alone it is not a character, at $[0] (byte 2)",
        ),
        (
            br#""\ud800\ud800""#,
            r"\ud800 is half of a surrogate pair; alone it is not a character (byte 1)",
        ),
        (
            br#""ab\uDC00\ud800""#,
            r"\uDC00 is half of a surrogate pair; alone it is not a character (byte 3)",
        ),
        (
            br#""\ud83d\n""#,
            r"\ud83d is half of a surrogate pair; alone it is not a character (byte 1)",
        ),
        (
            b"{\"k\":\"a\nb\"}",
            "a string must not contain U+000A unescaped; write it as an escape, at $.k (byte 7)",
        ),
        (b"{\"k\":\"a\xFFb\"}", "expected UTF-8, found the byte 0xFF, at $.k (byte 7)"),
        (b"[1,\xC0\x80]", "expected UTF-8, found the byte 0xC0, at $[1] (byte 3)"),
        (b"[1}\xC0]", "expected ',' or ']' after the item, found '}', at $[0] (byte 2)"),
        (b"[\"\xED\xA0\x80\"]", "expected UTF-8, found the byte 0xED, at $[0] (byte 2)"),
        (b"{} \xF0", "expected UTF-8, found the byte 0xF0 (byte 3)"),
    ];
    for (bytes, message) in table {
        let error = error(bytes);
        assert_eq!(error.to_string(), *message);
        assert_eq!(error.category(), Category::Syntax, "{message}");
        assert_eq!(error.format(), Some(Format::Json), "{message}");
    }
}

#[test]
fn early_ends_name_what_is_missing() {
    let table = [
        ("", "the bytes end here, expected a value (byte 0)"),
        (" \n", "the bytes end here, expected a value (byte 2)"),
        ("[", "the bytes end here, expected a value, at $[0] (byte 1)"),
        ("[1,", "the bytes end here, expected a value, at $[1] (byte 3)"),
        ("{\"a\"", "the bytes end here, expected ':' after the key, at $.a (byte 4)"),
        ("{", "the bytes end here, expected a key in quotes (byte 1)"),
        (
            "{\"a\":[true",
            "the bytes end here, expected ',' or ']' after the item, at $.a[0] (byte 10)",
        ),
        ("\"ab", "the bytes end here, expected the closing quote of a string (byte 3)"),
        (
            "\"ab\\",
            "the bytes end here, expected one of \" \\ / b f n r t u after the backslash (byte 4)",
        ),
        ("\"\\u00", "the bytes end here, expected a hexadecimal digit (byte 5)"),
        ("-", "the bytes end here, expected a digit after the minus (byte 1)"),
        ("1.", "the bytes end here, expected a digit after the decimal point (byte 2)"),
        ("1e", "the bytes end here, expected a digit in the exponent (byte 2)"),
    ];
    for (text, message) in table {
        let error = error(text.as_bytes());
        assert_eq!(error.to_string(), message);
        assert_eq!(error.category(), Category::Eof, "{message}");
    }
}

/// Every prefix of a document fails as truncated input, an incomplete literal such as `tru`, or
/// half a surrogate pair.
#[test]
fn every_prefix_is_an_early_end_or_a_cut_word() {
    let text =
        r#" {"a": [1, -2.5e+3, "x\u00e9\ud834\udd1e\n", true, false, null, {}, []], "b": ""}"#;
    for end in 0..text.len() {
        let error = error(&text.as_bytes()[..end]);
        let cut_word = ["true'", "false'", "null'"].iter().any(|word| {
            error.message().rsplit_once('\'').is_some_and(|(before, _)| {
                before.rsplit_once('\'').is_some_and(|(_, found)| word.starts_with(found))
            })
        });
        let cut_pair = error.message().contains("surrogate");
        assert!(error.category() == Category::Eof || cut_word || cut_pair, "{end}: {error}");
    }
}

#[test]
fn limits_depth() {
    for text in ["[[[[1]]]]", r#"{"a":{"a":{"a":{}}}}"#, "[[[[]]],[[[1]]]]", "[[],[],[],[],[]]"] {
        let arena = Arena::new();
        json::read_value(text.as_bytes(), &arena, Limits::default().with_depth(4)).expect(text);
    }
    let table = [
        ("[[[[[1]]]]]", "nested deeper than the limit of 4, at $[0][0][0][0] (byte 4)"),
        ("[0,{\"a\":[1,2,[[", "nested deeper than the limit of 4, at $[1].a[2][0] (byte 14)"),
    ];
    for (text, message) in table {
        let error = error(text.as_bytes());
        assert_eq!(error.to_string(), message);
        assert_eq!(error.category(), Category::Limit);
    }
    for open in ["[", "{\"a\":", "[{\"a\":"] {
        let text = open.repeat(100_000);
        for limit in [0, 1, 128, 99_999] {
            let arena = Arena::new();
            let limits = Limits::default().with_depth(limit);
            let error = json::read_value(text.as_bytes(), &arena, limits).expect_err(open);
            assert_eq!(error.category(), Category::Limit, "{error}");
            assert_eq!(error.path().len(), limit);
        }
    }
    // Within the limit, the only error is the early end.
    let text = "[".repeat(100_000);
    let arena = Arena::new();
    let limits = Limits::default().with_depth(100_000);
    let error = json::read_value(text.as_bytes(), &arena, limits).expect_err("no end");
    assert_eq!(error.category(), Category::Eof);
}

#[test]
fn positions_count_lines_and_characters_from_1() {
    let at = |line, column| Position { line, column };
    let table: &[(&[u8], usize, Position)] = &[
        (b"", 0, at(1, 1)),
        (b"abc", 2, at(1, 3)),
        (b"a\nbc\n", 1, at(1, 2)),
        (b"a\nbc\n", 2, at(2, 1)),
        (b"a\nbc\n", 5, at(3, 1)),
        (b"a\r\nbc", 4, at(2, 2)),
        ("\"é€\u{1d11e}\" x".as_bytes(), 12, at(1, 7)),
        (b"ab\n\xFF\xFFc", 5, at(2, 3)),
        (b"ab", 99, at(1, 3)),
    ];
    for (bytes, offset, position) in table {
        assert_eq!(json::position(bytes, *offset), *position, "{bytes:?}");
    }
}

#[test]
fn lists_duplicate_keys_with_their_path() {
    let text = r#"{"a":1,"b":[{"x":1,"y":2,"x":{"z":0,"z":0}},{"x":1}],"a":{"c":1},"a":2}"#;
    let arena = Arena::new();
    let value = json::read_value(text.as_bytes(), &arena, Limits::default()).expect(text);
    let found: Vec<String> = json::duplicate_keys(&value)
        .iter()
        .map(|duplicate| format!("{:?} {} {}", duplicate.path, duplicate.key, duplicate.count))
        .collect();
    assert_eq!(
        found,
        [r#"[] a 3"#, r#"[Key("b"), Index(0)] x 2"#, r#"[Key("b"), Index(0), Key("x")] z 2"#,]
    );
    // Many keys are compared by hashing, not in quadratic time.
    let entries: Vec<String> = (0..200_000).map(|number| format!("\"{number}\":0")).collect();
    let text = format!("{{{},\"7\":1}}", entries.join(","));
    let value = json::read_value(text.as_bytes(), &arena, Limits::default()).expect("a document");
    let found = json::duplicate_keys(&value);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].key.as_str(), found[0].count), ("7", 2));
}
