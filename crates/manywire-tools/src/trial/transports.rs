//! Decides whether leaving HTTP saves more than changing the format, for the servers of one lane
//! over several transports.
//!
//! All servers of a lane run at the same time and answer at the same rate, as [`super::servers`]
//! describes. HTTP in the first format is the base. One change keeps the format and takes another
//! transport, the other keeps HTTP and takes another format. Each change is measured as its ratio
//! to the base within a launch. The ratio of one change to the other within a launch decides which
//! change saves more. A change saves only if the verdict on its own ratio to the base is `Faster`:
//! below 1 by more than δ.

use crate::trial::error::{NoTransport, Side};
use crate::trial::figure::{Figure, LAUNCHES_MIN};
use crate::trial::figures::Figures;
use crate::trial::options::Options;
use crate::trial::pair::TrialLane;
use crate::trial::report::{PairReport, Row, Saving, TransportRow};
use crate::trial::servers;
use crate::trial::verdict::more;
use crate::weigh::lanes::Transport;
use crate::weigh::statistics::{Comparison, Interval, Verdict, judge};

/// The servers of all lanes that have several transports.
#[derive(Default)]
pub(crate) struct Transports {
    pub(crate) rows: Vec<TransportRow>,
    /// The verdicts as text.
    pub(crate) sentences: Vec<String>,
}

/// A quantity that a change may save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    ServerCpu,
    Latency,
}

impl Quantity {
    const ALL: [Quantity; 2] = [Quantity::ServerCpu, Quantity::Latency];

    fn name(self) -> &'static str {
        match self {
            Quantity::ServerCpu => "server CPU time",
            Quantity::Latency => "median latency",
        }
    }
}

/// A row of a pair that has figures.
#[derive(Clone, Copy)]
struct Measured<'a> {
    row: &'a Row,
    figures: &'a Figures,
}

impl Measured<'_> {
    /// Returns whether the launches suffice for a verdict.
    fn has_enough_launches(self) -> bool {
        self.figures.samples.values().any(|samples| samples.len() >= LAUNCHES_MIN)
    }

    /// Returns the logarithm of the ratio of a quantity to that of another row, in each launch;
    /// `None` if a row lacks the quantity, or if the client was late in the latencies of a row.
    fn log_ratios(self, base: Measured<'_>, quantity: Quantity) -> Option<Vec<f64>> {
        match quantity {
            Quantity::ServerCpu => {
                let ratios = servers::ratios(self.figures, base.figures)?;
                Some(ratios.iter().map(|ratio| ratio.ln()).collect())
            }
            Quantity::Latency if self.figures.is_median_late || base.figures.is_median_late => None,
            Quantity::Latency => {
                let own = self.figures.log_latency_at_rate.as_ref()?;
                let base = base.figures.log_latency_at_rate.as_ref()?;
                Some(own.iter().zip(base).map(|(own, base)| own - base).collect())
            }
        }
    }
}

/// The indices of the intervals that decide between a change of the transport and one of the format.
struct Question {
    /// The row of the other format over HTTP.
    row: usize,
    quantity: Quantity,
    /// The ratio of the other transport to the base.
    transport: usize,
    /// The ratio of the other format to the base.
    format: usize,
    /// The ratio of the other transport to the other format.
    difference: usize,
    /// The client with the server, and the formats, for the sentence.
    pair: String,
    formats: (String, String),
}

