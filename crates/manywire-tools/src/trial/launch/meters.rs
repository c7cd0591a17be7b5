//! The steps of a launch, in random order: the meters, capacity, and open loops.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{CellLaunch, Clocks, LaunchOptions, Meter, OpenLoop, Sequential};
use crate::trial::affinity;
use crate::trial::capacity::{ClosedLoop, ClosedLoopRate};
use crate::trial::error::{CellError, ProcessError, Side};
use crate::trial::link::Relay;
use crate::trial::pair::Cell;
use crate::trial::slice::{Attempt, Request, SliceResult, run_slice};
use crate::weigh::lanes::{BuiltLane, Session};
use crate::weigh::launch::Refusal;
use crate::weigh::statistics::median;
use crate::weigh::subject::Operation;

/// The two processes of a launch, with the payloads loaded.
pub(super) struct PairLaunch<'c, 'i> {
    pub(super) client: Session<'i>,
    /// The lane of the client.
    pub(super) client_lane: &'c BuiltLane,
    /// Further clients of the closed loop, started when they are needed.
    pub(super) further: Vec<FurtherClient<'i>>,
    /// The bytes of all payloads.
    pub(super) bytes: usize,
    pub(super) interrupted: &'i AtomicBool,
    pub(super) server: Option<Session<'i>>,
    pub(super) cells: &'c [Cell<'c>],
    pub(super) options: &'c LaunchOptions<'c>,
    pub(super) addresses: Vec<Address>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) random: fastrand::Rng,
    /// The relay of the link, kept because it stops when it is dropped.
    pub(super) _relay: Option<Relay>,
}

/// A further client process of the closed loop.
pub(super) struct FurtherClient<'i> {
    session: Session<'i>,
    /// The indices of the cells whose responses are loaded into the client.
    loaded: Vec<usize>,
}

/// The client processes that take part in a slice, and the connections of each.
#[derive(Clone, Copy, Debug)]
struct Clients {
    processes: usize,
    connections: usize,
}

impl Clients {
    fn one(connections: usize) -> Clients {
        Clients { processes: 1, connections }
    }
}

/// Returns whether `more` carries more requests per second than `best`, by at least [`FLAT`].
fn gains(best: &ClosedLoopRate, more: &ClosedLoopRate) -> bool {
    more.requests_per_s >= best.requests_per_s * (1.0 + FLAT)
}

/// The URLs of a cell.
#[derive(Clone, Debug)]
pub(super) struct Address {
    /// The URL of prepared bytes; a running service has none.
    pub(super) transport: Option<String>,
    pub(super) endpoint: String,
    /// True if a nonce is appended to the URL and expected in the body.
    pub(super) nonce: bool,
}

/// One step of a round.
#[derive(Clone, Copy, Debug)]
enum Step {
    Request(Meter),
    Encode,
    Decode,
}

const STEPS: [Step; 5] = [
    Step::Request(Meter::Transport),
    Step::Request(Meter::Endpoint),
    Step::Request(Meter::EndToEnd),
    Step::Encode,
    Step::Decode,
];

/// The numbers of connections to try, in order, until more connections do not carry more requests.
const LADDER: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// The relative gain in requests per second below which the search for more connections and clients
/// stops.
const FLAT: f64 = 0.05;

/// The number of connections during the warm-up.
const WARM_UP_CONNECTIONS: usize = 4;

/// The number of connections of an open loop: enough that a slow response delays few others at the
/// client.
const OPEN_CONNECTIONS: usize = 32;

/// The time limit of one response.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The time limit of one response over a link, which many connections share.
const LINE_TIMEOUT: Duration = Duration::from_secs(30);

/// The length of a batch in one process: short enough that most batches run undisturbed on a busy
/// machine, like most requests.
const BATCH_NS: f64 = 500_000.0;

/// The number of batches in a round; their median counts.
const BATCHES: usize = 9;

impl PairLaunch<'_, '_> {
    /// Warms up compilers and caches: runs every cell end to end without counting.
    pub(super) fn warm_up(
        &mut self,
        duration: Duration,
        found: &mut [CellLaunch],
    ) -> Result<(), ProcessError> {
        // A running service gets one request at a time.
        let connections = if self.server.is_some() { WARM_UP_CONNECTIONS } else { 1 };
        for (index, found) in found.iter_mut().enumerate() {
            if found.failure.is_none() {
                let slice =
                    self.ask(index, Meter::EndToEnd, Clients::one(connections), None, duration)?;
                found.failure = slice.err();
            }
        }
        Ok(())
    }

