//! The HTML page of a report of `trial`: true to its figures, and silent where it has none.

use manywire_tools::page::trial_page;
use manywire_tools::trial::report::{Report, SCHEMA};
use serde_json::{Value, json};

use crate::weigh::report::sample;

/// Returns a figure with an interval of 10 %.
fn figure(value: f64) -> Value {
    json!({ "value": value, "low": value * 0.95, "high": value * 1.05 })
}

/// Returns a row of these bytes, whose parts take these times in microseconds.
fn row(format: &str, bytes: u64, [transport, encode, decode, whole]: [f64; 4]) -> Value {
    let time = |us: f64| figure(us * 1e3);
    let library = json!({ "name": "lib", "version": "1", "target": "typed" });
    json!({
        "format": format, "coding": "none", "client_library": library, "server_library": library,
        "status": "ok", "body_bytes": bytes, "transport_ns": time(transport), "encode_ns": time(encode),
        "processing_ns": time(decode), "end_to_end_ns": time(whole), "endpoint_ns": time(transport + encode),
        "server_cpu_ns": {}, "client_cpu_ns": {}, "latency": [], "verdict": "reference",
        "capacity": {
            "connections": 4, "limit": "server", "requests_per_s": figure(1e6 / whole),
            "server_cpu_ns": time(transport + encode),
        },
        "samples": { "end_to_end_ns": vec![whole * 1e3; 5] },
    })
}

/// Returns a report of a pair with these rows.
fn report(launches: usize, rows: &[Value]) -> Report {
    let weigh = sample::report(Vec::new());
    let lanes = [sample::lane("go", "Go", 0.05), sample::lane("rust", "Rust", 0.05)];
    let cost = |row: &Value| {
        json!({
            "client": "go", "server": "rust", "format": row["format"], "coding": "none",
            "demand": {
                "body_bytes": row["body_bytes"], "header_bytes": 300.0,
                "server_cpu_ns": 1e5, "client_ns": 1e4,
            },
            "cost": {
                "wire_bytes": 1e3, "requests_per_s_core": 1e4, "requests_per_s_link": 1e3,
                "bottleneck": "cpu", "latency_warm_ms": 51.0, "latency_cold_ms": 150.0,
                "money_per_million": row["body_bytes"], "energy_mj": {},
            },
        })
    };
    let report = json!({
        "schema": SCHEMA, "tool": weigh.tool, "host": weigh.host, "options": {},
        "payloads": [{ "name": "a.json", "bytes": 4000 }, { "name": "b.json", "bytes": 4000 }],
        "lanes": lanes, "placement": { "server_cores": [0], "client_cores": [1] },
        "pairs": [{
            "client": "go", "client_runtime": "Go", "server": "rust", "server_runtime": "Rust",
            "launches": launches, "status": "ok", "rows": rows,
        }],
        "findings": ["something is unexplained"], "unsettled": [], "verdicts": ["avro is sooner"],
        "cost": {
            "prices": manywire_tools::trial::cost::Prices::default(), "link": "4g",
            "rows": rows.iter().map(cost).collect::<Vec<Value>>(),
        },
    });
    serde_json::from_value(report).expect("a report")
}

fn rows() -> [Value; 3] {
    [
        row("json", 8_000, [100.0, 50.0, 60.0, 220.0]),
        row("msgpack", 6_000, [100.0, 20.0, 30.0, 160.0]),
        row("avro", 2_000, [100.0, 25.0, 30.0, 150.0]),
    ]
}

#[test]
fn the_answer_follows_from_the_rows() {
    let page = trial_page(&report(5, &rows()));
    assert!(
        page.contains("<title>Which format for a.json and 1 more payloads, end to end?</title>")
    );
    // 6,000 bytes of two payloads are 3,000 each; intervals of 10 % do not separate 150 and 160 µs.
    assert!(
        page.contains("Avro is smallest on the wire; avro or msgpack is soonest end to end;"),
        "{page}"
    );
    assert!(page.contains("<td data-value=\"3000\">3,000</td>"), "{page}");
    // Costs without intervals count as equal.
    assert!(page.contains("avro or msgpack or json is cheapest in all"), "{page}");
    assert!(page.contains("<h2 id=\"parts\">"));
    assert!(page.contains("json, encoding: 50.0 µs"), "{page}");
    assert!(page.contains("json, end to end: 220 µs"), "{page}");
    assert!(page.contains("<option>Go from Rust</option>"));
    assert!(page.contains("something is unexplained") && page.contains("avro is sooner"));
}

#[test]
fn costs_are_compared_with_the_first_format_of_the_trial() {
    let mut report = report(5, &rows());
    report.options = json!({ "formats": ["json", "msgpack", "avro"] });
    report.cost.rows.remove(0);
    let page = trial_page(&report);
    assert!(page.contains("<th scope=\"col\">sooner than json below</th>"), "{page}");
}

/// A note says what the marks mean.
#[test]
fn figures_that_are_no_figures_of_the_server_are_marked() {
    let mut row = row("json", 10, [1.0; 4]);
    row["capacity"]["limit"] = json!("client");
    let p50 = json!({ "ns": 3e5, "low": null, "high": null });
    row["latency"] = json!([{
        "rate_per_s": 100.0, "requests": 50, "lag_p99_ns": 1e6, "generator_late": true,
        "percentiles": { "p50": p50, "p99": null },
    }]);
    let page = trial_page(&report(5, &[row]));
    assert!(page.contains("<td data-value=\"1000000\">≥1,000,000</td><td>client</td>"), "{page}");
    assert!(page.contains("<td data-value=\"300000\">300 µs late</td>"), "{page}");
}

