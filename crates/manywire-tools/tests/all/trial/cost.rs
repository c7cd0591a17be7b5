//! The worked example of docs/trial.md, and its prices.

use manywire_tools::trial::Figure;
use manywire_tools::trial::cost::{
    CpuSample, Demand, Prices, Range, break_even, break_even_ranges, cost, ranges,
};

fn document() -> String {
    let path = format!("{}/../../docs/trial.md", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the document")
}

/// Returns the first block of a kind in the section on the cost model.
fn block(kind: &str) -> String {
    let document = document();
    let (_, part) = document.split_once("## The cost model").expect("a section");
    let (_, rest) = part.split_once(&format!("```{kind}\n")).expect("a block");
    rest.split_once("```").expect("its end").0.to_owned()
}

const EXAMPLE: Demand = Demand {
    body_bytes: 10_000.0,
    header_bytes: 300.0,
    server_cpu_ns: 100_000.0,
    client_ns: 50_000.0,
};

#[test]
fn docs_example_matches_the_model() {
    let prices = Prices::default();
    let link = "20mbit/50ms".parse().expect("a link");
    let found = cost(&EXAMPLE, &link, &prices);
    let other =
        Demand { body_bytes: 7_000.0, server_cpu_ns: 120_000.0, client_ns: 60_000.0, ..EXAMPLE };
    let even = break_even(&other, &EXAMPLE, &prices);
    assert_eq!((even.sooner.as_str(), even.cheaper.as_str()), ("this", "this"));
    assert_eq!(found.bottleneck, "network");
    let lines = [
        format!("on the line            {} bytes", found.wire_bytes),
        format!("of a core              {:.1} requests/s", found.requests_per_s_core),
        format!("of the line            {:.1} requests/s", found.requests_per_s_link),
        format!("latency, warm          {:.3} ms", found.latency_warm_ms),
        format!("latency, cold          {:.3} ms", found.latency_cold_ms),
        format!("money a million        {:.4} {}", found.money_per_million, prices.currency),
        format!("energy, lte            {:.3} mJ", found.energy_mj["lte"]),
        format!("the other is sooner    below {:.1} Mbit/s", even.bits_per_s.expect("one") / 1e6),
        format!("the other is cheaper   above {:.6} USD a GB", even.gigabyte.expect("one")),
    ];
    assert_eq!(block("text"), lines.join("\n") + "\n");
}

#[test]
fn docs_prices_are_the_defaults() {
    assert_eq!(Prices::read(&block("toml")).expect("prices"), Prices::default());
}

#[test]
fn smaller_and_faster_wins_at_any_bandwidth_and_price() {
    let prices = Prices::default();
    let better = Demand { body_bytes: 9_000.0, server_cpu_ns: 90_000.0, ..EXAMPLE };
    let even = break_even(&better, &EXAMPLE, &prices);
    assert_eq!((even.bits_per_s, even.gigabyte), (None, None));
    assert_eq!((even.sooner.as_str(), even.cheaper.as_str()), ("this", "this"));
    let reverse = break_even(&EXAMPLE, &better, &prices);
    assert_eq!((reverse.bits_per_s, reverse.sooner.as_str()), (None, "reference"));
    // The response is larger and faster, so the reference is sooner at low bandwidth.
    let larger = Demand { body_bytes: 12_000.0, server_cpu_ns: 50_000.0, ..EXAMPLE };
    let even = break_even(&larger, &EXAMPLE, &prices);
    assert_eq!(even.sooner, "reference");
    assert_eq!(even.bits_per_s, Some(8e9 * 2_000.0 / 50_000.0));
    assert_eq!(break_even(&EXAMPLE, &EXAMPLE, &prices).bits_per_s, None);
}

/// Returns launches with these CPU times of the server and a constant time of the client.
fn launches(server_cpu_ns: &[f64]) -> Vec<CpuSample> {
    let cpu_sample =
        |&server_cpu_ns: &f64| CpuSample { server_cpu_ns, client_ns: EXAMPLE.client_ns };
    server_cpu_ns.iter().map(cpu_sample).collect()
}

fn assert_near(found: Option<f64>, expected: f64) {
    let found = found.expect("an end");
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found}, expected {expected}");
}

