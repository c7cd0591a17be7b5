//! `trial`, from payloads to a report: prepare every lane, launch every pair, compute figures.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::trial::affinity::Cores;
use crate::trial::capacity::{Circumstances, ClosedLoop, ClosedLoopRate};
use crate::trial::error::{CellError, ProcessError, TrialError};
use crate::trial::figure::Figure;
use crate::trial::figures::Figures;
use crate::trial::launch::{BegunLaunch, CellLaunch, LaunchOptions};
use crate::trial::options::{Options, Service, coding_name};
use crate::trial::pair::{Cell, LaneLibrary, Pair, Server, TrialInput, TrialLane};
use crate::trial::report::{
    Capacity, Clock, Library, LinkNote, OpenLoop, PairReport, Placement, Report, Row, RowVerdict,
    SCHEMA, Status,
};
use crate::trial::verdict::Finding;
use crate::trial::{cost, figure, launch, pair, servers, transports, verdict};
use crate::weigh::Progress;
use crate::weigh::contention::{self, Contention};
use crate::weigh::host;
use crate::weigh::lanes::{LaneInput, LaneSet, Peers};
use crate::weigh::launch::LaunchError;
use crate::weigh::report::{Host, PayloadSummary};

/// A report, and whether a subject failed or the user interrupted.
#[derive(Debug)]
pub struct Outcome {
    /// The report.
    pub report: Report,
    /// True if a subject failed its round trip, types of the payloads could not be built, or a lane
    /// crashed, hung or gave an invalid answer.
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
    closed_loops: Vec<Option<ClosedLoop>>,
    rates: Vec<f64>,
    status: Status,
    broken: bool,
}

