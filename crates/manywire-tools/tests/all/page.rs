//! The HTML page of a report: whole, closed to the outside, escaped, and true to its figures.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use manywire_format::Format;
use manywire_tools::page::weigh_page;
use manywire_tools::trial::cost::{Demand, Prices, Winner, break_even, cost};
use manywire_tools::trial::link::Link;
use manywire_tools::weigh::report::{
    Clock, FieldBytes, FormatFields, Gate, GateResult, PayloadComparison, Report, Row, RowVerdict,
    Status, Summary, Sweep, TimeComparison,
};
use manywire_tools::weigh::subject::ValueKind;
use sha2::{Digest, Sha256};

use crate::weigh::report::sample;

/// Returns a summary of a time with its interval and the medians of five launches.
fn time(ns: f64, low: f64, high: f64) -> Option<Summary> {
    let mut summary = sample::timed(1.0, 1.0, 1.0, 3.0)?;
    (summary.ns, summary.ns_low, summary.ns_high) = (Some(ns), Some(low), Some(high));
    summary.samples = vec![low, ns, ns, ns, high];
    Some(summary)
}

fn row(format: &str, bytes: u64, encode: (f64, f64, f64), decode: (f64, f64, f64)) -> Row {
    let mut row = sample::row(format, bytes);
    row.encode = time(encode.0, encode.1, encode.2);
    row.decode = time(decode.0, decode.1, decode.2);
    row.coded_bytes.insert("gzip:6".to_owned(), bytes / 4);
    row
}

fn report() -> Report {
    sample::report(vec![
        row("json", 4_000, (900.0, 890.0, 910.0), (800.0, 780.0, 820.0)),
        row("msgpack", 3_000, (400.0, 390.0, 410.0), (700.0, 650.0, 790.0)),
        row("avro", 1_000, (500.0, 490.0, 510.0), (2_000.0, 1_900.0, 2_100.0)),
    ])
}

#[test]
fn the_answer_follows_from_the_rows() {
    let page = weigh_page(&report(), None);
    assert!(
        page.contains(
            "Avro is smallest when compressed, smallest uncompressed and fastest at 4G; msgpack \
             is fastest to encode; msgpack or json is fastest to decode."
        ),
        "{page}"
    );
    // A need with several winners names them all.
    assert!(page.contains(
        "<dt>Fastest for the client</dt><dd><strong>msgpack or json</strong> <span>700 ns</span>"
    ));
    assert!(page.contains("next: avro, 25 % more"), "500 ns are 25 % more than 400");
}

#[test]
fn a_busy_machine_is_answered_by_cpu_time() {
    let mut busy = report();
    for row in &mut busy.rows {
        for summary in row.encode.iter_mut().chain(&mut row.decode) {
            let waiting = if row.format == Format::Json { 1.0 } else { 10.0 };
            summary.clock = Clock::Cpu;
            summary.cpu_samples = summary.samples.clone();
            let times = [&mut summary.ns, &mut summary.ns_low, &mut summary.ns_high];
            times.into_iter().flatten().for_each(|ns| *ns *= waiting);
        }
    }
    let page = weigh_page(&busy, None);
    let answer = "msgpack is fastest to encode; msgpack or json is fastest to decode.";
    assert!(page.contains(answer), "{page}");
    assert!(page.contains("CPU time to encode"), "{page}");
    // Without CPU times there is no answer on time.
    for row in &mut busy.rows {
        let summaries = row.encode.iter_mut().chain(&mut row.decode);
        summaries.for_each(|summary| summary.cpu_samples.clear());
    }
    let page = weigh_page(&busy, None);
    assert!(!page.contains("fastest to encode") && !page.contains("id=\"cost-model\""), "{page}");
}

#[test]
fn formats_without_rows_and_gates_are_named() {
    let mut report = report();
    report.options = serde_json::json!({ "formats": ["json", "cbor"] });
    report.gates = vec![Gate {
        text: "json.bytes<=90".to_owned(),
        result: GateResult::Fail,
        detail: "4,000 against 90".to_owned(),
    }];
    let page = weigh_page(&report, None);
    assert!(page.contains("<p class=\"notice\">No library for cbor in Rust.</p>"), "{page}");
    assert!(page.contains("gate FAIL: json.bytes&lt;=90 (4,000 against 90)"), "{page}");
}

/// Both directions count, as in the other tables.
#[test]
fn memory_is_that_of_both_directions() {
    let mut row = row("cbor", 9, (9.0, 9.0, 9.0), (9.0, 9.0, 9.0));
    let summaries = row.encode.iter_mut().chain(&mut row.decode);
    for (summary, (allocs, peak)) in summaries.zip([(3.0, 2_048.0), (4.5, 512.0)]) {
        (summary.allocs, summary.peak_bytes) = (Some(allocs), Some(peak));
    }
    let page = weigh_page(&sample::report(vec![row]), None);
    let cells = "<td data-value=\"7.5\">7.5</td><td data-value=\"2048\">2.00 K</td>";
    assert!(page.contains(cells), "{page}");
}