    /// Runs each step of each cell once per round, in random order.
    pub(super) fn rounds(&mut self, found: &mut [CellLaunch]) -> Result<(), ProcessError> {
        let mut order: Vec<(usize, Step)> = (0..self.cells.len())
            .flat_map(|cell| STEPS.iter().map(move |&step| (cell, step)))
            .filter(|&(cell, step)| self.applies(cell, step))
            .collect();
        for _ in 0..self.options.effort.rounds() {
            self.random.shuffle(&mut order);
            for &(index, step) in &order {
                if found[index].failure.is_none() {
                    self.run_step(index, step, &mut found[index])?;
                }
            }
        }
        Ok(())
    }

    fn applies(&self, cell: usize, step: Step) -> bool {
        match step {
            Step::Request(Meter::Transport) => self.addresses[cell].transport.is_some(),
            Step::Encode => self.server.is_some() && self.cells[cell].server.is_some(),
            Step::Request(_) | Step::Decode => true,
        }
    }

    fn run_step(
        &mut self,
        index: usize,
        step: Step,
        found: &mut CellLaunch,
    ) -> Result<(), ProcessError> {
        let result = match step {
            Step::Request(meter) => {
                let duration =
                    self.options.slice_duration(self.options.effort.slice(), &self.cells[index]);
                self.ask(index, meter, Clients::one(1), None, duration)?
                    .map(|slice| found.meters[meter as usize].push(sequential(&slice)))
            }
            Step::Encode => {
                let ran = self.run(index, true, &mut found.clocks)?;
                ran.map(|ran| found.encode_ns.push(ran.wall_ns))
            }
            Step::Decode => {
                let ran = self.run(index, false, &mut found.clocks)?;
                ran.map(|ran| {
                    found.decode_ns.push(ran.wall_ns);
                    found.decode_cpu_ns.push(ran.cpu_ns);
                })
            }
        };
        found.failure = result.err();
        Ok(())
    }

    /// Measures the closed loop of each cell over its best number of connections and clients.
    pub(super) fn capacities(&mut self, found: &mut [CellLaunch]) -> Result<(), ProcessError> {
        for (index, found) in found.iter_mut().enumerate() {
            if found.failure.is_some() {
                continue;
            }
            let known = self.options.closed_loops.get(index).copied().flatten();
            let closed_loop = match known {
                Some(closed_loop) => Ok(closed_loop),
                None => self.find_closed_loop(index)?,
            };
            let carried = match closed_loop {
                Ok(closed_loop) => self.measure_capacity(index, closed_loop)?,
                Err(why) => Err(why),
            };
            match carried {
                Ok(capacity) => found.capacity = Some(capacity),
                Err(why) => found.failure = Some(why),
            }
        }
        Ok(())
    }

    /// Raises the number of connections, then that of client processes, until the requests per
    /// second do not increase further.
    fn find_closed_loop(&mut self, index: usize) -> Attempt<ClosedLoop> {
        let mut best: Option<ClosedLoopRate> = None;
        for connections in LADDER {
            let closed_loop = ClosedLoop { connections, client_processes: 1, is_flat: false };
            let capacity = match self.measure_capacity(index, closed_loop)? {
                Ok(capacity) => capacity,
                Err(why) => return Ok(Err(why)),
            };
            match best {
                Some(best) if !gains(&best, &capacity) => break,
                _ => best = Some(capacity),
            }
        }
        let Some(mut best) = best else { return Ok(Err(CellError::NoResult)) };
        let circumstances = self.options.circumstances();
        while best.has_room(&circumstances) {
            let client_processes = best.closed_loop.client_processes * 2;
            let closed_loop = ClosedLoop { client_processes, ..best.closed_loop };
            let capacity = match self.measure_capacity(index, closed_loop)? {
                Ok(capacity) => capacity,
                Err(why) => return Ok(Err(why)),
            };
            if !gains(&best, &capacity) {
                best.closed_loop.is_flat = true;
                break;
            }
            best = capacity;
        }
        Ok(Ok(best.closed_loop))
    }

