//! `trial`, from payloads to a report: prepare every lane, launch every pair, compute figures.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use super::affinity::Cores;
use super::figures::{Figure, Figures, Finding};
use super::launch::{CellLaunch, LaunchOptions};
use super::link::InvalidLink;
use super::options::{Options, Service, coding_name};
use super::pair::{Cell, LaneLibrary, Pair, Server, TrialInput, TrialLane};
use super::report::{
    Capacity, Library, LinkNote, OpenLoop, PairReport, PayloadNote, Placement, Report, Row, SCHEMA,
};
use super::{cost, figures, launch, pair};
use crate::weigh::host;
use crate::weigh::lanes::{LaneInput, LaneSet};
use crate::weigh::launch::LaunchError;
use crate::weigh::measure::Progress;

/// A report, and whether a subject failed or the user interrupted.
#[derive(Debug)]
pub struct Outcome {
    /// The report.
    pub report: Report,
    /// True if a subject failed its round trip, or a lane crashed, hung or printed garbage.
    pub broken: bool,
    /// True if the user interrupted. The report holds the results up to then.
    pub interrupted: bool,
}

/// The default link for costs. Bytes matter most on mobile networks.
const USUAL_LINK: &str = "4g";

/// The state of a pair during the trial.
struct PairState<'a> {
    pair: Pair<'a>,
    cells: Vec<Cell<'a>>,
    launches: Vec<Vec<CellLaunch>>,
    connections: Vec<Option<usize>>,
    rates: Vec<f64>,
    status: String,
    broken: bool,
}

/// Measures payloads between every client and every server. With a service, measures between every
/// client and the service, one request at a time.
///
/// Setting `interrupted` stops the running launch; the report is then made from the results so far.
///
/// # Errors
///
/// Returns a message if the schema is invalid, or if no pair of lanes can be measured.
pub fn trial(
    input: TrialInput<'_>,
    options: &Options,
    service: Option<&Service>,
    lane_set: &LaneSet,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Result<Outcome, String> {
    let TrialInput { payloads, lane_input } = input;
    let mut notes = lane_set.notes.clone();
    let mut broken = false;
    let mut trial_lanes = Vec::new();
    for prepared in lane_set.of(0) {
        let name = prepared.built.lane().name();
        let wanted =
            |names: &[String]| names.is_empty() || names.iter().any(|wanted| wanted == name);
        if !(wanted(&options.clients) || wanted(&options.servers)) {
            continue;
        }
        let mut say = |line: &str| progress.say(line);
        let note = notes.iter_mut().find(|note| note.lane == name);
        match pair::prepare_lane(prepared, input, options, &mut say, interrupted) {
            Ok(trial_lane) => {
                if let Some(note) = note {
                    note.runtime = Some(trial_lane.runtime.clone());
                }
                trial_lanes.push(trial_lane);
            }
            Err(unavailable) => {
                broken |= unavailable.broken;
                if let Some(note) = note {
                    note.status = format!("skipped: {}", unavailable.why);
                }
            }
        }
    }
    let cores = Cores::divide();
    let mut pair_states = pairs(&trial_lanes, service, options);
    if pair_states.is_empty() && !broken {
        let whys: Vec<String> =
            notes.iter().map(|note| format!("{} {}", note.lane, note.status)).collect();
        return Err(format!("no lane can be measured: {}", whys.join("; ")));
    }
    for number in 0..options.launches() {
        measure(&mut pair_states, number, options, lane_input, &cores, progress, interrupted);
    }
    progress.finish();
    let (pairs, figures): (Vec<PairReport>, Vec<_>) = pair_states.iter().map(summarise).unzip();
    broken |= pair_states.iter().any(|state| state.broken);
    let draws_of = |found: &Option<Figures>| {
        found.as_ref().map(|figures| figures.draws.clone()).unwrap_or_default()
    };
    let draws: Vec<Vec<Vec<cost::CpuSample>>> =
        figures.iter().map(|rows: &Vec<_>| rows.iter().map(draws_of).collect()).collect();
    let usual = || USUAL_LINK.parse().map_err(|error: InvalidLink| error.to_string());
    let line = options.link.clone().map_or_else(usual, Ok)?;
    let mut report = Report {
        schema: SCHEMA.to_owned(),
        tool: host::tool(),
        host: host::host(),
        options: options.to_json(),
        payloads: payloads
            .iter()
            .map(|payload| PayloadNote {
                name: payload.name.clone(),
                bytes: payload.given_bytes(),
                made_from: payload.origin.map(|origin| origin.to_string()),
            })
            .collect(),
        lanes: notes,
        placement: Placement {
            server_cores: cores.server,
            client_cores: cores.client,
            one_core: cores.one_core,
        },
        link: options.link.as_ref().filter(|_| service.is_none()).map(LinkNote::of),
        cost: cost::cost_report(&pairs, &draws, payloads.len(), &line, &options.prices),
        pairs,
        findings: Vec::new(),
        unsettled: Vec::new(),
        verdicts: Vec::new(),
    };
    judge(&mut report, &figures, options);
    Ok(Outcome { report, broken, interrupted: interrupted.load(Ordering::Relaxed) })
}

fn pairs<'a>(
    trial_lanes: &'a [TrialLane],
    service: Option<&'a Service>,
    options: &Options,
) -> Vec<PairState<'a>> {
    let named = |names: &[String], trial_lane: &TrialLane| {
        names.is_empty() || names.iter().any(|name| name == trial_lane.name())
    };
    let mut all = Vec::new();
    for client in trial_lanes.iter().filter(|trial_lane| named(&options.clients, trial_lane)) {
        let lanes = trial_lanes.iter().filter(|trial_lane| named(&options.servers, trial_lane));
        let servers: Vec<Server<'a>> = match service {
            Some(service) => vec![Server::Service(service)],
            None => lanes.map(Server::Lane).collect(),
        };
        for server in servers {
            let pair = Pair { client, server };
            let cells = pair.cells(options);
            let broken =
                cells.iter().any(|cell| cell.obstacle(&pair).is_some_and(|(_, broken)| broken));
            all.push(PairState {
                connections: vec![None; cells.len()],
                pair,
                cells,
                launches: Vec::new(),
                rates: Vec::new(),
                status: "ok".to_owned(),
                broken,
            });
        }
    }
    all
}

