//! Text, bytes, and null.

use manywire_codec::{Category, cbor};
use serde::Serialize;

use super::{bytes, reads, rejects, round_trips};

#[test]
fn borrows_text_and_bytes_or_joins_chunks() {
    let input = bytes("6161");
    assert_eq!(cbor::from_slice::<&str>(&input).unwrap(), "a");
    let input = bytes("4161");
    assert_eq!(cbor::from_slice::<&[u8]>(&input).unwrap(), b"a");
    reads("7f61616162ff", "ab".to_owned());
    reads("7fff", String::new());
    reads("63e6b0b4", '\u{6c34}');
    reads("4403020100", vec![3u8, 2, 1, 0]);
    reads("5f420302420100ff", vec![3u8, 2, 1, 0]);
    reads("5f420302420100ff", serde_bytes::ByteBuf::from(vec![3u8, 2, 1, 0]));
    reads("d8404403020100", vec![3u8, 2, 1, 0]);
    reads("820102", serde_bytes::ByteBuf::from(vec![1, 2]));
    reads("43030201", [3u8, 2, 1]);
    rejects::<[u8; 2]>("43030201", Category::Data, "expected 2 items, found 3 (byte 4)");
    rejects::<[u8; 2]>("5f4203024101ff", Category::Data, "expected 2 items, found 3 (byte 7)");
    round_trips(String::from_utf8(vec![b'a'; 24]).unwrap(), &format!("7818{}", "61".repeat(24)));
    // The two bytes of one character are in two chunks.
    rejects::<String>("7f61c361bcff", Category::Syntax, "a string that is not UTF-8 (byte 2)");
    rejects::<String>("626180", Category::Syntax, "a string that is not UTF-8 (byte 2)");
}

#[test]
fn formatted_text_has_the_right_length() {
    struct Displayed(usize);
    impl Serialize for Displayed {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(&format_args!("{:>width$}", "x", width = self.0))
        }
    }
    for length in [1, 2, 23, 24, 25, 255, 256, 257, 65_535] {
        let written = cbor::to_vec(&(1, Displayed(length), 2)).unwrap();
        let expected = cbor::to_vec(&(1, format!("{:>length$}", "x"), 2)).unwrap();
        assert_eq!(written, expected, "{length}");
    }
}

#[test]
fn reads_null_and_undefined_as_absent() {
    round_trips((), "f6");
    round_trips(None::<u8>, "f6");
    round_trips(Some(5u8), "05");
    reads("f7", ());
    reads("f7", None::<u8>);
    reads("d9d9f7f6", None::<u8>);
    reads("c005", Some(5u8));
    reads("82f7f6", (None::<u8>, ()));
    rejects::<()>("00", Category::Data, "invalid type: integer `0`, expected unit (byte 0)");
}