/// Compares the servers within each group of pairs with the first one over HTTP. `timed` is false if times include
/// waiting for other programs.
pub(crate) fn compare(
    groups: &[Vec<usize>],
    pairs: &[PairReport],
    figures: &[Vec<Option<Figures>>],
    timed: bool,
    delta: f64,
) -> Transports {
    let mut transports = Transports::default();
    let (mut intervals, mut questions) = (Vec::new(), Vec::new());
    for group in groups {
        let over =
            |http: bool| group.iter().copied().find(|&it| pairs[it].transport.is_http() == http);
        let (Some(http), Some(other)) = (over(true), over(false)) else { continue };
        let measured = |index: usize| -> Vec<Measured<'_>> {
            let all = pairs[index].rows.iter().zip(&figures[index]);
            let own = all.filter_map(|(row, own)| Some(Measured { row, figures: own.as_ref()? }));
            own.filter(|own| !own.row.latency.is_empty()).collect()
        };
        let (by_http, by_other) = (measured(http), measured(other));
        let mut codings: Vec<&str> = Vec::new();
        for row in &pairs[http].rows {
            if !codings.contains(&row.coding.as_str()) {
                codings.push(&row.coding);
            }
        }
        for coding in codings {
            // The base is the first format even if it failed: with another base, the verdicts would
            // answer another question.
            let first = pairs[http].rows.iter().find(|row| row.coding == coding);
            let Some((first, name)) = first.map(|row| (&row.format, row.name())) else { continue };
            let is_base =
                |own: &&Measured<'_>| own.row.coding == coding && own.row.format == *first;
            let of_coding = |own: &&Measured<'_>| own.row.coding == coding;
            let Some(&base) = by_http.iter().find(is_base) else {
                if by_http.iter().chain(&by_other).any(|own| of_coding(&own)) {
                    transports.sentences.push(without_row(&pairs[http], &name));
                }
                continue;
            };
            let start = transports.rows.len();
            for (index, rows) in [(http, &by_http), (other, &by_other)] {
                let rows = rows.iter().filter(of_coding);
                transports.rows.extend(rows.map(|&own| row_of(&pairs[index], own, base, timed)));
            }
            let Some(&left) = by_other.iter().find(is_base) else {
                transports.sentences.push(without_row(&pairs[other], &name));
                continue;
            };
            if left.row.server_library != base.row.server_library {
                transports.sentences.push(other_library(&pairs[other], left.row, base.row));
                continue;
            }
            let pair = format!("{} ← {}", pairs[http].client, pairs[http].server);
            let formats = by_http.iter().copied().filter(|own| of_coding(&own)).enumerate();
            let formats: Vec<(usize, Measured<'_>)> =
                formats.filter(|(_, own)| own.row.format != *first).collect();
            let enough = [base, left].into_iter().all(Measured::has_enough_launches);
            for quantity in Quantity::ALL {
                let before = questions.len();
                let ratio = |own: Measured<'_>, base: Measured<'_>| {
                    let interval = Interval::of(&own.log_ratios(base, quantity)?)?;
                    (interval.launches >= LAUNCHES_MIN).then_some(interval)
                };
                // All intervals are judged together, so one that decides no question would only make
                // the verdicts of others harder.
                let mut add = |interval: Interval| {
                    intervals.push(interval);
                    intervals.len() - 1
                };
                let is_compared = timed || quantity != Quantity::Latency;
                if let Some(to_base) = is_compared.then(|| ratio(left, base)).flatten() {
                    let mut transport = None;
                    for &(position, own) in &formats {
                        let both = (ratio(own, base), ratio(left, own));
                        let (Some(format), Some(difference)) = both else { continue };
                        questions.push(Question {
                            row: start + position,
                            quantity,
                            transport: *transport.get_or_insert_with(|| add(to_base)),
                            format: add(format),
                            difference: add(difference),
                            pair: pair.clone(),
                            formats: (base.row.name(), own.row.name()),
                        });
                    }
                }
                if questions.len() == before && enough && !formats.is_empty() {
                    let mut all = [base, left].into_iter().chain(formats.iter().map(|it| it.1));
                    let is_late = all.any(|own| own.figures.is_median_late);
                    let sentence = undecided(&pair, quantity, timed, is_late);
                    if !transports.sentences.contains(&sentence) {
                        transports.sentences.push(sentence);
                    }
                }
            }
        }
    }
    let comparisons = judge(&intervals, delta);
    for question in &questions {
        let indices = [question.transport, question.format, question.difference];
        let saving = saving(indices.map(|index| comparisons[index].verdict));
        let row = &mut transports.rows[question.row];
        match question.quantity {
            Quantity::ServerCpu => row.server_cpu_saving = Some(saving),
            Quantity::Latency => row.latency_saving = Some(saving),
        }
        transports.sentences.push(sentence(question, saving, &intervals, &comparisons, delta));
    }
    transports
}

/// Returns the sentence about a server over another transport that does not encode as the server over HTTP
/// does, so that their difference is not that of the transports.
fn other_library(pair: &PairReport, row: &Row, base: &Row) -> String {
    format!(
        "{} ← {}: no verdict on leaving HTTP, because {} is encoded by {} here, and by {} over HTTP",
        pair.client,
        pair.server,
        row.name(),
        servers::encoder(row),
        servers::encoder(base)
    )
}

/// Returns the sentence about a server without figures of the first format, so that nothing is compared.
fn without_row(pair: &PairReport, name: &str) -> String {
    format!(
        "{} ← {}: no verdict on leaving HTTP, because there are no figures of {name} here",
        pair.client, pair.server
    )
}

