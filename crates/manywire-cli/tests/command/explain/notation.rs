//! `--diag`: CBOR in diagnostic notation.

use crate::run::manywire;

#[test]
fn cbor_is_written_in_diagnostic_notation() {
    let bytes = "a3 01 9f 18 2a ff 61 61 c1 fb 41d452d9ec200000 62 c3bc 42 01 02";
    let run = manywire(&["explain", bytes, "--diag"]);
    assert_eq!(run.stdout, "{1: [_ 42], \"a\": 1(1363896240.5), \"ü\": h'0102'}\n");
    assert_eq!(run.code, Some(0));
    let sequence = manywire(&["explain", "01 1b 0000000000000002", "--from", "cbor-seq", "--diag"]);
    assert_eq!(sequence.stdout, "1,\n2_3\n");
    let cut = manywire(&["explain", "9f 01", "--from", "cbor", "--diag"]);
    assert!(cut.stdout.contains("/ byte 2: expected an item"), "{}", cut.stdout);
    assert_eq!(cut.code, Some(1));
}

#[test]
fn only_cbor_has_diagnostic_notation() {
    let run = manywire(&["explain", "81 a1 61 01", "--from", "msgpack", "--diag"]);
    assert!(run.stderr.contains("--from cbor"), "{}", run.stderr);
    assert_eq!(run.code, Some(2));
    assert_eq!(manywire(&["explain", "01", "--diag", "--top"]).code, Some(2));
    assert_eq!(
        manywire(&["explain", "01", "--from", "cbor", "--diag", "--depth", "1"]).code,
        Some(2)
    );
}
