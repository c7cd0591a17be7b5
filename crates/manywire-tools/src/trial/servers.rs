//! The servers of one lane side by side: the CPU time of each for a request, at the same rate.
//!
//! A framework and the server below it, such as Finch and Finagle, encode the same values by the
//! same library. The difference of their CPU time is what the framework costs. All servers of a
//! lane run at the same time, and get requests in turns, at the lowest rate of the open loops, at
//! which none is near its limit. The ratio of a launch is the median of the ratios of its rounds: a
//! change of the machine's speed affects all servers in a round alike.

use crate::trial::figure::{Figure, LAUNCHES_MIN};
use crate::trial::figures::{Figures, SERVER_CPU_AT_RATE};
use crate::trial::report::{PairReport, Row, RowVerdict, ServerRow};
use crate::trial::verdict::cpu_words;
use crate::weigh::statistics::{Interval, judge, median};

/// The servers of all lanes that have several.
#[derive(Default)]
pub(crate) struct Servers {
    pub(crate) rows: Vec<ServerRow>,
    /// The comparisons as text.
    pub(crate) sentences: Vec<String>,
}

/// A row that is compared with that of another server.
struct Compared {
    row: usize,
    interval: Interval,
}

/// Compares the servers within each group of pairs with the first of the group.
pub(crate) fn compare(
    groups: &[Vec<usize>],
    pairs: &[PairReport],
    figures: &[Vec<Option<Figures>>],
    delta: f64,
) -> Servers {
    let mut servers = Servers::default();
    let mut compared = Vec::new();
    // A server over another transport is not a framework above the HTTP server; `transports`
    // compares such servers.
    let by_http = |group: &Vec<usize>| -> Vec<usize> {
        group.iter().copied().filter(|&index| pairs[index].transport.is_http()).collect()
    };
    for group in groups.iter().map(by_http).filter(|group| group.len() > 1) {
        let reference = group[0];
        for &index in &group {
            let mut unknown = Vec::new();
            for (row, own) in pairs[index].rows.iter().zip(&figures[index]) {
                let Some(own) = own else { continue };
                let Some(mut found) = row_of(&pairs[index], row, own) else {
                    unknown.push(row.name());
                    continue;
                };
                let base = same_cell(&pairs[reference], &figures[reference], row);
                match base {
                    _ if index == reference => found.verdict = Some(RowVerdict::Reference),
                    Some((base, _)) if base.server_library != row.server_library => {
                        let reference = &pairs[reference].server;
                        servers.sentences.push(other_library(&found, row, base, reference));
                    }
                    Some((_, base)) => {
                        let ratios = ratios(own, base).unwrap_or_default();
                        found.reference = Some(pairs[reference].server.clone());
                        found.ratio = Figure::of(&ratios);
                        let logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
                        let interval = Interval::of(&logs).filter(|_| logs.len() >= LAUNCHES_MIN);
                        let row = servers.rows.len();
                        compared.extend(interval.map(|interval| Compared { row, interval }));
                    }
                    None => {
                        let reference = &pairs[reference].server;
                        servers.sentences.push(without_base(&found, reference));
                    }
                }
                servers.rows.push(found);
            }
            servers.sentences.extend(unknown_times(&pairs[index], &unknown));
        }
    }
    let intervals: Vec<Interval> = compared.iter().map(|compared| compared.interval).collect();
    for (Compared { row, interval }, comparison) in compared.iter().zip(judge(&intervals, delta)) {
        let row = &mut servers.rows[*row];
        row.verdict = Some(comparison.verdict.into());
        let reference = row.reference.as_deref().unwrap_or_default();
        let words = cpu_words(interval, &comparison, "server CPU time", reference, delta);
        let (client, server, name) = (&row.client, &row.server, row.name());
        servers.sentences.push(format!("{client} ← {server}: {name} {words}"));
    }
    servers
}