/// Returns the sentence about a quantity of which nothing is decided for a client and a server.
fn undecided(pair: &str, quantity: Quantity, timed: bool, is_late: bool) -> String {
    let why = match (quantity, timed, is_late) {
        (Quantity::ServerCpu, ..) => "it is unknown",
        (Quantity::Latency, false, _) => "the machine was busy",
        (Quantity::Latency, true, true) => "the client was late",
        (Quantity::Latency, true, false) => "a launch has too few requests",
    };
    format!("{pair}: no verdict on the {} of leaving HTTP, because {why}", quantity.name())
}

/// Returns the row of a server in a format, with its ratios to the base.
fn row_of(pair: &PairReport, own: Measured<'_>, base: Measured<'_>, timed: bool) -> TransportRow {
    let open = own.row.latency.first();
    let is_base = std::ptr::eq(own.row, base.row);
    let ratio = |quantity: Quantity| {
        let logs = own.log_ratios(base, quantity).filter(|_| !is_base)?;
        Figure::of(&logs.iter().map(|log| log.exp()).collect::<Vec<_>>())
    };
    let cpu = own.figures.samples.get(super::SERVER_CPU_AT_RATE);
    TransportRow {
        client: pair.client.clone(),
        server: pair.server.clone(),
        transport: pair.transport,
        format: own.row.format.clone(),
        coding: own.row.coding.clone(),
        rate_per_s: open.map_or(0.0, |open| open.rate_per_s),
        server_cpu_ns: cpu.and_then(|cpu| Figure::of(cpu)),
        server_cpu_ratio: ratio(Quantity::ServerCpu),
        latency_p50: open.and_then(|open| open.percentiles.get("p50").copied().flatten()),
        latency_ratio: ratio(Quantity::Latency).filter(|_| timed),
        generator_late: own.figures.is_median_late,
        server_cpu_saving: None,
        latency_saving: None,
    }
}

/// Decides which change saves more, from the verdicts on the other transport, on the other format, and on the
/// ratio of the first to the second.
fn saving([transport, format, difference]: [Verdict; 3]) -> Saving {
    use Verdict::{Faster, Same, Slower};
    match (transport, format, difference) {
        (Faster, _, Faster) => Saving::Transport,
        (_, Faster, Slower) => Saving::Format,
        (Faster, Faster, Same) => Saving::Same,
        (Same | Slower, Same | Slower, _) => Saving::Neither,
        _ => Saving::Undecided,
    }
}

fn sentence(
    question: &Question,
    saving: Saving,
    intervals: &[Interval],
    comparisons: &[Comparison],
    delta: f64,
) -> String {
    let Question { quantity, transport, format, difference, pair, formats, .. } = question;
    let quantity = quantity.name();
    let leaving = "leaving HTTP";
    let changing = format!("changing {} to {}", formats.0, formats.1);
    let ratio = |index: &usize| {
        let (value, low, high) = intervals[*index].exp();
        format!("{value:.2}x ({low:.2}–{high:.2})")
    };
    let (first, second) = (ratio(transport), ratio(format));
    let words = match saving {
        Saving::Transport => {
            format!("{leaving} saves more {quantity} than {changing}: {first} against {second}")
        }
        Saving::Format => {
            format!("{changing} saves more {quantity} than {leaving}: {second} against {first}")
        }
        Saving::Same => format!(
            "{leaving} saves as much {quantity} as {changing}, within {:.0} %: {first} and {second}",
            delta * 100.0
        ),
        Saving::Neither => {
            format!("neither {leaving} nor {changing} saves {quantity}: {first} and {second}")
        }
        Saving::Undecided => {
            let missing = [difference, transport, format].map(|&index| comparisons[index].verdict);
            let missing = missing.into_iter().find_map(|verdict| match verdict {
                Verdict::Inconclusive { more_launches } => Some(more(more_launches)),
                _ => None,
            });
            let decide = missing.map(|more| format!("; {more} would decide it"));
            format!(
                "undecided whether {leaving} ({first}) or {changing} ({second}) saves more {quantity}{}",
                decide.unwrap_or_default()
            )
        }
    };
    format!("{pair}: {words}")
}