#[test]
fn every_interval_that_reaches_the_winner_is_named() {
    let rows = [
        row("json", 9, (100.0, 95.0, 105.0), (9.0, 9.0, 9.0)),
        row("msgpack", 9, (120.0, 118.0, 122.0), (9.0, 9.0, 9.0)),
        row("avro", 9, (130.0, 90.0, 190.0), (9.0, 9.0, 9.0)),
    ];
    let page = weigh_page(&sample::report(rows.into()), None);
    assert!(page.contains("json or avro is fastest to encode"), "{page}");
    assert!(page.contains("next: msgpack, 20 % more"), "{page}");
}

#[test]
fn many_ties_are_undecided() {
    let same = (500.0, 400.0, 600.0);
    let formats = ["json", "msgpack", "cbor", "bson", "avro"];
    let page = weigh_page(&sample::report(formats.map(|it| row(it, 9, same, same)).into()), None);
    assert!(
        page.contains(
            "Json or msgpack or cbor or bson or avro is smallest when compressed and smallest \
             uncompressed; undecided: which is fastest to encode, fastest to decode and fastest at 4G."
        ),
        "{page}"
    );
    assert!(page.contains("between json, msgpack, cbor, bson and avro"));
}

#[test]
fn rows_without_figures_have_none_on_the_page() {
    let mut rows = vec![sample::row("json", 10), sample::row("bson", 0)];
    rows[1].status = Status::Failed("needs a document at the root".to_owned());
    rows[1].size_bytes = None;
    let page = weigh_page(&sample::report(rows), None);
    assert!(!page.contains("<svg"), "nothing was timed");
    assert!(!page.contains("id=\"cost-model\""));
    assert!(page.contains("needs a document at the root"));
    assert!(page.contains("<td class=\"absent\">n/a</td>"));
}

#[test]
fn the_page_loads_nothing_and_runs_only_its_own_script() {
    let page = weigh_page(&report(), None);
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let part = |open: &str, close: &str| {
        let rest = page.split_once(open).expect(open).1;
        rest.split_once(close).expect(close).0.to_owned()
    };
    for source in [part("<style>", "</style>"), part("<script>", "</script>")] {
        let hash = STANDARD.encode(Sha256::digest(source));
        assert!(page.contains(&format!("'sha256-{hash}'")), "the policy names the source");
    }
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    assert!(!page.contains("style=\""), "the policy forbids style attributes");
}

#[test]
fn texts_of_the_user_stay_text() {
    let evil = "</script><img src=x onerror=alert(1)>'\"";
    let mut hostile = report();
    hostile.verdicts.push(evil.to_owned());
    for row in &mut hostile.rows {
        (row.payload, row.library) = (evil.to_owned(), evil.to_owned());
        row.warnings.push(evil.to_owned());
    }
    hostile.rows[0].status = Status::Failed(evil.to_owned());
    let summary = serde_json::json!({ "name": evil, "bytes": 1 });
    hostile.payloads.push(serde_json::from_value(summary).expect("a summary"));
    let page = weigh_page(&hostile, Some((evil, &report())));
    assert!(!page.contains("<img"), "{page}");
    assert_eq!(page.matches("</script>").count(), 2, "the model's data and the script");
}

#[test]
fn two_reports_say_what_changed() {
    let (old, mut new) = (report(), report());
    new.rows[1].size_bytes = Some(2_900);
    let page = weigh_page(&new, Some(("old.json", &old)));
    assert!(page.contains("Since old.json"));
    assert!(page.contains("a.json msgpack: bytes went from 3,000 to 2,900"));
    assert!(weigh_page(&old, Some(("old.json", &old))).contains("Nothing changed"));
}

#[test]
fn fields_are_bars_and_a_table() {
    let field = |path: &str, keys, structure, values| FieldBytes {
        path: path.to_owned(),
        keys,
        structure,
        values,
        times: 2,
    };
    let mut report = report();
    report.fields = vec![FormatFields {
        payload: "a.json".to_owned(),
        format: Format::Json,
        keys: 2_000,
        structure: 1_000,
        values: 1_000,
        field_count: 12,
        fields: (0..12).map(|it| field(&format!("$.<b>[*].f{it}"), 100 - it, 50, 50)).collect(),
    }];
    let page = weigh_page(&report, None);
    assert!(page.contains("Of 4,000 bytes, 50 % are keys, 25 % structure and 25 % values."));
    assert!(page.contains("$.&lt;b&gt;[*].f0"), "paths are text");
    assert!(page.contains("<title>$.&lt;b&gt;[*].f0, keys: 100 B</title>"), "{page}");
    assert!(page.contains(">200 B, 5 %<"), "the bytes and the share of a field");
    // Ten fields have bars, and one bar has the rest; the table lists all.
    let section = page.split("id=\"fields\"").nth(1).expect("a section");
    let section = section.split("</section>").next().expect("its end");
    assert_eq!(section.matches("<g class=").count(), 11);
    assert!(section.contains("2 more fields") && section.contains(">2,045 B, 51 %<"), "{section}");
    assert_eq!(section.matches("<tr><td>").count(), 12);
    // Fields of other payloads are not drawn.
    report.fields[0].payload = "b.json".to_owned();
    assert!(!weigh_page(&report, None).contains("id=\"fields\""));
}

