//! The example that docs/trial.md works out, and its prices.

use manywire_trial::cost::{Demand, Prices, break_even, cost};

fn document() -> String {
    let path = format!("{}/../../docs/trial.md", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the document")
}

/// The first block of the document that is marked so and comes after `heading`.
fn block(kind: &str) -> String {
    let document = document();
    let (_, part) = document.split_once("## What it comes to").expect("a section");
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
fn the_example_of_the_document_is_what_the_model_says() {
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
fn the_prices_of_the_document_are_the_defaults() {
    assert_eq!(Prices::read(&block("toml")).expect("prices"), Prices::default());
}

#[test]
fn what_is_smaller_and_faster_wins_at_any_bandwidth_and_price() {
    let prices = Prices::default();
    let better = Demand { body_bytes: 9_000.0, server_cpu_ns: 90_000.0, ..EXAMPLE };
    let even = break_even(&better, &EXAMPLE, &prices);
    assert_eq!((even.bits_per_s, even.gigabyte), (None, None));
    assert_eq!((even.sooner.as_str(), even.cheaper.as_str()), ("this", "this"));
    let reverse = break_even(&EXAMPLE, &better, &prices);
    assert_eq!((reverse.bits_per_s, reverse.sooner.as_str()), (None, "reference"));
    // Larger and faster: the other way round, the smaller one being the reference.
    let larger = Demand { body_bytes: 12_000.0, server_cpu_ns: 50_000.0, ..EXAMPLE };
    let even = break_even(&larger, &EXAMPLE, &prices);
    assert_eq!(even.sooner, "reference");
    assert_eq!(even.bits_per_s, Some(8e9 * 2_000.0 / 50_000.0));
    assert_eq!(break_even(&EXAMPLE, &EXAMPLE, &prices).bits_per_s, None);
}
