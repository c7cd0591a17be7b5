//! `--check`: faults and remarks in each format.

use crate::run::manywire;

#[test]
fn check_has_findings_for_each_format() {
    // The columns: the bytes, the format, and the first finding.
    let findings = [
        // Integers and lengths that are longer than necessary.
        ("cc 05", "msgpack", "byte 0, $: 5 fits into 1 byte"),
        ("d9 01 61", "msgpack", "byte 0, $: a shorter head would do"),
        ("18 05", "cbor", "byte 0, $: a shorter head would do for 5"),
        ("fb 3ff8000000000000", "cbor", "byte 0, $: a 16-bit float would do for 1.5"),
        ("fa 3f800000", "cbor", "byte 0, $: a 16-bit float would do for 1.0"),
        // The payload of this NaN has more bits than a 16-bit float.
        ("fb 7ff8000020000000", "cbor", "byte 0, $: a 32-bit float would do for NaN"),
        ("08 81 00", "protobuf", "byte 1, $.1: a shorter varint would do"),
        (
            "10 00 00 00 12 61 00 05 00 00 00 00 00 00 00 00",
            "bson",
            "byte 7, $.a: 5 fits into 4 bytes",
        ),
        // Repeated keys.
        (
            "7b 22 61 22 3a 31 2c 22 61 22 3a 32 7d",
            "json",
            "byte 7, $.a: this key is repeated in its map",
        ),
        ("82 a1 61 01 a1 61 02", "msgpack", "byte 4, $.a: this key is repeated in its map"),
        ("a2 61 61 01 61 61 02", "cbor", "byte 4, $.a: this key is repeated in its map"),
        (
            "13 00 00 00 10 61 00 01 00 00 00 10 61 00 02 00 00 00 00",
            "bson",
            "byte 11, $.a: this key",
        ),
        // Invalid UTF-8.
        ("22 ff 22", "json", "byte 1, $: expected UTF-8"),
        ("a2 61 ff", "msgpack", "byte 2, $: expected UTF-8"),
        ("62 61 ff", "cbor", "byte 2, $: expected UTF-8"),
        ("0f 00 00 00 02 61 00 03 00 00 00 61 ff 00 00", "bson", "byte 12, $.a: expected UTF-8"),
        // Trailing bytes.
        ("31 20 78", "json", "byte 2, $: expected the end"),
        ("04 04", "msgpack", "byte 1, $: expected the end"),
        ("01 01", "cbor", "byte 1, $: expected the end"),
        ("05 00 00 00 00 07", "bson", "byte 5, $: expected the end"),
        // Reserved bytes and numbers.
        ("c1", "msgpack", "byte 0, $: expected a value"),
        ("d4 80 00", "msgpack", "byte 0, $: types below 0 are reserved"),
        ("1c", "cbor", "byte 0, $: expected a head"),
        ("f8 18", "cbor", "byte 0, $: expected a simple value from 32 on"),
        ("c0 a3 09 01", "protobuf", "byte 0, $: numbers from 19000 to 19999 are reserved"),
        ("16 00", "protobuf", "byte 1, $: expected a wire type from 0 to 5, not 6"),
        ("08 00 00 00 06 61 00 00", "bson", "byte 7, $.a: undefined is deprecated"),
        ("0d 00 00 00 05 61 00 00 00 00 00 0b 00", "bson", "byte 7, $.a: subtype 11 is reserved"),
        // Indexes that differ from their position.
        (
            "14 00 00 00 04 61 00 0c 00 00 00 10 37 00 01 00 00 00 00 00",
            "bson",
            "byte 11, $.a[0]: the index here is 0",
        ),
        // Truncated values.
        ("5b 31 2c", "json", "byte 3, $[1]: expected a value"),
        ("81 a1 61", "msgpack", "byte 3, $.a: expected a value"),
    ];
    for (bytes, format, found) in findings {
        let run = manywire(&["explain", bytes, "--format", format, "--check"]);
        assert!(run.stdout.starts_with(found), "{bytes}: {}{}", run.stdout, run.stderr);
        assert_eq!(run.code, Some(1), "{bytes}");
    }
}

#[test]
fn check_reports_that_there_is_no_finding() {
    for (bytes, format, title) in [
        ("81 a1 61 01", "msgpack", "MessagePack (map)"),
        ("a1 61 61 f9 3c 00", "cbor", "CBOR"),
        ("08 01 08 02", "protobuf", "Protocol Buffers"),
    ] {
        let run = manywire(&["explain", bytes, "--from", format, "--check"]);
        assert_eq!(run.stdout, format!("{title}: 0 faults, 0 remarks\n"), "{bytes}");
        assert_eq!(run.code, Some(0), "{bytes}");
    }
    // Remarks affect the exit code only with `--check`.
    assert_eq!(manywire(&["explain", "cc 05", "--from", "msgpack"]).code, Some(0));
}