    fn measure_capacity(
        &mut self,
        index: usize,
        closed_loop: ClosedLoop,
    ) -> Attempt<ClosedLoopRate> {
        let duration = self.options.slice_duration(self.options.effort.step(), &self.cells[index]);
        let clients = Clients {
            processes: closed_loop.client_processes,
            connections: closed_loop.connections,
        };
        let slice = self.ask(index, Meter::EndToEnd, clients, None, duration)?;
        Ok(slice.map(|slice| {
            let requests = slice.fetched.requests as f64;
            ClosedLoopRate {
                closed_loop,
                requests_per_s: requests / slice.fetched.wall_ns * 1e9,
                server_cpu_ns: slice.server_cpu_ns,
                client_cpu_ns: slice.fetched.cpu_ns.map(|spent| spent / requests),
            }
        }))
    }

    /// Starts further clients until there are this many, and loads the responses of a cell into
    /// them.
    fn prepare_clients(&mut self, count: usize, index: usize) -> Attempt<()> {
        while self.further.len() < count {
            let mut session = affinity::run_on(&self.options.cores.client, || {
                Session::start(self.client_lane, self.bytes, self.interrupted)
                    .map_err(ProcessError::client)
            })?;
            drop(session.schema(self.options.lane_input).map_err(ProcessError::client)?);
            self.further.push(FurtherClient { session, loaded: Vec::new() });
        }
        let cell = &self.cells[index];
        let bytes = match &cell.bytes {
            Ok(bytes) => *bytes,
            Err(error) => return Ok(Err(error.clone())),
        };
        for client in &mut self.further[..count] {
            if !client.loaded.contains(&index) {
                let subject = &cell.client.subject;
                if let Err(why) =
                    client.session.load(subject, bytes).map_err(ProcessError::client)?
                {
                    return Ok(Err(CellError::client(&why)));
                }
                client.loaded.push(index);
            }
        }
        Ok(Ok(()))
    }

    /// Runs open loops: requests at planned instants, at the same rates for every cell.
    pub(super) fn open_loops(
        &mut self,
        rates: &[f64],
        found: &mut [CellLaunch],
    ) -> Result<(), ProcessError> {
        let length = self.options.effort.open();
        for &rate in rates {
            self.at_rate(rate, Meter::EndToEnd, length, found, |found, slice| {
                found.open.push(OpenLoop {
                    rate,
                    latencies_ns: slice.fetched.latencies_ns,
                    lags_ns: slice.fetched.lags_ns,
                });
            })?;
        }
        Ok(())
    }

    /// Measures the CPU time of the server for a request of each cell, at a rate. The client drops the
    /// responses, because only the server counts.
    pub(super) fn server_cpu_at_rate(
        &mut self,
        rate: f64,
        found: &mut [CellLaunch],
    ) -> Result<(), ProcessError> {
        let length = self.options.effort.step();
        self.at_rate(rate, Meter::Endpoint, length, found, |found, slice| {
            found.server_cpu_at_rate_ns.push(slice.server_cpu_ns);
        })
    }

    /// Requests each cell at a rate, in random order, and hands its result to `keep`.
    fn at_rate(
        &mut self,
        rate: f64,
        meter: Meter,
        length: Duration,
        found: &mut [CellLaunch],
        keep: impl Fn(&mut CellLaunch, SliceResult),
    ) -> Result<(), ProcessError> {
        let mut order: Vec<usize> = (0..self.cells.len()).collect();
        self.random.shuffle(&mut order);
        for index in order {
            let found = &mut found[index];
            if found.failure.is_some() {
                continue;
            }
            let duration = self.options.slice_duration(length, &self.cells[index]);
            let clients = Clients::one(OPEN_CONNECTIONS);
            match self.ask(index, meter, clients, Some(rate), duration)? {
                Ok(slice) => keep(found, slice),
                Err(why) => found.failure = Some(why),
            }
        }
        Ok(())
    }

    /// Ends the client processes and the server process.
    pub(super) fn finish(self) -> Result<(), ProcessError> {
        self.client.finish().map_err(ProcessError::client)?;
        for client in self.further {
            client.session.finish().map_err(ProcessError::client)?;
        }
        self.server.map_or(Ok(()), |server| server.finish().map_err(ProcessError::server))
    }

