//! The worked example of docs/trial.md, and its prices.

use manywire_tools::trial::Figure;
use manywire_tools::trial::cost::{
    Bottleneck, BreakEvenRanges, CpuSample, Demand, MeasuredDemand, Prices, Range, Winner,
    break_even, break_even_ranges, cost, ranges,
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
    assert_eq!((even.sooner, even.cheaper), (Winner::This, Winner::This));
    assert_eq!(found.bottleneck, Bottleneck::Network);
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
    assert_eq!((even.sooner, even.cheaper), (Winner::This, Winner::This));
    let reverse = break_even(&EXAMPLE, &better, &prices);
    assert_eq!((reverse.bits_per_s, reverse.sooner), (None, Winner::Reference));
    // The response is larger and faster, so the reference is sooner at low bandwidth.
    let larger = Demand { body_bytes: 12_000.0, server_cpu_ns: 50_000.0, ..EXAMPLE };
    let even = break_even(&larger, &EXAMPLE, &prices);
    assert_eq!(even.sooner, Winner::Reference);
    // Two more segments carry 52 bytes of headers each.
    assert_eq!(even.bits_per_s, Some(8e9 * (2_000.0 + 52.0) / 50_000.0));
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
    let both = Figure::of_sum(&[&times, &[EXAMPLE.client_ns; 3]]).expect("a sum");
    let above = (both.high.expect("an end") - both.value) / 1e6;
    let below = (both.value - both.low.expect("an end")) / 1e6;
    assert_near(ranges.latency_warm_ms.high, found.latency_warm_ms + above);
    assert_near(ranges.latency_cold_ms.low, found.latency_cold_ms - below);
    // The price of the core is the only one with a range. It counts twice the time, because the
    // core is idle half of the time.
    let of_cores = (high - figure.value) / 1e9 * 2.0 * 0.04 / 3_600.0 * 1e6;
    assert_near(ranges.money_per_million.high, found.money_per_million + of_cores);
    // The client time is constant, so the energy is constant.
    let energy = found.energy_mj["lte"];
    assert_near(ranges.energy_mj["lte"].low, energy);
    assert_near(ranges.energy_mj["lte"].high, energy);
}

#[test]
fn single_launch_has_no_range_and_no_range_is_below_zero() {
    let (prices, link) = (Prices::default(), "20mbit/50ms".parse().expect("a link"));
    let times = [1_000.0, 100_000.0, 199_000.0];
    let server_cpu_ns = Figure::of(&times).expect("a mean").value;
    let found = cost(&Demand { server_cpu_ns, ..EXAMPLE }, &link, &prices);
    assert_eq!(ranges(&found, &launches(&[100_000.0]), &prices), None);
    assert_eq!(ranges(&found, &[], &prices), None);
    let wide = ranges(&found, &launches(&times), &prices).expect("several launches");
    let Range { low, high } = wide.requests_per_s_core;
    assert!(low > Some(0.0) && high > Some(found.requests_per_s_core), "{wide:?}");
    // The bytes cost as much in every launch.
    let bytes = 10_300.0 / 1e9 * 0.09 * 1e6;
    assert!(wide.money_per_million.low > Some(bytes), "{wide:?}");
}

/// Returns the intervals of the only comparison of a report.
fn ranges_of(
    (this, draws): (&Demand, &[CpuSample]),
    (reference, other_draws): (&Demand, &[CpuSample]),
) -> BreakEvenRanges {
    let this = MeasuredDemand { demand: this, draws, waits: false };
    let reference = MeasuredDemand { demand: reference, draws: other_draws, waits: false };
    break_even_ranges(&[[this, reference]], &Prices::default())[0].expect("several launches")
}

