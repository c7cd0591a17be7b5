//! `manywire negotiate`: the choice on the first line, followed by the reasons.

use crate::run::manywire;

#[test]
fn the_first_line_has_only_the_choice() {
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
    let (msgpack, array) = ("application/vnd.msgpack", "application/vnd.msgpack;layout=array");
    for (arguments, expected) in [
        (["--accept", browser, "--offer", "json,msgpack"], "json"),
        (["--accept", "application/cbor, application/json;q=0.5", "--offer", "json,cbor"], "cbor"),
        (["--accept", "application/x-msgpack", "--offer", "json,msgpack"], "msgpack"),
        (["--accept", "a/b;q=0, */*", "--offer", "a/b,c/d"], "c/d"),
        (["--accept", "text/html", "--offer", "application/json"], "406"),
        // As a service does.
        (["--accept", "", "--offer", "application/json"], "application/json"),
        (["--accept", ", ,", "--offer", "cbor,json"], "cbor"),
        (["--accept", array, "--offer", "msgpack,msgpack-array"], "msgpack-array"),
        (["--accept", msgpack, "--offer", "msgpack-array,msgpack"], "msgpack-array"),
        (["--accept-encoding", "gzip, br", "--offer", "gzip,br"], "gzip"),
        (["--accept-encoding", "gzip;q=0.5, br", "--offer", "gzip,br"], "br"),
        (["--accept-encoding", "X-GZIP", "--offer", "gzip"], "gzip"),
        (["--accept-encoding", "", "--offer", "gzip,br"], "identity"),
        (["--accept-encoding", "gzip;q=0.5, identity", "--offer", "gzip"], "identity"),
        (["--accept-encoding", "zstd, *;q=0", "--offer", "gzip,br"], "406"),
    ] {
        let run = manywire(&[&["negotiate"][..], &arguments].concat());
        assert_eq!(run.stdout.lines().next(), Some(expected), "{arguments:?}\n{}", run.stderr);
        assert_eq!(run.code, Some(0), "{arguments:?}");
    }
}

#[test]
fn negotiate_prints_the_reason_for_each_offer() {
    let field = "application/json;q=0.2, application/*;q=0.9, cbor";
    let run =
        manywire(&["negotiate", "--accept", field, "--offer", "application/json,cbor,text/csv"]);
    let expected = "\
cbor
  application/json             q=0.2    by application/json;q=0.2
  cbor                         q=0.9    by application/*;q=0.9
  text/csv                     q=0      not accepted
  passed over as malformed: cbor
";
    assert_eq!(run.stdout, expected);
}

#[test]
fn negotiate_says_why_anything_is_acceptable() {
    for (field, reason) in [
        (&["--accept", ""][..], "an empty Accept counts as absent"),
        (&["--accept", "json"], "no member of Accept is well formed"),
        (&[], "without Accept, anything is acceptable"),
    ] {
        let run = manywire(&[&["negotiate", "--offer", "json"], field].concat());
        let expected = format!("json\n  {:<28} {:<8} {reason}\n", "json", "q=1");
        assert!(run.stdout.starts_with(&expected), "{field:?}: {}", run.stdout);
    }
}

#[test]
fn an_offer_is_a_media_type_or_a_format() {
    for (offer, reason) in [("jason", "invalid media type \"jason\""), ("text/*", "is a range")] {
        let run = manywire(&["negotiate", "--offer", offer]);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
        assert!(run.stderr.contains(reason), "{}", run.stderr);
    }
}