    fn ask(
        &mut self,
        index: usize,
        meter: Meter,
        clients: Clients,
        rate: Option<f64>,
        duration: Duration,
    ) -> Attempt<SliceResult> {
        let count = clients.processes.saturating_sub(1);
        if let Err(why) = self.prepare_clients(count, index)? {
            return Ok(Err(why));
        }
        let (cell, address) = (&self.cells[index], &self.addresses[index]);
        let url = match meter {
            Meter::Transport => address.transport.as_deref(),
            Meter::Endpoint | Meter::EndToEnd => Some(address.endpoint.as_str()),
        };
        let request = Request {
            subject: &cell.client.subject,
            url: url.unwrap_or_default(),
            media_type: cell.format.row().media_type,
            coding: cell.coding.map(|level| level.coding().name()),
            headers: &self.headers,
            nonce: address.nonce.then(|| self.random.u32(..)),
            decode: meter == Meter::EndToEnd,
            connections: clients.connections,
            rate,
            duration,
            timeout: if self.options.link.is_some() { LINE_TIMEOUT } else { TIMEOUT },
        };
        let further = self.further[..count].iter_mut().map(|client| &mut client.session);
        let mut sessions: Vec<&mut Session<'_>> =
            std::iter::once(&mut self.client).chain(further).collect();
        run_slice(&mut sessions, self.server.as_mut(), &request)
    }

    /// Returns the time of one operation in a process: the server's encoding, or the client's
    /// decoding. Adds the time of the batches to `clocks`.
    fn run(&mut self, index: usize, encode: bool, clocks: &mut Clocks) -> Attempt<OperationTime> {
        let cell = &self.cells[index];
        let payloads = cell.bytes.as_ref().map_or(0, |bytes| bytes.len());
        let window: Vec<usize> = (0..payloads).collect();
        let (session, subject, operation, side) = match &mut self.server {
            Some(server) if encode => {
                let Some(library) = cell.server else { return Ok(Err(CellError::NoResult)) };
                let operation = cell.coding.map_or(Operation::Encode, Operation::Compress);
                (server, &library.subject, operation, Side::Server)
            }
            _ => {
                let operation = cell.coding.map_or(Operation::Decode, Operation::Decompress);
                (&mut self.client, &cell.client.subject, operation, Side::Client)
            }
        };
        let mut repeats: u64 = 1;
        let mut costs_ns = Vec::with_capacity(BATCHES);
        let mut cpu_costs_ns = Vec::with_capacity(BATCHES);
        while costs_ns.len() < BATCHES {
            let ran = session
                .run(subject, operation, &window, repeats)
                .map_err(|error| ProcessError { side, error })?;
            let ran = match ran {
                Ok(ran) => ran,
                Err(Refusal(reason)) => return Ok(Err(CellError::Lane { side, reason })),
            };
            let cost_ns = ran.wall_ns / repeats as f64;
            if ran.wall_ns >= BATCH_NS / 4.0 || repeats >= REPEATS_MAX {
                let payloads = payloads.max(1) as f64;
                if let Some(cpu_ns) = ran.cpu_ns {
                    clocks.wall_ns += ran.wall_ns;
                    clocks.cpu_ns += cpu_ns;
                }
                costs_ns.push(cost_ns / payloads);
                cpu_costs_ns.push(ran.cpu_ns.map(|cpu_ns| cpu_ns / repeats as f64 / payloads));
                continue;
            }
            // The first batches determine how many operations fill a batch.
            let wanted = (BATCH_NS / cost_ns.max(1.0)).ceil() as u64;
            repeats = wanted.clamp(repeats * 2, REPEATS_MAX);
        }
        let wall_ns = median(&costs_ns).ok_or(CellError::NoResult);
        let cpu_costs_ns: Option<Vec<f64>> = cpu_costs_ns.into_iter().collect();
        let cpu_ns = cpu_costs_ns.and_then(|costs_ns| median(&costs_ns));
        Ok(wall_ns.map(|wall_ns| OperationTime { wall_ns, cpu_ns }))
    }
}

/// The time of one operation in a process, in nanoseconds per payload.
struct OperationTime {
    wall_ns: f64,
    /// `None` if the runtime does not measure CPU time.
    cpu_ns: Option<f64>,
}

/// The maximum number of repeats; no operation is so short that a batch needs more.
const REPEATS_MAX: u64 = 1 << 24;

fn sequential(slice: &SliceResult) -> Sequential {
    let latencies: Vec<f64> = slice.fetched.latencies_ns.iter().map(|&ns| ns as f64).collect();
    Sequential {
        latency_ns: median(&latencies).unwrap_or(f64::NAN),
        server_cpu_ns: slice.server_cpu_ns,
        client_cpu_ns: slice.fetched.cpu_ns.map(|spent| spent / latencies.len() as f64),
    }
}