/// Launches every pair once, in random order. A pair whose process died is skipped from then on.
fn measure(
    pair_states: &mut [PairState<'_>],
    number: usize,
    options: &Options,
    lane_input: &LaneInput,
    cores: &Cores,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) {
    let mut order: Vec<usize> = (0..pair_states.len()).collect();
    let seed = options.seed.wrapping_add(number as u64);
    fastrand::Rng::with_seed(seed).shuffle(&mut order);
    for index in order {
        let state = &mut pair_states[index];
        if interrupted.load(Ordering::Relaxed) || state.status != "ok" {
            continue;
        }
        let (client, server) = (state.pair.client_name(), state.pair.server_name());
        let of = options.launches();
        progress.say(&format!("{client} ← {server}: launch {} of {of}", number + 1));
        let launch_options = LaunchOptions {
            effort: options.effort,
            seed: seed.wrapping_mul(1 << 16).wrapping_add(index as u64),
            lane_input,
            cores,
            link: options.link.as_ref(),
            connections: &state.connections,
            rates: &state.rates,
        };
        match launch::launch(&state.pair, &state.cells, &launch_options, interrupted) {
            Ok(found) => {
                for (known, found) in state.connections.iter_mut().zip(&found) {
                    *known = known.or(found.capacity.map(|capacity| capacity.connections));
                }
                if state.rates.is_empty() {
                    state.rates = launch::rates(&found, options.effort);
                }
                state.broken |= state.cells.iter().zip(&found).any(|(cell, found)| {
                    found.failure.is_some() && cell.obstacle(&state.pair).is_none()
                });
                state.launches.push(found);
            }
            Err(failure) if failure.error == LaunchError::Interrupted => {}
            Err(failure) => {
                state.status = format!("{}: {}", failure.side, failure.error);
                state.broken = true;
            }
        }
    }
}

fn summarise(state: &PairState<'_>) -> (PairReport, Vec<Option<Figures>>) {
    let pair = &state.pair;
    let mut rows = Vec::new();
    let mut all = Vec::new();
    for (index, cell) in state.cells.iter().enumerate() {
        let launches: Vec<&CellLaunch> =
            state.launches.iter().map(|launch| &launch[index]).collect();
        let whole: Vec<&CellLaunch> =
            launches.iter().copied().filter(|launch| launch.failure.is_none()).collect();
        let failure = launches.iter().find_map(|launch| launch.failure.clone());
        let figures = (failure.is_none() && !whole.is_empty()).then(|| Figures::of(&whole));
        rows.push(row(cell, pair, &whole, figures.as_ref(), failure));
        all.push(figures);
    }
    let runtime = |trial_lane: &TrialLane, with: &str| format!("{}, {with}", trial_lane.runtime);
    let report = PairReport {
        client: pair.client_name().to_owned(),
        client_runtime: runtime(pair.client, &pair.client.http.client),
        server: pair.server_name().to_owned(),
        server_runtime: match pair.server {
            Server::Lane(trial_lane) => Some(runtime(trial_lane, &trial_lane.http.server)),
            Server::Service(_) => None,
        },
        launches: state.launches.len(),
        status: state.status.clone(),
        rows,
    };
    (report, all)
}

fn row(
    cell: &Cell<'_>,
    pair: &Pair<'_>,
    launches: &[&CellLaunch],
    figures: Option<&Figures>,
    failure: Option<String>,
) -> Row {
    let library = |library: &LaneLibrary| Library {
        name: library.subject.library.clone(),
        version: library.version.clone(),
        target: library.subject.target.name().to_owned(),
    };
    let obstacle = cell.obstacle(pair).map(|obstacle| obstacle.0);
    let status = match (failure.or(obstacle), figures) {
        (Some(why), _) => why,
        (None, Some(_)) => "ok".to_owned(),
        (None, None) => "not measured".to_owned(),
    };
    let meter = |index: usize| figures.and_then(|figures| figures.meters[index]);
    let by_meter = |cpu: fn(&Figures) -> &[Option<Figure>; 3]| {
        let names = ["transport", "endpoint", "end_to_end"].into_iter().enumerate();
        names
            .map(|(index, name)| (name.to_owned(), figures.and_then(|figures| cpu(figures)[index])))
            .collect::<BTreeMap<_, _>>()
    };
    Row {
        format: cell.format.name().to_owned(),
        coding: coding_name(cell.coding),
        client_library: library(cell.client),
        server_library: cell.server.map(library),
        status,
        note: launches.iter().find_map(|launch| launch.note.clone()),
        body_bytes: cell.body_bytes,
        transport_ns: meter(0),
        endpoint_ns: meter(1),
        end_to_end_ns: meter(2),
        processing_ns: figures.and_then(|figures| figures.processing),
        encode_ns: figures.and_then(|figures| figures.encode),
        residual: figures.and_then(|figures| figures.residual),
        unexplained: figures.and_then(|figures| figures.unexplained),
        server_cpu_ns: by_meter(|figures| &figures.server_cpu),
        client_cpu_ns: by_meter(|figures| &figures.client_cpu),
        capacity: capacity(launches),
        latency: open_loops(launches),
        verdict: None,
    }
}

fn capacity(launches: &[&CellLaunch]) -> Option<Capacity> {
    let found: Vec<launch::Capacity> = launches.iter().filter_map(|cell| cell.capacity).collect();
    let each = |value: fn(&launch::Capacity) -> Option<f64>| {
        Figure::of(&found.iter().filter_map(value).collect::<Vec<_>>())
    };
    Some(Capacity {
        connections: found.first()?.connections,
        requests_per_s: each(|capacity| Some(capacity.requests_per_s))?,
        server_cpu_ns: each(|capacity| capacity.server_cpu_ns),
        client_cpu_ns: each(|capacity| capacity.client_cpu_ns),
    })
}

/// The reported quantiles.
const QUANTILES: [(&str, f64); 4] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)];

