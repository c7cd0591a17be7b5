use manywire_tools::weigh::report::{LaneNote, Report, Row, Summary};
use manywire_tools::weigh::verdict::sentences;

use super::sample::{report, row, timed};

/// Returns a time of `ns` nanoseconds in every launch, against a reference of 500.
fn time(ns: f64, verdict: &str) -> Option<Summary> {
    let ratio = ns / 500.0;
    let summary = timed(ratio, ratio * 0.99, ratio * 1.01, 0.0)?;
    Some(Summary {
        ns: Some(ns),
        verdict: Some(verdict.to_owned()),
        samples: vec![ns * 0.999, ns, ns * 1.001],
        ..summary
    })
}

fn weighed(format: &str, bytes: u64, encode: (f64, &str), decode: (f64, &str)) -> Row {
    Row { encode: time(encode.0, encode.1), decode: time(decode.0, decode.1), ..row(format, bytes) }
}

fn json(bytes: u64) -> Row {
    weighed("json", bytes, (500.0, "reference"), (500.0, "reference"))
}

/// Returns the sentence about the second row.
fn said(report: &Report) -> String {
    let words = sentences(report);
    let format = format!("{}: ", report.rows[1].format);
    words
        .iter()
        .find(|text| text.starts_with(&format))
        .unwrap_or_else(|| panic!("{words:?}"))
        .clone()
}

#[test]
fn break_even_balances_bytes_and_time() {
    // The row is 100 bytes smaller and 1 µs slower.
    let slower = weighed("msgpack", 100, (1_000.0, "slower"), (1_000.0, "slower"));
    let text = said(&report(vec![json(200), slower.clone()]));
    assert!(text.contains("50 % smaller than json; takes 2.00x as long to encode"), "{text}");
    assert!(text.contains("Below 800 Mbit/s msgpack wins"), "{text}");
    // The same for four payloads together: the bytes are a sum, the times are those of one payload.
    let together = |row: Row| Row {
        payload: "*".to_owned(),
        size_bytes: row.size_bytes.map(|size| size * 4),
        ..row
    };
    let mut four = report(vec![together(json(200)), together(slower)]);
    four.payload_count = 4;
    assert!(said(&four).contains("Below 800 Mbit/s msgpack wins"), "{}", said(&four));
}

#[test]
fn no_break_even_if_one_format_is_better_in_both() {
    for (bytes, ns, verdict, expected) in [
        (
            100,
            250.0,
            "faster",
            "Smaller and faster both ways together: cbor wins at any bandwidth.",
        ),
        (300, 750.0, "slower", "Larger and slower both ways together: json wins at any bandwidth."),
        (300, 250.0, "faster", "Below 1.60 Gbit/s json wins"),
    ] {
        let text =
            said(&report(vec![json(200), weighed("cbor", bytes, (ns, verdict), (ns, verdict))]));
        assert!(text.contains(expected), "{text}");
    }
    // Indistinguishable times give no winner.
    let text =
        said(&report(vec![json(200), weighed("cbor", 100, (500.0, "same"), (500.0, "same"))]));
    assert!(text.contains("encodes in the same time (within 2 %)"), "{text}");
    assert!(!text.contains("wins"), "{text}");
}

#[test]
fn unsettled_verdict_gives_launches_needed() {
    let mut unsettled = weighed("avro", 100, (510.0, "inconclusive"), (500.0, "same"));
    unsettled.encode.as_mut().unwrap().more_launches = Some(7);
    let text = said(&report(vec![json(200), unsettled]));
    assert!(
        text.contains(
            "inconclusive to encode (1.01–1.03 of the time; about 7 more launches needed)"
        ),
        "{text}"
    );
}

#[test]
fn compression_keeps_shrinks_or_reverses_a_saving() {
    let coded = |row: Row, gzip, br| Row {
        coded_bytes: [("br:4".to_owned(), br), ("gzip:6".to_owned(), gzip)].into(),
        ..row
    };
    let base = || coded(json(200), 100, 100);
    let text = |gzip, br| said(&report(vec![base(), coded(row("bson", 100), gzip, br)]));
    assert!(text(90, 80).ends_with("Compressed, the saving is 10 % (gzip:6) and 20 % (br:4)."));
    assert!(
        text(110, 99).ends_with("Compressed, it is 10 % larger (gzip:6) and 1 % smaller (br:4).")
    );
}

