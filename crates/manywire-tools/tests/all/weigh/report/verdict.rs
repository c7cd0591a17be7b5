use manywire_tools::weigh::report::RowVerdict::{Faster, Inconclusive, Reference, Same, Slower};
use manywire_tools::weigh::report::{
    Clock, CodedSummary, Report, Row, RowVerdict, Status, Summary,
};
use manywire_tools::weigh::subject::ValueKind;
use manywire_tools::weigh::verdict::Verdicts;
use manywire_tools::weigh::{Effort, Options};

use super::sample::{lane, report, row, timed};

fn sentences(report: &Report) -> Vec<String> {
    Verdicts::of(report).sentences()
}

/// Returns a time of `ns` nanoseconds in every launch, against a reference of 500.
fn time(ns: f64, verdict: RowVerdict) -> Option<Summary> {
    let ratio = ns / 500.0;
    let summary = timed(ratio, ratio * 0.99, ratio * 1.01, 0.0)?;
    Some(Summary {
        ns: Some(ns),
        verdict: Some(verdict),
        samples: vec![ns * 0.999, ns, ns * 1.001],
        ..summary
    })
}

fn weighed(format: &str, bytes: u64, encode: (f64, RowVerdict), decode: (f64, RowVerdict)) -> Row {
    Row { encode: time(encode.0, encode.1), decode: time(decode.0, decode.1), ..row(format, bytes) }
}

fn json(bytes: u64) -> Row {
    weighed("json", bytes, (500.0, Reference), (500.0, Reference))
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
    let slower = weighed("msgpack", 100, (1_000.0, Slower), (1_000.0, Slower));
    let text = said(&report(vec![json(200), slower.clone()]));
    assert!(text.contains("50 % smaller than json; takes 2.00x as long to encode"), "{text}");
    assert!(text.contains("Uncompressed: below 800 Mbit/s (±0.1 %) msgpack wins"), "{text}");
    // The same for four payloads together: the bytes are a sum, the times are those of one payload.
    let together = |row: Row| Row {
        payload: "*".to_owned(),
        size_bytes: row.size_bytes.map(|size| size * 4),
        ..row
    };
    let mut four = report(vec![together(json(200)), together(slower)]);
    four.payload_count = 4;
    assert!(
        said(&four).contains("Uncompressed: below 800 Mbit/s (±0.1 %) msgpack wins"),
        "{}",
        said(&four)
    );
}

#[test]
fn break_even_counts_the_bytes_on_the_line() {
    // Three segments beside one, with the headers of each.
    let with_headers = |row: Row| Row { header_bytes: 300, ..row };
    let slower = weighed("msgpack", 1_000, (1_000.0, Slower), (1_000.0, Slower));
    let text = said(&report(vec![with_headers(json(3_000)), with_headers(slower)]));
    // 2,104 bytes in 1 µs; the bodies alone would give 16.0 Gbit/s.
    assert!(text.contains("Uncompressed: below 16.8 Gbit/s (±0.1 %) msgpack wins"), "{text}");
}

/// Returns a row that takes these nanoseconds in each launch, both ways.
fn sampled(row: Row, ns: &[f64]) -> Row {
    let with = |summary: Option<Summary>| Some(Summary { samples: ns.to_vec(), ..summary? });
    Row { encode: with(row.encode), decode: with(row.decode), ..row }
}

#[test]
fn bandwidths_of_all_formats_are_judged_together() {
    // One format alone would be decided, with an adjusted p-value of 0.04.
    let sign = |launch: i32| if launch % 2 == 0 { 1.0_f64 } else { -1.0 };
    let slower: Vec<f64> = (0..10).map(|launch| 550.0 * (0.106 * sign(launch)).exp()).collect();
    let json = sampled(json(200), &[500.0; 10]);
    let of = |format| sampled(weighed(format, 150, (550.0, Slower), (550.0, Slower)), &slower);
    let alone = said(&report(vec![json.clone(), of("msgpack")]));
    assert!(alone.contains("Uncompressed: below "), "{alone}");
    let together = said(&report(vec![json, of("msgpack"), of("cbor")]));
    assert!(!together.contains("Uncompressed"), "{together}");
}