/// Returns the row of another server for the same format and coding, if it has figures.
fn same_cell<'a>(
    pair: &'a PairReport,
    figures: &'a [Option<Figures>],
    row: &Row,
) -> Option<(&'a Row, &'a Figures)> {
    let is_same = |other: &Row| (&other.format, &other.coding) == (&row.format, &row.coding);
    let (other, figures) = pair.rows.iter().zip(figures).find(|(other, _)| is_same(other))?;
    Some((other, figures.as_ref().filter(|figures| figures.server_cpu_at_rate.is_some())?))
}

/// Returns the row of a server without a comparison; `None` if its CPU time is unknown.
fn row_of(pair: &PairReport, row: &Row, figures: &Figures) -> Option<ServerRow> {
    Some(ServerRow {
        client: pair.client.clone(),
        server: pair.server.clone(),
        format: row.format.clone(),
        coding: row.coding.clone(),
        rate_per_s: row.latency.first()?.rate_per_s,
        server_cpu_ns: Figure::of(figures.samples.get(SERVER_CPU_AT_RATE)?)?,
        reference: None,
        ratio: None,
        verdict: None,
    })
}

/// Returns the ratio of the CPU times in each launch, `own` over `base`: the median of the rounds.
pub(crate) fn ratios(own: &Figures, base: &Figures) -> Option<Vec<f64>> {
    let all = own.server_cpu_at_rate.as_ref()?.iter().zip(base.server_cpu_at_rate.as_ref()?);
    all.map(|(own, base)| {
        let rounds: Vec<f64> = own.iter().zip(base).map(|(own, base)| own / base).collect();
        median(&rounds)
    })
    .collect()
}

/// Returns the sentence about a server whose reference has no CPU time for the same format.
fn without_base(found: &ServerRow, reference: &str) -> String {
    format!(
        "{} ← {}: {} is not compared with {reference}, whose CPU time for it is unknown",
        found.client,
        found.server,
        found.name()
    )
}

/// Returns the sentence about the rows of a server that are not compared, because their CPU time is
/// unknown; `None` without such rows.
fn unknown_times(pair: &PairReport, rows: &[String]) -> Option<String> {
    let rows = (!rows.is_empty()).then(|| rows.join(", "))?;
    Some(format!(
        "{} ← {}: the CPU time for {rows} is unknown, so it is not compared",
        pair.client, pair.server
    ))
}

fn other_library(found: &ServerRow, row: &Row, base: &Row, reference: &str) -> String {
    format!(
        "{} ← {}: {} by {} is not compared with {reference}, which encodes by {}",
        found.client,
        found.server,
        found.name(),
        encoder(row),
        encoder(base)
    )
}