/// Measures payloads between every client and every server. With a service, measures between every
/// client and the service, one request at a time.
///
/// Setting `interrupted` stops the running launch; the report is then made from the results so far.
///
/// # Errors
///
/// Returns an error if no pair of lanes can be measured.
pub fn trial(
    input: &TrialInput<'_>,
    options: &Options,
    service: Option<&Service>,
    lane_set: &LaneSet,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Result<Outcome, TrialError> {
    let TrialInput { payloads, lane_input, .. } = input;
    let mut notes = lane_set.notes(|_| options.effort.delta());
    let mut broken = false;
    let mut trial_lanes = Vec::new();
    for prepared in lane_set.of(0) {
        let lane = prepared.built.lane();
        let name = lane.name();
        let is_server = service.is_none() && options.server_position(lane).is_some();
        if !options.is_client(lane) && !is_server {
            // The report is about the clients and servers that the user named.
            notes.retain(|note| note.lane != name);
            continue;
        }
        let mut say = |line: &str| progress.say(line);
        let note = notes.iter_mut().find(|note| note.lane == name);
        match pair::prepare_lane(prepared, input, options, &mut say, interrupted) {
            Ok(trial_lane) => {
                broken |= trial_lane.lacks_types(options);
                if let Some(note) = note {
                    note.runtime = Some(trial_lane.runtime.clone());
                }
                trial_lanes.push(trial_lane);
            }
            Err(unavailable) => {
                broken |= unavailable.is_broken();
                if let Some(note) = note {
                    note.status = Status::Failed(format!("skipped: {unavailable}"));
                }
            }
        }
    }
    let cores = Cores::divide();
    let mut pair_states = pairs(&trial_lanes, service, options);
    let missing = transports::missing(&trial_lanes, options);
    if pair_states.is_empty() && !broken {
        let failed = notes.iter().filter(|note| missing.is_empty() || !note.status.is_ok());
        let failed = failed.map(|note| (note.lane.clone(), note.status.to_string()));
        let missing = missing.iter().map(|each| (each.lane.clone(), each.to_string()));
        return Err(TrialError::NoLane(failed.chain(missing).collect()));
    }
    let mut contention = Contention::default();
    for number in 0..options.launches() {
        let turn = Turn { number, options, lane_input, cores: &cores };
        measure(&mut pair_states, &turn, &mut contention, progress, interrupted);
    }
    progress.finish();
    let busy = contention.sign(host::processors());
    let circumstances = cores.circumstances(options.link.is_some(), busy.is_some());
    let (pairs, figures): (Vec<PairReport>, Vec<_>) =
        pair_states.iter().map(|state| summarise(state, &circumstances)).unzip();
    broken |= pair_states.iter().any(|state| state.broken);
    let usual = || USUAL_LINK.parse().map_err(TrialError::Link);
    let line = options.link.clone().map_or_else(usual, Ok)?;
    let CostInputs { inputs, missing: without_costs } =
        cost_inputs(&pairs, &figures, payloads.len(), busy.is_some());
    let cost = cost::cost_report(&inputs, &line, &options.prices);
    let mut report = Report {
        schema: SCHEMA.to_owned(),
        tool: host::tool(),
        host: Host { load: contention.load(), ..host::host() },
        options: options.to_json(),
        payloads: payloads
            .iter()
            .map(|payload| PayloadSummary { endpoint: None, ..PayloadSummary::of(payload) })
            .collect(),
        lanes: notes,
        clock: Clock::Wall,
        notes: Vec::new(),
        placement: Placement {
            server_cores: cores.server,
            client_cores: cores.client,
            one_core: cores.one_core,
        },
        link: options.link.as_ref().filter(|_| service.is_none()).map(LinkNote::of),
        cost,
        servers: Vec::new(),
        transports: Vec::new(),
        pairs,
        findings: Vec::new(),
        unsettled: Vec::new(),
        verdicts: Vec::new(),
        interrupted: false,
        done: None,
    };
    judge(&mut report, &figures, busy.as_deref(), options);
    let groups = groups(&pair_states);
    let compared = servers::compare(&groups, &report.pairs, &figures, options.effort.delta());
    report.servers = compared.rows;
    report.verdicts.extend(compared.sentences);
    let compared = transports::compare(
        &groups,
        &report.pairs,
        &figures,
        busy.is_none(),
        options.effort.delta(),
    );
    report.transports = compared.rows;
    report.verdicts.extend(compared.sentences);
    report.notes.extend(transports::missing_notes(&missing));
    report.notes.extend(pair::missing_notes(&trial_lanes, options));
    report.notes.extend(without_costs);
    let interrupted = interrupted.load(Ordering::Relaxed);
    if interrupted {
        let made: usize = report.pairs.iter().map(|pair| pair.launches).sum();
        let planned = report.pairs.len() * options.launches();
        report.interrupted = true;
        report.done =
            Some(format!("{made} of {planned} launches of a client with a server were measured"));
    }
    Ok(Outcome { report, broken, interrupted })
}

fn pairs<'a>(
    trial_lanes: &'a [TrialLane],
    service: Option<&'a Service>,
    options: &Options,
) -> Vec<PairState<'a>> {
    let servers: Vec<Server<'a>> = match service {
        Some(service) => vec![Server::Service(service)],
        None => {
            let position = |trial_lane: &TrialLane| {
                let position = options.server_position(trial_lane.built.lane())?;
                let transport = trial_lane.transport();
                trial_lane.peers(transport).map(|_| (position, transport))
            };
            let mut lanes: Vec<&TrialLane> =
                trial_lanes.iter().filter(|&trial_lane| position(trial_lane).is_some()).collect();
            // The other servers of a lane are compared with the first that the user named.
            lanes.sort_by_key(|trial_lane| position(trial_lane));
            lanes.into_iter().map(Server::Lane).collect()
        }
    };
    let is_client = |trial_lane: &&TrialLane| options.is_client(trial_lane.built.lane());
    let mut all = Vec::new();
    for client in trial_lanes.iter().filter(is_client) {
        for &server in &servers {
            let pair = Pair { client, server };
            if service.is_none() && client.peers(pair.transport()).is_none() {
                continue;
            }
            let cells = pair.cells(options);
            let broken =
                cells.iter().any(|cell| cell.obstacle(&pair).is_some_and(|(_, broken)| broken));
            all.push(PairState {
                closed_loops: vec![None; cells.len()],
                pair,
                cells,
                launches: Vec::new(),
                rates: Vec::new(),
                status: Status::Ok,
                broken,
            });
        }
    }
    all
}