#[test]
fn break_even_points_are_decided_together() {
    let other = Demand { body_bytes: 7_000.0, server_cpu_ns: 110_000.0, ..EXAMPLE };
    let theirs = launches(&[100e3; 5]);
    let reference = MeasuredDemand { demand: &EXAMPLE, draws: &theirs, waits: false };
    let decided = |draws: &[&[CpuSample]]| -> Vec<bool> {
        let pair = |draws| [MeasuredDemand { demand: &other, draws, waits: false }, reference];
        let pairs: Vec<_> = draws.iter().map(|&draws| pair(draws)).collect();
        let found = break_even_ranges(&pairs, &Prices::default());
        found.iter().map(|it| it.expect("several launches").sooner_decided).collect()
    };
    // The interval of the extra time excludes zero, but such an interval is not rare among ten.
    let close = launches(&[104e3, 106e3, 110e3, 114e3, 116e3]);
    let none = launches(&[96e3, 98e3, 100e3, 102e3, 104e3]);
    let clear = launches(&[149e3, 149.5e3, 150e3, 150.5e3, 151e3]);
    assert_eq!(decided(&[&close]), [true]);
    let mut among_ten: Vec<&[CpuSample]> = vec![&none; 10];
    (among_ten[0], among_ten[1]) = (&close, &clear);
    let found = decided(&among_ten);
    assert_eq!(found[..2], [false, true]);
    assert!(!found[2..].contains(&true), "{found:?}");
}

#[test]
fn shared_noise_does_not_hide_break_even() {
    let prices = Prices::default();
    let other = Demand { body_bytes: 7_000.0, server_cpu_ns: 120_000.0, ..EXAMPLE };
    let even = break_even(&other, &EXAMPLE, &prices);
    let ranges = |ours: &[f64], theirs: &[f64]| {
        ranges_of((&other, &launches(ours)), (&EXAMPLE, &launches(theirs)))
    };
    // The machine differs by a quarter between launches, more than the formats do.
    let theirs = [80e3, 90e3, 100e3, 100e3 / 0.9, 125e3];
    let point = ranges(&theirs.map(|ns| ns * 1.2), &theirs);
    assert!(point.sooner_decided && point.cheaper_decided, "{point:?}");
    let bandwidth = point.bits_per_s.expect("a point");
    assert!(bandwidth.low < even.bits_per_s && bandwidth.high > even.bits_per_s, "{point:?}");
    let price = point.gigabyte.expect("a point");
    assert!(price.low < even.gigabyte && price.high > even.gigabyte, "{point:?}");
    // The range of the extra cost includes 0, so the smaller one may win at any bandwidth and
    // price.
    let open = ranges(&[100_000.0, 120_000.0, 140_000.0], &[100_000.0; 3]);
    let bandwidth = open.bits_per_s.expect("a range");
    assert!(bandwidth.low < even.bits_per_s && bandwidth.high.is_none(), "{bandwidth:?}");
    assert_eq!(open.gigabyte.expect("a range").low, Some(0.0));
    assert!(!open.sooner_decided && !open.cheaper_decided);
    // The cost is lower in the whole range, so there is no break-even point.
    let none = ranges(&[90e3, 90.5e3, 91e3, 91.5e3, 92e3], &[100e3; 5]);
    assert_eq!((none.bits_per_s, none.gigabyte), (None, None));
    assert!(none.sooner_decided && none.cheaper_decided);
    // Four launches are too few for a claim.
    let few = ranges(&[90e3, 90.5e3, 91e3, 91.5e3], &[100e3; 4]);
    assert!(!few.sooner_decided && !few.cheaper_decided && few.launches == 4);
    // Swapping the two sides gives the same result.
    let (ours, theirs) = (launches(&[118e3, 120e3, 122e3]), launches(&[100e3; 3]));
    let there = ranges_of((&other, &ours), (&EXAMPLE, &theirs));
    let back = ranges_of((&EXAMPLE, &theirs), (&other, &ours));
    let ends = |range: Option<Range>| range.map(|range| (range.low, range.high)).expect("a point");
    for (there, back) in [(there.bits_per_s, back.bits_per_s), (there.gigabyte, back.gigabyte)] {
        let ((low, high), (same_low, same_high)) = (ends(there), ends(back));
        assert_near(low, same_low.expect("an end"));
        assert_near(high, same_high.expect("an end"));
    }
}