#[test]
fn indistinguishable_formats_share_first_place() {
    let rows = vec![
        json(200),
        weighed("msgpack", 150, (251.0, "faster"), (500.0, "same")),
        weighed("cbor", 150, (250.0, "faster"), (800.0, "slower")),
    ];
    assert_eq!(
        sentences(&report(rows))[0],
        "For dynamic values in Rust: msgpack and cbor are smallest; msgpack and cbor encode fastest; \
         json and msgpack decode fastest (δ is 2 %, measuring stops at ±1 %)."
    );
}

#[test]
fn table_without_reference_names_the_smallest() {
    let out = Row { status: "too deep".to_owned(), size_bytes: None, ..row("json", 0) };
    assert_eq!(
        sentences(&report(vec![out, row("avro", 9)])),
        [
            "For dynamic values in Rust: avro is smallest.",
            "json is out, so nothing is compared with it: too deep.",
        ]
    );
}

/// Returns a row of another language.
fn foreign(lane: &str, library: &str, format: &str, ns: f64) -> Row {
    let times = (ns, "faster");
    let row = weighed(format, 100, times, times);
    Row { lane: lane.to_owned(), in_lane: lane != "rust", library: library.to_owned(), ..row }
}

/// Returns a report with rows of some languages and our own, in which JSON takes 500 ns.
fn with_lanes(rows: Vec<Row>) -> Report {
    let mut all = vec![json(200)];
    all.extend(rows);
    let mut report = report(all);
    for lane in ["go", "node"] {
        report.lanes.push(LaneNote {
            lane: lane.to_owned(),
            title: lane.to_uppercase(),
            runtime: None,
            status: "ok".to_owned(),
            delta: 0.05,
        });
    }
    report
}

#[test]
fn verdict_tells_if_the_library_decides() {
    let rows = |fast_json| {
        vec![
            foreign("go", "encoding/json", "json", 1_000.0),
            foreign("go", "fast-json", "json", fast_json),
            foreign("go", "some/msgpack", "msgpack", 500.0),
        ]
    };
    let flips = |report: &Report| {
        sentences(report).into_iter().filter(|text| text.contains("the library decides")).count()
    };
    let report = with_lanes(rows(250.0));
    assert_eq!(flips(&report), 2, "both ways: {:?}", sentences(&report));
    let text = sentences(&report).join("\n");
    assert!(text.contains("In GO: json is smallest; json by fast-json encodes fastest"), "{text}");
    assert!(
        text.contains("some/msgpack takes 0.50x the time of encoding/json, but some/msgpack 2.00x that of fast-json"),
        "{text}"
    );
    // The library decides nothing if MessagePack is faster than both, or within δ of one of them.
    assert_eq!(flips(&with_lanes(rows(800.0))), 0);
    assert_eq!(flips(&with_lanes(rows(510.0))), 0);
}

#[test]
fn verdict_tells_if_the_language_decides() {
    let rows = |node| {
        vec![
            foreign("go", "encoding/json", "json", 1_000.0),
            foreign("go", "some/msgpack", "msgpack", 500.0),
            foreign("node", "JSON", "json", 1_000.0),
            foreign("node", "msgpackr", "msgpack", node),
        ]
    };
    let flip = |report: &Report| {
        sentences(report).into_iter().find(|text| text.contains("The language decides"))
    };
    let text = flip(&with_lanes(rows(1_500.0))).expect("a sentence");
    assert!(
        text.contains("it does in GO (0.50x the time), not in NODE (1.50x the time)"),
        "{text}"
    );
    assert_eq!(flip(&with_lanes(rows(700.0))), None);
    assert_eq!(flip(&with_lanes(rows(1_030.0))), None);
}