fn open_loops(launches: &[&CellLaunch]) -> Vec<OpenLoop> {
    let rates = launches.first().map(|cell| cell.open.len()).unwrap_or(0);
    let of_rate = |index: usize| {
        let open: Vec<&launch::OpenLoop> =
            launches.iter().filter_map(|cell| cell.open.get(index)).collect();
        let latencies: Vec<Vec<u64>> = open.iter().map(|open| open.latencies_ns.clone()).collect();
        let (lag_p99_ns, generator_late) = figures::is_late(&open);
        Some(OpenLoop {
            rate_per_s: open.first()?.rate,
            requests: latencies.iter().map(|latencies| latencies.len() as u64).sum(),
            lag_p99_ns,
            generator_late,
            percentiles: QUANTILES
                .iter()
                .map(|&(name, share)| (name.to_owned(), figures::quantile(&latencies, share)))
                .collect(),
        })
    };
    (0..rates).filter_map(of_rate).collect()
}

/// Adds unexplained differences, and verdicts between formats.
fn judge(report: &mut Report, figures: &[Vec<Option<Figures>>], options: &Options) {
    let mut ratios = Vec::new();
    for (index, (pair, figures)) in report.pairs.iter_mut().zip(figures).enumerate() {
        ratios.extend(figures::ratios(index, pair, figures));
        for coding in options.codings.iter().map(|coding| coding_name(*coding)) {
            let first = pair.rows.iter_mut().find(|row| row.coding == coding);
            if let Some(row) = first.filter(|row| row.status == "ok") {
                row.verdict = Some("reference".to_owned());
            }
        }
    }
    report.verdicts = figures::verdicts(&mut report.pairs, &ratios, options.effort.delta());
    let found =
        || report.pairs.iter().flat_map(|pair| pair.rows.iter().map(move |row| (pair, row)));
    let all: Vec<Finding> = found().flat_map(|(pair, row)| figures::findings(pair, row)).collect();
    let (settled, unsettled): (Vec<_>, Vec<_>) = all.into_iter().partition(|each| each.settled);
    let words = |findings: Vec<Finding>| findings.into_iter().map(|each| each.words).collect();
    (report.findings, report.unsettled) = (words(settled), words(unsettled));
}