/// The rows that have all figures that a cost depends on.
struct CostInputs<'a> {
    inputs: Vec<cost::CostInput<'a>>,
    /// A sentence for each pair and figure that rows lack. Rows without any figures are left out,
    /// because their status says why.
    missing: Vec<String>,
}

fn cost_inputs<'a>(
    pairs: &'a [PairReport],
    figures: &'a [Vec<Option<Figures>>],
    payloads: usize,
    is_busy: bool,
) -> CostInputs<'a> {
    let mut found = CostInputs { inputs: Vec::new(), missing: Vec::new() };
    for (pair, figures) in pairs.iter().zip(figures) {
        let mut without: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (index, (row, figures)) in pair.rows.iter().zip(figures).enumerate() {
            let Some(figures) = figures else { continue };
            let first = pair.rows.iter().position(|other| other.coding == row.coding);
            let is_reference = first == Some(index);
            match cost_input(pair, row, figures, payloads) {
                Ok(input) => {
                    let input = cost::CostInput { is_reference, ..input };
                    found.inputs.push(if is_busy {
                        on_busy_machine(input, figures)
                    } else {
                        input
                    });
                }
                Err(why) => without.entry(why).or_default().push(row.name()),
            }
        }
        found.missing.extend(without.into_iter().map(|(why, rows)| {
            format!("{} ← {}: no costs of {}: {why}", pair.client, pair.server, rows.join(", "))
        }));
    }
    found
}

/// Returns the figures of a row that its cost depends on, or the reason that one is missing.
fn cost_input<'a>(
    pair: &'a PairReport,
    row: &'a Row,
    figures: &'a Figures,
    payloads: usize,
) -> Result<cost::CostInput<'a>, &'static str> {
    if pair.server_runtime.is_none() {
        return Err("the CPU time of a running service is not measured");
    }
    let capacity = row.capacity.as_ref().ok_or("the capacity of the server was not measured")?;
    let body_bytes = row.body_bytes.ok_or("the size of the body is unknown")? as f64;
    Ok(cost::CostInput {
        client: &pair.client,
        server: &pair.server,
        transport: pair.transport,
        format: row.format.parse().map_err(|_| "the format is unknown")?,
        coding: &row.coding,
        body_bytes: body_bytes / payloads.max(1) as f64,
        server_cpu_ns: capacity.server_cpu_ns.ok_or("the CPU time of the server is unknown")?.value,
        client_ns: row.processing_ns.ok_or("the time of decoding is unknown")?.value,
        waits: false,
        draws: &figures.draws,
        is_reference: false,
    })
}

/// Returns the figures with the CPU time of decoding, as verdicts on a busy machine compare CPU time. If
/// it is unknown, the time includes waiting for other programs.
fn on_busy_machine<'a>(input: cost::CostInput<'a>, figures: &'a Figures) -> cost::CostInput<'a> {
    match figures.processing_cpu {
        Some(cpu) => cost::CostInput { client_ns: cpu.value, draws: &figures.cpu_draws, ..input },
        None => cost::CostInput { waits: true, ..input },
    }
}

/// One turn of launches: one launch of every pair.
struct Turn<'a> {
    number: usize,
    options: &'a Options,
    lane_input: &'a LaneInput,
    cores: &'a Cores,
}

impl Turn<'_> {
    /// Returns the seed of the random orders of this turn.
    fn seed(&self) -> u64 {
        self.options.seed.wrapping_add(self.number as u64)
    }
}