#[test]
fn differences_between_launches_give_ranges() {
    let (prices, link) = (Prices::default(), "20mbit/50ms".parse().expect("a link"));
    let found = cost(&EXAMPLE, &link, &prices);
    let times = [98_000.0, 100_000.0, 102_000.0];
    let figure = Figure::of(&times).expect("a mean");
    let (low, high) = (figure.low.expect("an end"), figure.high.expect("an end"));
    let ranges = ranges(&found, &launches(&times), &prices).expect("several launches");
    assert_near(ranges.requests_per_s_core.low, 1e9 / high);
    assert_near(ranges.requests_per_s_core.high, 1e9 / low);
    assert_near(ranges.latency_warm_ms.high, found.latency_warm_ms + (high - 100_000.0) / 1e6);
    assert_near(ranges.latency_cold_ms.low, found.latency_cold_ms + (low - 100_000.0) / 1e6);
    // The price of the core is the only one with a range. It counts twice the time, because the
    // core is idle half of the time.
    let of_cores = (high - 100_000.0) / 1e9 * 2.0 * 0.04 / 3_600.0 * 1e6;
    assert_near(ranges.money_per_million.high, found.money_per_million + of_cores);
    // The client time is constant, so the energy is constant.
    let energy = found.energy_mj["lte"];
    assert_eq!(ranges.energy_mj["lte"], Range { low: Some(energy), high: Some(energy) });
}

#[test]
fn single_launch_has_no_range_and_wide_range_is_open() {
    let (prices, link) = (Prices::default(), "20mbit/50ms".parse().expect("a link"));
    let found = cost(&EXAMPLE, &link, &prices);
    assert_eq!(ranges(&found, &launches(&[100_000.0]), &prices), None);
    assert_eq!(ranges(&found, &[], &prices), None);
    let wide = ranges(&found, &launches(&[1_000.0, 100_000.0, 199_000.0]), &prices);
    let wide = wide.expect("several launches");
    assert_eq!(wide.requests_per_s_core.high, None);
    // The lower end of a time is at least 0, which leaves only the price of the bytes.
    assert_near(wide.money_per_million.low, 10_300.0 / 1e9 * 0.09 * 1e6);
}

#[test]
fn shared_noise_does_not_move_break_even() {
    let prices = Prices::default();
    let other = Demand { body_bytes: 7_000.0, server_cpu_ns: 120_000.0, ..EXAMPLE };
    let even = break_even(&other, &EXAMPLE, &prices);
    let ranges = |ours: &[f64], theirs: &[f64]| {
        let (ours, theirs) = (launches(ours), launches(theirs));
        break_even_ranges((&other, &ours), (&EXAMPLE, &theirs), &prices).expect("launches")
    };
    let point = ranges(&[80_000.0, 120_000.0, 160_000.0], &[60_000.0, 100_000.0, 140_000.0]);
    let bandwidth = point.bits_per_s.expect("a point");
    assert_near(bandwidth.low, even.bits_per_s.expect("a point"));
    assert_near(bandwidth.high, even.bits_per_s.expect("a point"));
    assert_near(point.gigabyte.expect("a point").high, even.gigabyte.expect("a point"));
    // The range of the extra cost includes 0, so the smaller one may win at any bandwidth and
    // price.
    let open = ranges(&[100_000.0, 120_000.0, 140_000.0], &[100_000.0; 3]);
    let bandwidth = open.bits_per_s.expect("a range");
    assert!(bandwidth.low < even.bits_per_s && bandwidth.high.is_none(), "{bandwidth:?}");
    assert_eq!(open.gigabyte.expect("a range").low, Some(0.0));
    // The cost is lower in the whole range, so there is no break-even point.
    let none = ranges(&[90_000.0, 91_000.0, 92_000.0], &[100_000.0; 3]);
    assert_eq!((none.bits_per_s, none.gigabyte), (None, None));
    // Swapping the two sides gives the same result.
    let (ours, theirs) = (launches(&[118e3, 120e3, 122e3]), launches(&[100e3; 3]));
    let there = break_even_ranges((&other, &ours), (&EXAMPLE, &theirs), &prices);
    let back = break_even_ranges((&EXAMPLE, &theirs), (&other, &ours), &prices);
    assert_eq!(there, back);
}