/// Describes the library that encodes the bodies of a row.
pub(crate) fn encoder(row: &Row) -> String {
    match &row.server_library {
        Some(library) => format!("{} {} ({})", library.name, library.version, library.target),
        None => "no library".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::compare;
    use crate::trial::figures::Figures;
    use crate::trial::launch::CellLaunch;
    use crate::trial::report::{PairReport, RowVerdict};

    /// Returns a pair with a server of this name, whose library has this version.
    fn pair(server: &str, version: &str) -> PairReport {
        let library = json!({ "name": "x", "version": version, "target": "dynamic" });
        let open = json!({
            "rate_per_s": 500.0, "requests": 5000, "lag_p99_ns": null, "generator_late": false,
            "percentiles": {},
        });
        serde_json::from_value(json!({
            "client": "go", "client_runtime": "Go", "server": server, "launches": 5, "status": "ok",
            "rows": [{
                "format": "json", "coding": "none", "client_library": library,
                "server_library": library, "status": "ok", "server_cpu_ns": {}, "client_cpu_ns": {},
                "latency": [open],
            }],
        }))
        .expect("a pair")
    }

    /// Returns figures with three rounds in each launch, of which the second is at half the speed.
    fn figures(server_cpu_ns: &[f64]) -> Vec<Option<Figures>> {
        let launch = |&server_cpu_ns: &f64| CellLaunch {
            server_cpu_at_rate_ns: [1.0, 2.0, 1.0].map(|slow| Some(slow * server_cpu_ns)).to_vec(),
            ..CellLaunch::default()
        };
        let launches: Vec<CellLaunch> = server_cpu_ns.iter().map(launch).collect();
        vec![Some(Figures::of(&launches.iter().collect::<Vec<_>>()))]
    }

    /// CPU times that differ by half between launches, as on a machine with two speeds.
    const BARE: [f64; 5] = [100e3, 150e3, 100e3, 148e3, 101e3];

    fn with_framework(times: &[f64]) -> Vec<f64> {
        let noise = [1.000, 1.004, 0.998, 1.002, 0.996];
        times.iter().zip(noise).map(|(time, noise)| time * 1.2 * noise).collect()
    }

    #[test]
    fn servers_are_compared_within_each_launch() {
        let pairs = [pair("s:bare", "1"), pair("s:framework", "1")];
        let all = [figures(&BARE), figures(&with_framework(&BARE))];
        let found = compare(&[vec![0, 1]], &pairs, &all, 0.05);
        let verdicts: Vec<_> = found.rows.iter().map(|row| row.verdict).collect();
        assert_eq!(verdicts, [Some(RowVerdict::Reference), Some(RowVerdict::Slower)]);
        let ratio = found.rows[1].ratio.expect("a ratio");
        assert!((ratio.value - 1.2).abs() < 1e-3, "{ratio:?}");
        assert!(ratio.high.expect("an interval") < 1.21, "{ratio:?}");
        assert_eq!(
            found.sentences,
            ["go ← s:framework: json takes 1.20x the server CPU time of s:bare (1.19–1.21)"]
        );
    }

    #[test]
    fn few_launches_give_a_ratio_and_no_verdict() {
        let pairs = [pair("s:bare", "1"), pair("s:framework", "1")];
        let all = [figures(&BARE[..3]), figures(&with_framework(&BARE[..3]))];
        let found = compare(&[vec![0, 1]], &pairs, &all, 0.05);
        assert!(found.rows[1].ratio.is_some() && found.rows[1].verdict.is_none());
        assert!(found.sentences.is_empty());
    }

    #[test]
    fn other_libraries_are_not_compared() {
        let pairs = [pair("s", "2"), pair("s:framework", "1")];
        let all = [figures(&BARE), figures(&with_framework(&BARE))];
        let found = compare(&[vec![0, 1]], &pairs, &all, 0.05);
        assert!(found.rows[1].ratio.is_none());
        assert_eq!(
            found.sentences,
            [
                "go ← s:framework: json by x 1 (dynamic) is not compared with s, which encodes by x 2 (dynamic)"
            ]
        );
    }

    #[test]
    fn servers_without_cpu_time_are_named() {
        let pairs = [pair("s:bare", "1"), pair("s:framework", "1")];
        let unknown = || vec![Some(Figures::of(&[&CellLaunch::default()]))];
        let bare = "go ← s:bare: the CPU time for json is unknown, so it is not compared";
        let all = [unknown(), figures(&BARE)];
        let found = compare(&[vec![0, 1]], &pairs, &all, 0.05);
        assert_eq!(found.rows.len(), 1);
        assert_eq!(
            found.sentences,
            [
                bare,
                "go ← s:framework: json is not compared with s:bare, whose CPU time for it is unknown",
            ]
        );
        // The status of a row without any figures says why.
        let found = compare(&[vec![0, 1]], &pairs, &[unknown(), vec![None]], 0.05);
        assert_eq!((found.rows.len(), found.sentences), (0, vec![bare.to_owned()]));
    }

    #[test]
    fn a_server_alone_is_not_compared() {
        let found = compare(&[vec![0]], &[pair("s", "1")], &[figures(&BARE)], 0.05);
        assert!(found.rows.is_empty() && found.sentences.is_empty());
    }
}