/// Returns a row as on a busy machine, on which each operation of it waited for as many nanoseconds.
fn waited(row: Row, ns: f64) -> Row {
    let waited = |summary: Option<Summary>| {
        let summary = summary?;
        let (cpu_samples, cpu_ns) = (summary.samples.clone(), summary.ns);
        let samples = cpu_samples.iter().map(|cpu| cpu + ns).collect();
        let ns = Some(summary.ns? + ns);
        Some(Summary { clock: Clock::Cpu, ns, samples, cpu_ns, cpu_samples, ..summary })
    };
    Row { encode: waited(row.encode), decode: waited(row.decode), ..row }
}

#[test]
fn break_even_on_a_busy_machine_is_that_of_cpu_time() {
    let slower = weighed("msgpack", 100, (1_000.0, Slower), (1_000.0, Slower));
    let busy = vec![waited(json(200), 8_000.0), waited(slower, 90.0)];
    let text = said(&report(busy.clone()));
    assert!(text.contains("Uncompressed: below 800 Mbit/s (±0.1 %) msgpack wins"), "{text}");
    let first = &sentences(&report(busy.clone()))[0];
    assert!(first.contains("json is fastest both ways"), "{first}");
    // Without CPU times, waiting decides nothing.
    let without = |summary: Option<Summary>| {
        Some(Summary { cpu_ns: None, cpu_samples: Vec::new(), ..summary? })
    };
    let unknown = |row: Row| Row {
        encode: without(row.encode.clone()),
        decode: without(row.decode.clone()),
        ..row
    };
    let report = report(busy.into_iter().map(unknown).collect());
    let text = said(&report);
    assert!(!text.contains("wins"), "{text}");
    assert!(!sentences(&report)[0].contains("fastest"), "{:?}", sentences(&report));
}

#[test]
fn no_break_even_if_one_format_is_better_in_both() {
    for (bytes, ns, verdict, expected) in [
        (
            100,
            250.0,
            Faster,
            "Uncompressed: fewer bytes on the line and less time both ways together, so cbor wins at any bandwidth.",
        ),
        (
            300,
            750.0,
            Slower,
            "Uncompressed: more bytes on the line and more time both ways together, so json wins at any bandwidth.",
        ),
        (300, 250.0, Faster, "Uncompressed: below 1.60 Gbit/s (±0 %) json wins"),
    ] {
        let text =
            said(&report(vec![json(200), weighed("cbor", bytes, (ns, verdict), (ns, verdict))]));
        assert!(text.contains(expected), "{text}");
    }
    // Indistinguishable times give no winner.
    let text = said(&report(vec![json(200), weighed("cbor", 100, (500.0, Same), (500.0, Same))]));
    assert!(text.contains("encodes in the same time (within 2 %)"), "{text}");
    assert!(!text.contains("wins"), "{text}");
}

