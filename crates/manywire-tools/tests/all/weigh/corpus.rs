//! Reading payloads keeps the last of duplicate keys, turns JSON fractions into doubles, and
//! reports what was lost.

use manywire_format::Format;
use manywire_shape::fidelity::Loss;
use manywire_shape::{Arena, Value};
use manywire_tools::payload::Payload;
use manywire_tools::weigh::payload::Corpus;

use Value::{Array, F64, I64, Map, Number, Str};

fn loss(path: &str, lost: &str, places: u64) -> Loss {
    Loss { path: path.to_owned(), lost: lost.to_owned(), places }
}

fn read(format: Format, bytes: &[u8], check: impl FnOnce(&Value<'_>, &[Loss])) {
    let payloads = [Payload::new("a", format, bytes.to_vec())];
    let arena = Arena::new();
    let (corpus, errors) = Corpus::load(&payloads, &arena);
    assert!(errors.is_empty(), "{errors:?}");
    check(&corpus.samples[0].value, &corpus.samples[0].losses);
}

/// A fraction is exact here if and only if `convert` accepts it.
#[test]
fn reports_fractions_that_a_double_rounds() {
    const ROUNDED: &str = "a number has more digits than a double holds";
    let text = b"[0.10000000000000001,13.3670000000000012,{\"a\":[0.1234567890123456789,2.5]}]";
    read(Format::Json, text, |value, lost| {
        let inner = Array(&[F64(0.123_456_789_012_345_68), F64(2.5)]);
        assert_eq!(*value, Array(&[F64(0.1), F64(13.367), Map(&[(Str("a"), inner)])]));
        assert_eq!(lost, [loss("$[1]", ROUNDED, 1), loss("$[2].a[0]", ROUNDED, 1)]);
    });
    // CBOR has such numbers, so its readers keep them.
    read(Format::Cbor, b"\xc4\x82\x20\x19\x30\x39", |value, lost| {
        assert_eq!((*value, lost), (Number("1234.5"), &[][..]));
    });
}

#[test]
fn keeps_last_duplicate_key_and_reports_the_others() {
    const KEPT: &str = "duplicate key: the last one was kept";
    read(Format::Json, br#"[{"a":1,"b":[{"c":1,"c":2}],"a":3,"a":4}]"#, |value, lost| {
        let inner = Array(&[Map(&[(Str("c"), I64(2))])]);
        assert_eq!(*value, Array(&[Map(&[(Str("b"), inner), (Str("a"), I64(4))])]));
        assert_eq!(lost, [loss("$[0].a", KEPT, 2), loss("$[0].b[0].c", KEPT, 1)]);
    });
    // {1: 1, "1": 2, 1: 3}: only the integers are equal keys.
    read(Format::MsgPack, b"\x83\x01\x01\xa11\x02\x01\x03", |value, lost| {
        assert_eq!(*value, Map(&[(Str("1"), I64(2)), (I64(1), I64(3))]));
        assert_eq!(lost, [loss("${1}", KEPT, 1)]);
    });
    // The map has more entries than are compared pair by pair.
    let text: String = (0..40).map(|index| format!("\"k{}\":{index},", index % 20)).collect();
    read(Format::Json, format!("{{{}}}", text.trim_end_matches(',')).as_bytes(), |value, lost| {
        let Map(entries) = value else { panic!("{value:?}") };
        assert_eq!((entries.len(), lost.len()), (20, 20));
        assert_eq!(entries[0], (Str("k0"), I64(20)));
    });
}