#[test]
fn the_launches_are_those_that_were_finished() {
    let mut report = report(5, &rows());
    report.options = json!({ "launches": 7 });
    assert!(trial_page(&report).contains(" · 5 launches of each pair, loopback"));
    let mut died = report.pairs[0].clone();
    died.launches = 2;
    died.status = "server: crashed: signal 9".to_owned().into();
    report.pairs.push(died);
    let page = trial_page(&report);
    assert!(page.contains(" · 2 to 5 launches of a pair, loopback"), "{page}");
    assert!(page.contains("after 2 finished launches: server: crashed: signal 9"), "{page}");
    report.pairs[1].launches = 1;
    assert!(trial_page(&report).contains("after 1 finished launch: server: crashed: signal 9"));
}

#[test]
fn few_launches_answer_nothing_on_time() {
    let page = trial_page(&report(3, &rows()));
    assert!(page.contains("Avro is smallest on the wire."), "{page}");
    assert!(!page.contains("soonest end to end") && !page.contains("Least CPU"));
    assert!(page.contains("A verdict on times takes 5 launches of a pair."));
}

#[test]
fn a_busy_machine_answers_nothing_on_the_clock() {
    let mut busy = report(5, &rows());
    busy.clock = manywire_tools::trial::report::Clock::Cpu;
    let page = trial_page(&busy);
    assert!(!page.contains("soonest end to end"));
    assert!(page.contains("Least CPU on the server"));
}

#[test]
fn rows_without_figures_have_none_on_the_page() {
    let mut failed = row("json", 10, [1.0; 4]);
    failed["status"] = json!("the server closed the connection <here>");
    for member in ["transport_ns", "encode_ns", "processing_ns", "end_to_end_ns", "endpoint_ns"] {
        failed[member] = Value::Null;
    }
    failed["capacity"] = Value::Null;
    let mut report = report(5, &[failed]);
    report.cost.rows.clear();
    let page = trial_page(&report);
    assert!(!page.contains("<svg") && !page.contains("id=\"cost-model\""));
    assert!(page.contains("the server closed the connection &lt;here&gt;"));
    assert!(page.contains("No row has figures"));
}

#[test]
fn servers_are_compared_in_a_table() {
    let mut report = report(5, &rows());
    assert!(!trial_page(&report).contains("<h2 id=\"servers\">"));
    let server = |name: &str, us: f64, others: Value| {
        let mut row = json!({
            "client": "go", "server": name, "format": "json", "coding": "gzip:6", "rate_per_s": 250.0,
            "server_cpu_ns": figure(us * 1e3),
        });
        row.as_object_mut().expect("a row").extend(others.as_object().cloned().expect("members"));
        serde_json::from_value(row).expect("a row of a server")
    };
    let compared = json!({ "reference": "rust:hyper", "ratio": figure(1.2), "verdict": "slower" });
    report.servers = vec![
        server("rust:hyper", 100.0, json!({ "verdict": "reference" })),
        server("rust:axum", 120.0, compared),
    ];
    let page = trial_page(&report);
    let (_, section) = page.split_once("<h2 id=\"servers\">").expect("the section");
    assert!(section.contains("<td>json gzip:6</td><td data-value=\"250\">250</td>"), "{page}");
    assert!(section.contains("120 µs (114 µs – 126 µs)"), "{page}");
    assert!(section.contains("<td data-value=\"1.2\">1.20 (1.14 – 1.26)</td>"), "{page}");
    assert!(section.contains("<td>rust:hyper</td><td>slower</td>"), "{page}");
}

#[test]
fn transports_are_compared_in_a_table() {
    let mut report = report(5, &rows());
    assert!(!trial_page(&report).contains("<h2 id=\"transports\">"));
    let row = |server: &str, transport: &str, format: &str, us: f64, others: Value| {
        let mut row = json!({
            "client": "go", "server": server, "transport": transport, "format": format, "coding": "none",
            "rate_per_s": 250.0, "server_cpu_ns": figure(us * 1e3),
            "latency_p50": { "ns": us * 3e3, "low": null, "high": null },
        });
        row.as_object_mut().expect("a row").extend(others.as_object().cloned().expect("members"));
        serde_json::from_value(row).expect("a row of a server")
    };
    let ratios =
        |ratio: f64| json!({ "server_cpu_ratio": figure(ratio), "latency_ratio": figure(ratio) });
    let mut format = ratios(0.8);
    format["server_cpu_saving"] = json!("transport");
    format["latency_saving"] = json!("undecided");
    report.transports = vec![
        row("go", "http", "json", 100.0, json!({})),
        row("go", "http", "msgpack", 80.0, format),
        row("go:zeromq", "zeromq", "json", 60.0, ratios(0.6)),
        row("go:zeromq", "zeromq", "msgpack", 50.0, json!({ "generator_late": true })),
    ];
    let page = trial_page(&report);
    let (_, section) = page.split_once("<h2 id=\"transports\">").expect("the section");
    assert!(section.contains("<td>go:zeromq</td><td>json</td>"), "{page}");
    let cell = "<td data-value=\"0.8\">0.80 (0.76 – 0.84)</td>";
    assert!(section.contains(&format!("{cell}<td>leaving HTTP</td>")), "{page}");
    assert!(section.contains(&format!("{cell}<td>undecided</td>")), "{page}");
    assert!(section.contains("<td data-value=\"0.6\">0.60 (0.57 – 0.63)</td><td></td>"), "{page}");
    assert_eq!(section.matches(" late</td>").count(), 1, "{page}");
}