#[test]
fn unsettled_verdict_gives_launches_needed() {
    let mut unsettled = weighed("avro", 100, (510.0, Inconclusive), (500.0, Same));
    unsettled.encode.as_mut().unwrap().more_launches = Some(7);
    let text = said(&report(vec![json(200), unsettled]));
    assert!(
        text.contains("inconclusive to encode (1.02x as long, ±1 %; about 7 more launches needed)"),
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
fn the_smallest_format_may_be_another_under_compression() {
    let coded = |format: &str, bytes, gzip, br| Row {
        coded_bytes: [("br:4".to_owned(), br), ("gzip:6".to_owned(), gzip)].into(),
        ..row(format, bytes)
    };
    let first = |rows| sentences(&report(rows))[0].clone();
    let json = || coded("json", 200, 100, 100);
    assert_eq!(
        first(vec![json(), coded("avro", 90, 80, 70)]),
        "For dynamic values in Rust: avro is smallest, compressed or not."
    );
    assert_eq!(
        first(vec![json(), coded("avro", 90, 101, 100), coded("cbor", 95, 99, 101)]),
        "For dynamic values in Rust: avro is smallest, cbor with gzip:6, json and avro with br:4."
    );
}

#[test]
fn indistinguishable_formats_share_first_place() {
    let rows = vec![
        json(200),
        weighed("msgpack", 150, (251.0, Faster), (500.0, Same)),
        weighed("cbor", 150, (250.0, Faster), (800.0, Slower)),
    ];
    assert_eq!(
        sentences(&report(rows))[0],
        "For dynamic values in Rust: msgpack and cbor are smallest; cbor encodes fastest, msgpack \
         within 2 % of cbor; json decodes fastest, msgpack within 2 % of json (δ is 2 %, measuring stops at ±1 %)."
    );
}

#[test]
fn quick_measurement_has_no_width_at_which_it_stops() {
    let rows = || vec![json(200), weighed("cbor", 150, (250.0, Faster), (250.0, Faster))];
    let options = Options { effort: Effort::Quick, ..Options::default() };
    let quick = Report {
        options: serde_json::json!({ "effort": options.effort.name() }),
        delta: options.delta(),
        ..report(rows())
    };
    let first = |report: Report| sentences(&report)[0].clone();
    let claim = "For dynamic values in Rust: cbor is smallest; cbor is fastest both ways";
    assert_eq!(first(quick), format!("{claim} (δ is 10 %)."));
    assert_eq!(first(report(rows())), format!("{claim} (δ is 2 %, measuring stops at ±1 %)."));
}

#[test]
fn table_without_reference_names_the_smallest() {
    let out =
        Row { status: Status::Failed("too deep".to_owned()), size_bytes: None, ..row("json", 0) };
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
    let times = (ns, Faster);
    let row = weighed(format, 100, times, times);
    Row { lane: lane.to_owned(), library: library.to_owned(), ..row }
}

/// Returns a report with rows of some languages and our own, in which JSON takes 500 ns.
fn with_lanes(rows: Vec<Row>) -> Report {
    let mut all = vec![json(200)];
    all.extend(rows);
    let mut report = report(all);
    report.lanes.extend([lane("go", "GO", 0.05), lane("node", "NODE", 0.05)]);
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
    assert!(text.contains("For dynamic values in GO: json and msgpack are smallest; json by fast-json is fastest both ways"), "{text}");
    assert!(
        text.contains("For dynamic values in GO the library decides whether msgpack encodes faster than json: some/msgpack takes 0.50x as long as encoding/json, but some/msgpack takes 2.00x as long as fast-json."),
        "{text}"
    );
    // The library decides nothing if MessagePack is faster than both, or within δ of one of them.
    assert_eq!(flips(&with_lanes(rows(800.0))), 0);
    assert_eq!(flips(&with_lanes(rows(510.0))), 0);
}

#[test]
fn the_lane_of_rust_is_one_of_the_languages() {
    let typed = |row: Row| Row { target: ValueKind::Typed, ..row };
    let report = with_lanes(vec![
        weighed("msgpack", 150, (250.0, Faster), (250.0, Faster)),
        foreign("rust", "serde_json", "json", 2_000.0),
        typed(foreign("rust", "serde_json", "json", 400.0)),
        foreign("go", "encoding/json", "json", 1_000.0),
    ]);
    let words = sentences(&report);
    for expected in [
        // The libraries are named, since those of Rust are measured side by side.
        "For dynamic values in Rust: json is smallest; msgpack by manywire is fastest both ways.",
        "For typed values in Rust: json is smallest.",
        // Our own codecs are compared with each other as without the lane.
        "msgpack: 25 % smaller than json; takes 0.50x as long to encode",
        "json with serde_json instead of manywire takes 4.00x as long to encode",
        "For dynamic values in GO: json is smallest.",
    ] {
        assert_eq!(
            words.iter().filter(|text| text.starts_with(expected)).count(),
            1,
            "{expected}: {words:?}"
        );
    }
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
        sentences(report).into_iter().find(|text| text.contains("the language decides"))
    };
    let text = flip(&with_lanes(rows(1_500.0))).expect("a sentence");
    assert!(text.contains("it does in GO (0.50x as long), not in NODE (1.50x as long)"), "{text}");
    assert_eq!(flip(&with_lanes(rows(700.0))), None);
    assert_eq!(flip(&with_lanes(rows(1_030.0))), None);
}

#[test]
fn only_values_of_one_kind_are_compared() {
    let typed = |row: Row| Row { target: ValueKind::Typed, ..row };
    // Typed JSON is slower than both kinds of MessagePack, dynamic JSON is faster.
    let report = with_lanes(vec![
        foreign("go", "fast-json", "json", 250.0),
        foreign("go", "some/msgpack", "msgpack", 500.0),
        typed(foreign("go", "fast-json", "json", 1_000.0)),
        typed(foreign("go", "some/msgpack", "msgpack", 500.0)),
    ]);
    let text = sentences(&report).join("\n");
    assert!(!text.contains("the library decides"), "{text}");
    assert!(text.contains("For typed values in GO: "), "{text}");
    assert!(text.contains("For dynamic values in GO: "), "{text}");
}

#[test]
fn sentences_about_a_language_do_not_depend_on_other_languages() {
    let go = || {
        vec![
            foreign("go", "encoding/json", "json", 1_000.0),
            foreign("go", "some/msgpack", "msgpack", 500.0),
        ]
    };
    let about_go = |rows| {
        let mut texts = sentences(&with_lanes(rows));
        texts.retain(|text| text.contains("in GO"));
        texts
    };
    let node = (0..40).map(|index| foreign("node", &format!("library {index}"), "json", 500.0));
    let alone = about_go(go());
    assert!(!alone.is_empty());
    assert_eq!(alone, about_go(go().into_iter().chain(node).collect()));
}

/// Spreads the launches of a row so widely that no comparison with it is settled.
fn unsettled(row: Row) -> Row {
    let spread = |summary: Option<Summary>| {
        let summary = summary?;
        let ns = summary.ns?;
        Some(Summary { samples: vec![ns * 0.5, ns, ns * 2.0], ..summary })
    };
    Row { encode: spread(row.encode), decode: spread(row.decode), ..row }
}

#[test]
fn rows_that_may_be_fastest_are_called_undecided() {
    let rows = vec![
        json(200),
        weighed("msgpack", 150, (250.0, Faster), (250.0, Faster)),
        unsettled(weighed("cbor", 160, (300.0, Inconclusive), (300.0, Inconclusive))),
    ];
    let text = &sentences(&report(rows))[0];
    assert!(text.contains("msgpack or cbor is fastest both ways (undecided)"), "{text}");
}

/// Returns a row with these ratios to the reference in each launch, both ways.
fn in_launches(row: Row, ratios: &[f64]) -> Row {
    let with =
        |summary: Option<Summary>| Some(Summary { ratio_samples: ratios.to_vec(), ..summary? });
    Row { encode: with(row.encode), decode: with(row.decode), ..row }
}

#[test]
fn rows_are_compared_in_each_launch_and_not_by_their_intervals() {
    // The reference was slow in one launch and fast in another.
    let noise = [0.9, 1.0, 1.1];
    let noisy = |format, ns: f64| {
        let row = weighed(format, 150, (ns, Faster), (ns, Faster));
        in_launches(row, &noise.map(|noise| noise * ns / 500.0))
    };
    let rows =
        vec![in_launches(json(200), &[1.0; 3]), noisy("msgpack", 250.0), noisy("cbor", 275.0)];
    let text = &sentences(&report(rows))[0];
    assert!(text.contains("msgpack is fastest both ways (δ"), "{text}");
}

#[test]
fn the_fastest_rows_of_both_directions_are_judged_together() {
    // Each direction alone would be settled, with an adjusted p-value of 0.04.
    let sign = |launch: i32| if launch % 2 == 0 { 1.0_f64 } else { -1.0 };
    let ratios: Vec<f64> = (0..10).map(|launch| 1.1 * (0.083 * sign(launch)).exp()).collect();
    let msgpack = weighed("msgpack", 150, (450.0, Faster), (450.0, Faster));
    let of = |msgpack: Row| {
        let rows = vec![in_launches(json(200), &ratios), in_launches(msgpack, &[1.0; 10])];
        sentences(&report(rows))[0].clone()
    };
    let text = of(msgpack.clone());
    assert!(text.contains("msgpack or json is fastest both ways (undecided)"), "{text}");
    let text = of(Row { decode: None, ..msgpack });
    assert!(text.contains("msgpack encodes fastest (δ"), "{text}");
}

#[test]
fn a_single_launch_gives_no_claim_about_times() {
    let once = |row: Row| {
        let first = |summary: Option<Summary>| {
            let summary = summary?;
            let samples = vec![summary.ns?];
            let (ratio, ratio_low, ratio_high, verdict) = (None, None, None, None);
            Some(Summary { samples, ratio, ratio_low, ratio_high, verdict, ..summary })
        };
        Row { encode: first(row.encode), decode: first(row.decode), ..row }
    };
    let msgpack = weighed("msgpack", 150, (250.0, Faster), (900.0, Slower));
    let text = sentences(&report(vec![once(json(200)), once(msgpack)]));
    assert_eq!(
        text,
        ["For dynamic values in Rust: msgpack is smallest.", "msgpack: 25 % smaller than json."]
    );
}

#[test]
fn an_interval_that_decides_alone_says_why_it_is_inconclusive() {
    let mut row = weighed("avro", 100, (400.0, Inconclusive), (500.0, Same));
    for summary in [&mut row.encode, &mut row.decode] {
        summary.as_mut().unwrap().p_adjusted = Some(0.06);
    }
    let text = said(&report(vec![json(200), row]));
    assert!(
        text.contains(
            "inconclusive to encode (0.80x as long, ±1 %; decided by this interval alone, but not \
             among 2 comparisons)"
        ),
        "{text}"
    );
}

#[test]
fn tables_and_sentences_show_one_number_for_a_ratio() {
    // The ratio of the launches' medians would be 2; that of their rounds is 1.37.
    let by_rounds = |row: Row, ratio: f64| {
        let with =
            |summary: Option<Summary>| Some(Summary { ratio_samples: vec![ratio; 3], ..summary? });
        Row { encode: with(row.encode), decode: with(row.decode), ..row }
    };
    let ours = by_rounds(json(200), 1.0);
    let other = Row {
        library: "serde_json".to_owned(),
        ..by_rounds(weighed("json", 200, (1_000.0, Slower), (1_000.0, Slower)), 1.37)
    };
    let text = sentences(&report(vec![ours, other])).join("\n");
    assert!(
        text.contains("json with serde_json instead of manywire takes 1.37x as long to encode"),
        "{text}"
    );
}

#[test]
fn a_library_is_neither_slower_nor_faster_if_its_interval_contains_both() {
    let library = Row {
        library: "serde_json".to_owned(),
        ..weighed("json", 200, (515.0, Inconclusive), (1_000.0, Slower))
    };
    let mut library = in_launches(library, &[0.9, 1.03, 1.2]);
    library.decode = weighed("json", 200, (515.0, Inconclusive), (1_000.0, Slower)).decode;
    let text = sentences(&report(vec![in_launches(json(200), &[1.0; 3]), library])).join("\n");
    assert!(text.contains("takes an undecided time to encode (1.04x as long, "), "{text}");
    assert!(text.contains(") and 2.00x as long to decode ("), "{text}");
}

#[test]
fn libraries_are_judged_together() {
    // Each direction alone would be settled, with an adjusted p-value of 0.04.
    let sign = |launch: i32| if launch % 2 == 0 { 1.0_f64 } else { -1.0 };
    let ratios: Vec<f64> = (0..10).map(|launch| 1.1 * (0.083 * sign(launch)).exp()).collect();
    let library = Row {
        library: "serde_json".to_owned(),
        ..weighed("json", 200, (550.0, Inconclusive), (550.0, Inconclusive))
    };
    let rows = vec![in_launches(json(200), &[1.0; 10]), in_launches(library, &ratios)];
    let text = sentences(&report(rows)).join("\n");
    for verb in ["encode", "decode"] {
        let undecided = format!("an undecided time to {verb} (1.10x as long, ");
        assert!(text.contains(&undecided), "{text}");
    }
}

#[test]
fn every_ratio_of_compressed_times_has_its_interval() {
    let coded = |row: Row, ns: f64| {
        let summary = CodedSummary { compress: time(ns, Same), decompress: time(ns, Same) };
        Row { coded: [("gzip:6".to_owned(), summary)].into(), ..row }
    };
    let cbor = coded(weighed("cbor", 150, (250.0, Faster), (250.0, Faster)), 1_000.0);
    let text = said(&report(vec![coded(json(200), 1_000.0), cbor]));
    // The quotients of launches are equal but for rounding.
    for expected in [
        "gzip:6 makes encoding take 4.00x (±0",
        " and decoding 4.00x (±0",
        " as long, 2.00x (±1 %) and 2.00x (±1 %) as json under it",
    ] {
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn the_verdict_for_compressed_bodies_comes_first() {
    let coded = |row: Row, bytes: u64, ns: f64| {
        let times = || time(ns, Same);
        let summary = CodedSummary { compress: times(), decompress: times() };
        Row {
            coded_bytes: [("gzip:6".to_owned(), bytes)].into(),
            coded: [("gzip:6".to_owned(), summary)].into(),
            ..row
        }
    };
    let json = coded(json(200), 100, 1_000.0);
    // Smaller and faster as it is, but larger when compressed.
    let cbor = coded(weighed("cbor", 150, (250.0, Faster), (250.0, Faster)), 110, 800.0);
    let text = said(&report(vec![json, cbor]));
    let compressed = text.find("Compressed with gzip:6: below ").expect(&text);
    let plain = text.find("Uncompressed: fewer bytes on the line and less time both").expect(&text);
    assert!(compressed < plain, "{text}");
    assert!(text[compressed..plain].contains("json wins"), "{text}");
}