/// Returns the lanes of a trial that cannot take part over a transport, although they were selected.
pub(crate) fn missing(trial_lanes: &[TrialLane], options: &Options) -> Vec<NoTransport> {
    let mut missing = Vec::new();
    let others = options.transports.iter().copied().filter(|transport| !transport.is_http());
    for transport in others {
        for trial_lane in trial_lanes {
            let lane = trial_lane.built.lane();
            if lane.is_server_variant() {
                continue;
            }
            let mut add = |side: Side| {
                missing.push(NoTransport { lane: lane.name().to_owned(), side, transport })
            };
            let names = &options.servers;
            let is_server = names.is_empty() || names.iter().any(|name| name == lane.name());
            let serves = trial_lanes.iter().any(|other| {
                let other = other.built.lane();
                other.transport() == transport && other.manifest().name == lane.name()
            });
            if is_server && !serves {
                add(Side::Server);
            }
            if options.is_client(lane) && trial_lane.peers(transport).is_none() {
                add(Side::Client);
            }
        }
    }
    missing
}

/// Returns a sentence for each transport and side that lanes lack.
pub(crate) fn missing_notes(missing: &[NoTransport]) -> Vec<String> {
    let mut notes: Vec<(Transport, Side, Vec<&str>)> = Vec::new();
    for NoTransport { lane, side, transport } in missing {
        match notes.iter_mut().find(|note| (note.0, note.1) == (*transport, *side)) {
            Some(note) => note.2.push(lane),
            None => notes.push((*transport, *side, vec![lane])),
        }
    }
    let sentence = |(transport, side, lanes): (Transport, Side, Vec<&str>)| {
        format!("no {} {side} in the lanes {}", transport.title(), lanes.join(", "))
    };
    notes.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Transports, compare, missing_notes, saving};
    use crate::trial::error::{NoTransport, Side};
    use crate::trial::figures::Figures;
    use crate::trial::launch::{CellLaunch, OpenLoop, Sequential};
    use crate::trial::report::{PairReport, Saving};
    use crate::weigh::lanes::Transport;
    use crate::weigh::statistics::Verdict::{Faster, Inconclusive, Same, Slower};

    const NOISE: [f64; 5] = [1.000, 1.004, 0.998, 1.002, 0.996];

    fn pair(transport: Transport) -> PairReport {
        let library = json!({ "name": "x", "version": "1", "target": "dynamic" });
        let row = |format: &str| {
            json!({
                "format": format, "coding": "none", "client_library": library,
                "server_library": library, "status": "ok", "server_cpu_ns": {}, "client_cpu_ns": {},
                "latency": [{
                    "rate_per_s": 500.0, "requests": 5000, "lag_p99_ns": null,
                    "generator_late": true, "percentiles": {},
                }],
            })
        };
        let server = if transport.is_http() { "go" } else { "go:zeromq" };
        serde_json::from_value(json!({
            "client": "go", "client_runtime": "Go", "server": server, "transport": transport,
            "launches": 5, "status": "ok", "rows": [row("json"), row("cbor")],
        }))
        .expect("a pair")
    }

    /// Returns the figures of a row with this CPU time and this latency, in as many launches as asked for.
    fn figures(cpu_ns: f64, latency_ns: f64, launches: usize, late: bool) -> Option<Figures> {
        let late_ns = if late { 50_000 } else { 0 };
        let launch = |(index, noise): (usize, &f64)| CellLaunch {
            // Odd launches ran at half the speed, which moves no ratio within a launch.
            server_cpu_at_rate_ns: vec![Some(cpu_ns * noise * (1 + index % 2) as f64); 3],
            open: vec![OpenLoop {
                rate: 500.0,
                latencies_ns: vec![(latency_ns * noise) as u64; 40],
                // One request in a hundred being late does not move the median.
                lags_ns: [[0; 39].as_slice(), &[9_000_000]]
                    .concat()
                    .iter()
                    .map(|lag| lag + late_ns)
                    .collect(),
            }],
            ..CellLaunch::default()
        };
        let launches: Vec<CellLaunch> =
            NOISE.iter().enumerate().map(launch).take(launches).collect();
        Some(Figures::of(&launches.iter().collect::<Vec<_>>()))
    }

    /// Compares servers whose CPU times are 100 µs for JSON over HTTP, and these for CBOR over HTTP and for JSON
    /// over ZeroMQ. Latencies are three times as long.
    fn compared(cbor: f64, zeromq: f64, launches: usize, timed: bool, late: bool) -> Transports {
        let row = |us: f64| figures(us * 1e3, us * 3e3, launches, late);
        let pairs = [pair(Transport::Http), pair(Transport::Zeromq)];
        let all = [vec![row(100.0), row(cbor)], vec![row(zeromq), row(zeromq * 0.9)]];
        compare(&[vec![0, 1]], &pairs, &all, timed, 0.05)
    }

    fn savings(transports: &Transports) -> (Option<Saving>, Option<Saving>) {
        (transports.rows[1].server_cpu_saving, transports.rows[1].latency_saving)
    }

    #[test]
    fn the_change_that_saves_more_is_named() {
        for (cbor, zeromq, expected, words) in [
            (
                80.0,
                60.0,
                Saving::Transport,
                "leaving HTTP saves more server CPU time than changing json to cbor: 0.60x (0.60–0.60) against 0.80x (0.80–0.80)",
            ),
            (
                60.0,
                130.0,
                Saving::Format,
                "changing json to cbor saves more server CPU time than leaving HTTP: 0.60x (0.60–0.60) against 1.30x (1.30–1.30)",
            ),
            (
                70.0,
                71.0,
                Saving::Same,
                "leaving HTTP saves as much server CPU time as changing json to cbor, within 5 %: 0.71x (0.71–0.71) and 0.70x (0.70–0.70)",
            ),
            (
                140.0,
                120.0,
                Saving::Neither,
                "neither leaving HTTP nor changing json to cbor saves server CPU time: 1.20x (1.20–1.20) and 1.40x (1.40–1.40)",
            ),
        ] {
            let found = compared(cbor, zeromq, 5, true, false);
            assert_eq!(savings(&found), (Some(expected), Some(expected)), "{words}");
            assert_eq!(found.sentences[0], format!("go ← go: {words}"));
            assert!(found.sentences[1].contains("median latency"), "{:?}", found.sentences);
        }
    }

    #[test]
    fn rows_have_ratios_to_json_over_http() {
        let found = compared(80.0, 60.0, 5, true, false);
        let servers: Vec<&str> = found.rows.iter().map(|row| row.server.as_str()).collect();
        assert_eq!(servers, ["go", "go", "go:zeromq", "go:zeromq"]);
        assert!(found.rows[0].server_cpu_ratio.is_none() && found.rows[0].latency_ratio.is_none());
        for (row, expected) in found.rows[1..].iter().zip([0.8, 0.6, 0.54]) {
            for ratio in [row.server_cpu_ratio, row.latency_ratio] {
                let ratio = ratio.expect("a ratio").value;
                assert!((ratio - expected).abs() < 1e-4, "{row:?}");
            }
        }
        assert_eq!((found.rows[2].server_cpu_saving, found.rows[2].latency_saving), (None, None));
    }

    #[test]
    fn latencies_that_describe_no_server_decide_nothing() {
        for (timed, late, why) in
            [(false, false, "the machine was busy"), (true, true, "the client was late")]
        {
            let found = compared(80.0, 60.0, 5, timed, late);
            assert_eq!(savings(&found), (Some(Saving::Transport), None));
            assert!(found.rows.iter().all(|row| row.latency_ratio.is_none()));
            assert!(found.sentences[0].ends_with(why), "{:?}", found.sentences);
        }
    }

    #[test]
    fn a_server_without_figures_of_the_first_format_decides_nothing() {
        let row = |us: f64| figures(us * 1e3, us * 3e3, 5, false);
        let pairs = [pair(Transport::Http), pair(Transport::Zeromq)];
        let why = "no verdict on leaving HTTP, because there are no figures of json here";
        for (all, rows, server) in [
            ([vec![None, row(80.0)], vec![row(60.0), row(54.0)]], 0, "go"),
            ([vec![row(100.0), row(80.0)], vec![None, row(54.0)]], 3, "go:zeromq"),
        ] {
            let found = compare(&[vec![0, 1]], &pairs, &all, true, 0.05);
            assert_eq!(found.rows.len(), rows);
            assert_eq!(found.sentences, [format!("go ← {server}: {why}")]);
        }
        // The status of rows without any figures says why.
        let none = [vec![None, None], vec![None, None]];
        let found = compare(&[vec![0, 1]], &pairs, &none, true, 0.05);
        assert_eq!((found.rows.len(), found.sentences.len()), (0, 0));
    }

    #[test]
    fn a_quantity_that_is_unknown_is_named() {
        // The clients have times of whole requests, but no latencies at the rate and no CPU times.
        let launch = |&noise: &f64| CellLaunch {
            meters: [1.0, 2.0, 3.0].map(|meter| {
                let latency_ns = 1e5 * meter * noise;
                vec![Sequential { latency_ns, server_cpu_ns: None, client_cpu_ns: None }]
            }),
            ..CellLaunch::default()
        };
        let launches: Vec<CellLaunch> = NOISE.iter().map(launch).collect();
        let figures = Figures::of(&launches.iter().collect::<Vec<_>>());
        let pairs = [pair(Transport::Http), pair(Transport::Zeromq)];
        let all = [vec![Some(figures.clone()), Some(figures.clone())], vec![Some(figures); 2]];
        let found = compare(&[vec![0, 1]], &pairs, &all, true, 0.05);
        let verdict = "go ← go: no verdict on the";
        assert_eq!(
            found.sentences,
            [
                format!("{verdict} server CPU time of leaving HTTP, because it is unknown"),
                format!(
                    "{verdict} median latency of leaving HTTP, because a launch has too few requests"
                ),
            ]
        );
    }

    /// Servers with one format answer no question, so their ratios are not judged with the others.
    #[test]
    fn ratios_without_a_question_do_not_change_verdicts() {
        const STEADY: [f64; 5] = [1.0; 5];
        const NOISY: [f64; 5] = [1.10, 0.90, 1.05, 0.95, 1.00];
        let row = |us: f64, noise: [f64; 5]| {
            let launch = |noise: f64| CellLaunch {
                server_cpu_at_rate_ns: vec![Some(us * 1e3 * noise); 3],
                ..CellLaunch::default()
            };
            let launches = noise.map(launch);
            Some(Figures::of(&launches.iter().collect::<Vec<_>>()))
        };
        let both = || [pair(Transport::Http), pair(Transport::Zeromq)];
        let only_json = both().map(|mut pair| {
            pair.rows.truncate(1);
            pair
        });
        let pairs = [both(), only_json].concat();
        let all = [
            vec![row(100.0, STEADY), row(80.0, STEADY)],
            vec![row(60.0, NOISY), row(54.0, NOISY)],
            vec![row(100.0, STEADY)],
            vec![row(100.0, NOISY)],
        ];
        for others in [0, 20] {
            let groups = [vec![vec![0, 1]], vec![vec![2, 3]; others]].concat();
            let found = compare(&groups, &pairs, &all, true, 0.05);
            assert_eq!(savings(&found), (Some(Saving::Transport), None), "{:?}", found.sentences);
        }
    }

    #[test]
    fn few_launches_give_ratios_and_no_verdict() {
        let found = compared(80.0, 60.0, 4, true, false);
        assert!(found.rows[1].server_cpu_ratio.is_some());
        assert_eq!((savings(&found), found.sentences.len()), ((None, None), 0));
    }

    #[test]
    fn servers_with_other_libraries_have_no_verdict() {
        let row = |us: f64| figures(us * 1e3, us * 3e3, 5, false);
        let mut pairs = [pair(Transport::Http), pair(Transport::Zeromq)];
        pairs[1].rows[0].server_library.as_mut().expect("a library").name = "y".to_owned();
        let all = [vec![row(100.0), row(80.0)], vec![row(60.0), row(54.0)]];
        let found = compare(&[vec![0, 1]], &pairs, &all, true, 0.05);
        assert_eq!(savings(&found), (None, None));
        assert_eq!(
            found.sentences,
            [
                "go ← go:zeromq: no verdict on leaving HTTP, because json is encoded by y 1 (dynamic) here, and by x 1 (dynamic) over HTTP"
            ]
        );
    }

    #[test]
    fn a_verdict_needs_a_saving_by_itself() {
        let undecided = Inconclusive { more_launches: 3 };
        // The other format is slower, so that leaving HTTP is below it without saving anything.
        assert_eq!(saving([Same, Slower, Faster]), Saving::Neither);
        assert_eq!(saving([undecided, Slower, Faster]), Saving::Undecided);
        assert_eq!(saving([Faster, Same, undecided]), Saving::Undecided);
        assert_eq!(saving([Faster, Inconclusive { more_launches: 1 }, Faster]), Saving::Transport);
        assert_eq!(saving([Faster, Faster, undecided]), Saving::Undecided);
    }

    #[test]
    fn lanes_without_a_transport_are_named_once() {
        let missing = |lane: &str, side: Side| NoTransport {
            lane: lane.to_owned(),
            side,
            transport: Transport::Zeromq,
        };
        let all = [
            missing("scala", Side::Server),
            missing("scala", Side::Client),
            missing("dotnet", Side::Server),
        ];
        assert_eq!(
            missing_notes(&all),
            ["no ZeroMQ server in the lanes scala, dotnet", "no ZeroMQ client in the lanes scala"]
        );
        assert_eq!(all[0].to_string(), "has no ZeroMQ server");
    }
}