#[test]
fn sweeps_are_curves() {
    let mut rows = Vec::new();
    for length in [1, 10, 100] {
        let mut row = row("json", 40 * length as u64, (9.0, 8.0, 10.0), (9.0, 8.0, 10.0));
        row.sweep = Some(Sweep { path: "$.a".to_owned(), length });
        rows.push(row);
    }
    let page = weigh_page(&sample::report(rows), None);
    assert!(page.contains("<polyline class=\"curve\""), "{page}");
    assert!(page.contains("100 items: 4 kB"));
}

#[test]
fn the_curves_of_each_language_are_a_chart() {
    let mut rows = Vec::new();
    for lane in ["rust", "go"] {
        for length in [1, 10] {
            let mut row = row("json", 80 * length as u64, (9.0, 8.0, 10.0), (9.0, 8.0, 10.0));
            (row.payload, row.lane) = ("*".to_owned(), lane.to_owned());
            row.sweep = Some(Sweep { path: "$.a".to_owned(), length });
            rows.push(row);
        }
    }
    let mut report = sample::report(rows);
    report.payload_count = 2;
    let page = weigh_page(&report, None);
    for name in ["Dynamic values in Rust, bytes", "Dynamic values in go, bytes"] {
        assert!(page.contains(&format!("<figcaption>{name}</figcaption>")), "{name}: {page}");
    }
    // The bytes are those of one payload, as in the tables.
    assert_eq!(page.matches("json (manywire), 10 items: 400 B").count(), 2, "{page}");
}

#[test]
fn comparisons_of_payloads_are_a_table() {
    let mut report = report();
    assert!(!weigh_page(&report, None).contains("Payloads beside the first one"));
    report.payload_comparisons = vec![PayloadComparison {
        payload: "<b>.json".to_owned(),
        base: "a.json".to_owned(),
        lane: "go".to_owned(),
        library: "encoding/json".to_owned(),
        format: Format::Json,
        target: ValueKind::Typed,
        bytes: Some(1.5),
        encode: Some(TimeComparison {
            clock: Clock::Wall,
            ratio: 1.4,
            ratio_low: 1.3,
            ratio_high: 1.6,
            p_adjusted: 0.01,
            verdict: RowVerdict::Slower,
        }),
        decode: None,
    }];
    let page = weigh_page(&report, None);
    let expected = "<tr><td>&lt;b&gt;.json</td><td>a.json</td><td>go</td><td>encoding/json</td>\
                    <td>json</td><td>typed</td><td data-value=\"1.5\">1.50</td>\
                    <td data-value=\"1.4\">1.40 (1.30 – 1.60) slower</td>\
                    <td class=\"absent\">n/a</td></tr>";
    assert!(page.contains(expected), "{page}");
}

/// The costs that the page's script must compute, too; `.ci/page` compares.
#[test]
fn the_model_of_the_script_is_that_of_trial() {
    let demand = |body_bytes, server_cpu_ns, client_ns| Demand {
        body_bytes,
        header_bytes: 310.0,
        server_cpu_ns,
        client_ns,
    };
    let reference = demand(38_592.0, 34_400.0, 33_400.0);
    let others = [demand(6_932.0, 26_000.0, 45_800.0), demand(40_788.0, 60_000.0, 90_000.0)];
    let mut cases = Vec::new();
    for figures in ["1gbit/200us", "20mbit/50ms", "1.6mbit/150ms"] {
        let link: Link = figures.parse().expect("a link");
        for (vcpu_hour, gigabyte) in [(0.04, 0.09), (0.2, 0.0)] {
            let prices = Prices { vcpu_hour, gigabyte, ..Prices::default() };
            for demand in others.iter().chain([&reference]) {
                let even = break_even(demand, &reference, &prices);
                cases.push(serde_json::json!({
                    "link": figures, "prices": prices, "demand": demand, "reference": reference,
                    "cost": cost(demand, &link, &prices),
                    "break_even": { "bits_per_s": even.bits_per_s, "fewer": even.sooner == Winner::This },
                }));
            }
        }
    }
    let expected = serde_json::to_string_pretty(&cases).expect("JSON") + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/page_model.json");
    if std::env::var_os("MANYWIRE_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, &expected).expect("a file");
    }
    let golden = std::fs::read_to_string(&path).expect("page_model.json");
    assert_eq!(golden, expected, "write it again with MANYWIRE_WRITE_GOLDEN=1");
}