/// Launches every pair once, in random order. A pair whose process died is skipped from then on.
///
/// The servers of one lane are compared at the same rate, and side by side. Therefore such pairs are launched
/// together, and measured at this rate when the capacities of all of them are known.
fn measure(
    pair_states: &mut [PairState<'_>],
    turn: &Turn<'_>,
    contention: &mut Contention,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) {
    let mut random = fastrand::Rng::with_seed(turn.seed());
    let mut groups = groups(pair_states);
    random.shuffle(&mut groups);
    for mut group in groups {
        if interrupted.load(Ordering::Relaxed) {
            return;
        }
        group.retain(|&index| pair_states[index].status.is_ok());
        random.shuffle(&mut group);
        let (rates, results) =
            launch_group(pair_states, &group, turn, &mut random, contention, progress, interrupted);
        for (index, result) in group.into_iter().zip(results) {
            let state = &mut pair_states[index];
            match result {
                Ok(found) => {
                    let clocks = found.iter().map(|cell| cell.clocks);
                    clocks.for_each(|clocks| contention.add(clocks.wall_ns, clocks.cpu_ns));
                    state.add_launch(found, &rates);
                }
                Err(failure) if failure.error == LaunchError::Interrupted => {}
                Err(failure) => {
                    state.status = Status::Failed(failure.to_string());
                    state.broken = true;
                }
            }
        }
    }
}

/// Returns the indices of the pairs in groups: the pairs of a group have the same client, and
/// servers of the same lane.
fn groups(pair_states: &[PairState<'_>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, state) in pair_states.iter().enumerate() {
        let group =
            groups.iter_mut().find(|group| pair_states[group[0]].pair.has_same_lanes(&state.pair));
        match group {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}

/// Launches the pairs of a group. Returns the rates of their open loops, and the result of each pair.
fn launch_group(
    pair_states: &[PairState<'_>],
    group: &[usize],
    turn: &Turn<'_>,
    random: &mut fastrand::Rng,
    contention: &mut Contention,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> (Vec<f64>, Vec<Result<Vec<CellLaunch>, ProcessError>>) {
    let &Turn { number, options, lane_input, cores } = turn;
    let launch_options = |index: usize| LaunchOptions {
        effort: options.effort,
        seed: turn.seed().wrapping_mul(1 << 16).wrapping_add(index as u64),
        lane_input,
        cores,
        link: options.link.as_ref(),
        closed_loops: &pair_states[index].closed_loops,
    };
    let all_options: Vec<LaunchOptions<'_>> = group.iter().copied().map(launch_options).collect();
    let mut begun = Vec::with_capacity(group.len());
    for (&index, launch_options) in group.iter().zip(&all_options) {
        let state = &pair_states[index];
        let (client, server) = (state.pair.client_name(), state.pair.server_name());
        let of = options.launches();
        progress.say(&format!("{client} ← {server}: launch {} of {of}", number + 1));
        contention.sample();
        begun.push(launch::begin(&state.pair, &state.cells, launch_options, interrupted));
    }
    let known =
        group.iter().map(|&index| &pair_states[index].rates).find(|rates| !rates.is_empty());
    let rates = match known {
        Some(rates) => rates.clone(),
        None => launch::rates(begun.iter().flatten(), options.effort),
    };
    if let (true, Some(&rate)) = (group.len() > 1, rates.first()) {
        // Every round measures all servers, so that a change of the machine's speed affects all of
        // them alike.
        let mut order: Vec<usize> = (0..begun.len()).collect();
        for _ in 0..options.effort.rounds() {
            random.shuffle(&mut order);
            for &position in &order {
                let launch = &mut begun[position];
                let measured =
                    launch.as_mut().map_or(Ok(()), |launch| launch.measure_server_cpu(rate));
                if let Err(failure) = measured {
                    *launch = Err(failure);
                }
            }
        }
    }
    let finish = |begun: Result<BegunLaunch<'_, '_>, _>| begun?.finish(&rates);
    let results = begun.into_iter().map(finish).collect();
    (rates, results)
}

impl PairState<'_> {
    /// Adds the results of a launch, and keeps what later launches repeat: numbers of connections, and rates.
    fn add_launch(&mut self, found: Vec<CellLaunch>, rates: &[f64]) {
        for (known, found) in self.closed_loops.iter_mut().zip(&found) {
            *known = known.or(found.capacity.map(|capacity| capacity.closed_loop));
        }
        self.rates = rates.to_vec();
        self.broken |=
            self.cells.iter().zip(&found).any(|(cell, found)| {
                found.failure.is_some() && cell.obstacle(&self.pair).is_none()
            });
        self.launches.push(found);
    }
}

fn summarise(
    state: &PairState<'_>,
    circumstances: &Circumstances,
) -> (PairReport, Vec<Option<Figures>>) {
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
        let capacity = capacity(&whole, circumstances);
        rows.push(Row { capacity, ..row(cell, pair, &whole, figures.as_ref(), failure) });
        all.push(figures);
    }
    let transport = pair.transport();
    let runtime = |trial_lane: &TrialLane, with: fn(&Peers) -> &str| {
        let with = trial_lane.peers(transport).map_or("", with);
        format!("{}, {with}", trial_lane.runtime)
    };
    let report = PairReport {
        client: pair.client_name().to_owned(),
        client_runtime: runtime(pair.client, |peers| &peers.client),
        server: pair.server_name().to_owned(),
        server_runtime: match pair.server {
            Server::Lane(trial_lane) => Some(runtime(trial_lane, |peers| &peers.server)),
            Server::Service(_) => None,
        },
        transport,
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
    failure: Option<CellError>,
) -> Row {
    let library = |library: &LaneLibrary| Library {
        name: library.subject.library.clone(),
        version: library.version.clone(),
        target: library.subject.target,
    };
    let obstacle = cell.obstacle(pair).map(|obstacle| obstacle.0);
    let status = match (failure.or(obstacle), figures) {
        (Some(error), _) => Status::Failed(error.to_string()),
        (None, Some(_)) => Status::Ok,
        (None, None) => Status::Failed("not measured".to_owned()),
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
        capacity: None,
        latency: open_loops(launches),
        verdict: None,
        samples: figures.map(|figures| figures.samples.clone()).unwrap_or_default(),
    }
}

fn capacity(launches: &[&CellLaunch], circumstances: &Circumstances) -> Option<Capacity> {
    let found: Vec<ClosedLoopRate> = launches.iter().filter_map(|cell| cell.capacity).collect();
    let each = |value: fn(&ClosedLoopRate) -> Option<f64>| {
        Figure::of(&found.iter().map(value).collect::<Option<Vec<_>>>()?)
    };
    let closed_loop = found.first()?.closed_loop;
    let requests_per_s = each(|capacity| Some(capacity.requests_per_s))?;
    let server_cpu_ns = each(|capacity| capacity.server_cpu_ns);
    let client_cpu_ns = each(|capacity| capacity.client_cpu_ns);
    let mean = ClosedLoopRate {
        closed_loop,
        requests_per_s: requests_per_s.value,
        server_cpu_ns: server_cpu_ns.map(|figure| figure.value),
        client_cpu_ns: client_cpu_ns.map(|figure| figure.value),
    };
    Some(Capacity {
        connections: closed_loop.connections * closed_loop.client_processes,
        client_processes: Some(closed_loop.client_processes),
        limit: Some(mean.limit(circumstances)),
        requests_per_s,
        server_cpu_ns,
        client_cpu_ns,
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
        let (lag_p99_ns, generator_late) = verdict::is_late(&open);
        Some(OpenLoop {
            rate_per_s: open.first()?.rate,
            requests: latencies.iter().map(|latencies| latencies.len() as u64).sum(),
            lag_p99_ns,
            generator_late,
            percentiles: QUANTILES
                .iter()
                .map(|&(name, share)| (name.to_owned(), figure::quantile(&latencies, share)))
                .collect(),
        })
    };
    (0..rates).filter_map(of_rate).collect()
}

/// Adds unexplained differences, and verdicts between formats.
///
/// On a busy machine, times include waiting for other programs. Verdicts then compare CPU time, and
/// no difference between times counts as settled.
fn judge(
    report: &mut Report,
    figures: &[Vec<Option<Figures>>],
    busy: Option<&str>,
    options: &Options,
) {
    let delta = options.effort.delta();
    report.clock = if busy.is_some() { Clock::Cpu } else { Clock::Wall };
    let (mut ratios, mut missing) = (Vec::new(), 0);
    for (index, (pair, figures)) in report.pairs.iter_mut().zip(figures).enumerate() {
        let found = verdict::ratios(index, pair, figures, report.clock);
        ratios.extend(found.found);
        missing += found.missing;
        for coding in options.codings.iter().map(|coding| coding_name(*coding)) {
            let first = pair.rows.iter_mut().find(|row| row.coding == coding);
            if let Some(row) = first.filter(|row| row.status.is_ok()) {
                row.verdict = Some(RowVerdict::Reference);
            }
        }
    }
    report.verdicts = verdict::verdicts(&mut report.pairs, &ratios, delta, report.clock);
    report.verdicts.extend(report.pairs.iter().flat_map(verdict::missing_references));
    report.notes.extend(verdict::few_launches_note(&report.pairs));
    match busy {
        Some(sign) => report.notes.push(contention::busy_note(
            sign,
            "the CPU time of client and server",
            "row",
            missing,
        )),
        None => {
            let rows = |pair: &Vec<Option<Figures>>| -> Vec<Vec<f64>> {
                pair.iter().flatten().flat_map(|figures| figures.log_times.clone()).collect()
            };
            let groups: Vec<Vec<Vec<f64>>> = figures.iter().map(rows).collect();
            report.notes.extend(contention::speeds_note(&groups, delta));
        }
    }
    report.notes.extend(verdict::capacity_note(&report.pairs));
    report.notes.extend(verdict::late_note(&report.pairs));
    let found =
        || report.pairs.iter().flat_map(|pair| pair.rows.iter().map(move |row| (pair, row)));
    let all: Vec<Finding> = found().flat_map(|(pair, row)| verdict::findings(pair, row)).collect();
    let is_settled = |each: &Finding| each.settled && (busy.is_none() || !each.timed);
    let (settled, unsettled): (Vec<_>, Vec<_>) = all.into_iter().partition(is_settled);
    let words = |findings: Vec<Finding>| findings.into_iter().map(|each| each.words).collect();
    (report.findings, report.unsettled) = (words(settled), words(unsettled));
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{CostInputs, Figures, PairReport, cost, cost_inputs};
    use crate::trial::capacity::{ClosedLoop, ClosedLoopRate};
    use crate::trial::launch::CellLaunch;

    fn figure(value: f64) -> Value {
        json!({ "value": value, "low": null, "high": null })
    }

    /// Returns a pair of rows in these formats, each with its capacity.
    fn pair(server_runtime: Option<&str>, rows: &[(&str, Value)]) -> PairReport {
        let library = json!({ "name": "x", "version": "1", "target": "dynamic" });
        let row = |(format, capacity): &(&str, Value)| {
            json!({
                "format": format, "coding": "none", "client_library": library, "status": "ok",
                "body_bytes": 100, "processing_ns": figure(5e3), "capacity": capacity,
                "server_cpu_ns": {}, "client_cpu_ns": {}, "latency": [],
            })
        };
        serde_json::from_value(json!({
            "client": "go", "client_runtime": "Go", "server": "rust",
            "server_runtime": server_runtime, "launches": 5, "status": "ok",
            "rows": rows.iter().map(row).collect::<Vec<Value>>(),
        }))
        .expect("a pair")
    }

    /// Returns a capacity with this CPU time of the server.
    fn capacity(server_cpu_ns: Option<f64>) -> Value {
        json!({
            "connections": 4, "requests_per_s": figure(1e3),
            "server_cpu_ns": server_cpu_ns.map(figure),
        })
    }

    /// Returns the figures of a row without measurements.
    fn figures() -> Figures {
        Figures::of(&[&CellLaunch::default()])
    }

    #[test]
    fn rows_without_costs_are_named() {
        let rows = [
            ("json", capacity(Some(1e5))),
            ("cbor", capacity(None)),
            ("avro", Value::Null),
            ("bson", Value::Null),
            ("msgpack", capacity(None)),
        ];
        let pairs = [pair(Some("Rust"), &rows), pair(None, &rows[..2])];
        let mut all = vec![vec![Some(figures()); 5], vec![Some(figures()); 2]];
        // The status of a row without any figures says why.
        all[0][3] = None;
        let CostInputs { inputs, missing } = cost_inputs(&pairs, &all, 1, false);
        assert_eq!(inputs.iter().map(|it| it.format.name()).collect::<Vec<_>>(), ["json"]);
        assert_eq!(
            missing,
            [
                "go ← rust: no costs of cbor, msgpack: the CPU time of the server is unknown",
                "go ← rust: no costs of avro: the capacity of the server was not measured",
                "go ← rust: no costs of json, cbor: the CPU time of a running service is not measured",
            ]
        );
    }

    /// Returns the figures of five launches in which decoding takes ten times as long as its CPU time,
    /// which is unknown if the runtime has no clock for it.
    fn waited(decode_cpu_ns: f64, has_clock: bool) -> Figures {
        let launch = |noise: f64| CellLaunch {
            decode_ns: vec![decode_cpu_ns * 10.0 * noise],
            decode_cpu_ns: vec![has_clock.then_some(decode_cpu_ns * noise)],
            capacity: Some(ClosedLoopRate {
                closed_loop: ClosedLoop { connections: 4, client_processes: 1, is_flat: true },
                requests_per_s: 1e3,
                server_cpu_ns: Some(1e5 * noise),
                client_cpu_ns: None,
            }),
            ..CellLaunch::default()
        };
        let launches = [1.000, 1.004, 0.998, 1.002, 0.996].map(launch);
        Figures::of(&launches.each_ref())
    }

    #[test]
    fn costs_on_a_busy_machine_are_those_of_cpu_time() {
        let pairs = [pair(Some("Rust"), &["json", "cbor"].map(|it| (it, capacity(Some(1e5)))))];
        for (has_clock, client_ns) in [(true, 5e4), (false, 5e3)] {
            let figures = [vec![Some(waited(5e4, has_clock)), Some(waited(2e4, has_clock))]];
            let CostInputs { inputs, .. } = cost_inputs(&pairs, &figures, 1, true);
            assert!((inputs[0].client_ns / client_ns - 1.0).abs() < 1e-3, "{:?}", inputs[0]);
            let link = "4g".parse().expect("a link");
            let report = cost::cost_report(&inputs, &link, &cost::Prices::default());
            let ranges = report.rows[1].break_even_ranges.expect("five launches");
            // Times that include waiting decide nothing.
            assert_eq!(ranges.sooner_decided, has_clock, "{ranges:?}");
            assert!(has_clock || ranges.bits_per_s.is_none(), "{ranges:?}");
            // Without other programs, the time counts.
            let CostInputs { inputs, .. } = cost_inputs(&pairs, &figures, 1, false);
            assert!(inputs.iter().all(|input| input.client_ns == 5e3 && !input.waits));
        }
    }

    #[test]
    fn costs_are_compared_with_the_first_format_only() {
        let compared = |rows: &[(&str, Value)]| -> Vec<bool> {
            let pairs = [pair(Some("Rust"), rows)];
            let figures = [vec![Some(figures()); rows.len()]];
            let CostInputs { inputs, .. } = cost_inputs(&pairs, &figures, 1, false);
            let link = "4g".parse().expect("a link");
            let report = cost::cost_report(&inputs, &link, &cost::Prices::default());
            report.rows.iter().map(|row| row.break_even.is_some()).collect()
        };
        let known = |format| (format, capacity(Some(1e5)));
        assert_eq!(compared(&[known("json"), known("cbor"), known("avro")]), [false, true, true]);
        let unknown = ("json", capacity(None));
        assert_eq!(compared(&[unknown, known("cbor"), known("avro")]), [false, false]);
    }
}
