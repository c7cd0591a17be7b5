//! The steps of a launch, in random order: the meters, capacity, and open loops.

use std::time::Duration;

use super::{Capacity, CellLaunch, LaunchOptions, Meter, OpenLoop, Sequential};
use crate::trial::link::Relay;
use crate::trial::pair::Cell;
use crate::trial::slice::{
    Attempt, ProcessFailure, Request, SliceResult, client_failure, run_slice, server_failure,
};
use crate::weigh::lanes::Session;
use crate::weigh::statistics::median;
use crate::weigh::subject::Operation;

/// The two processes of a launch, with the payloads loaded.
pub(super) struct PairLaunch<'c, 'i> {
    pub(super) client: Session<'i>,
    pub(super) server: Option<Session<'i>>,
    pub(super) cells: &'c [Cell<'c>],
    pub(super) options: &'c LaunchOptions<'c>,
    pub(super) addresses: Vec<Address>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) random: fastrand::Rng,
    /// The relay, which stops when this is dropped.
    pub(super) _relay: Option<Relay>,
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

/// The numbers of connections that are tried, until more carry no more.
const LADDER: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// The gain below which the ladder stops.
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
    ) -> Result<(), ProcessFailure> {
        // A running service gets one request at a time.
        let connections = if self.server.is_some() { WARM_UP_CONNECTIONS } else { 1 };
        for (index, found) in found.iter_mut().enumerate() {
            if found.failure.is_none() {
                let slice = self.ask(index, Meter::EndToEnd, connections, None, duration)?;
                found.failure = slice.err();
            }
        }
        Ok(())
    }

    /// Runs each step of each cell once per round, in random order.
    pub(super) fn rounds(&mut self, found: &mut [CellLaunch]) -> Result<(), ProcessFailure> {
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
    ) -> Result<(), ProcessFailure> {
        let result = match step {
            Step::Request(meter) => {
                let duration =
                    self.options.slice_duration(self.options.effort.slice(), &self.cells[index]);
                self.ask(index, meter, 1, None, duration)?
                    .map(|slice| found.meters[meter as usize].push(sequential(&slice)))
            }
            Step::Encode => self.run(index, true)?.map(|ns| found.encode_ns.push(ns)),
            Step::Decode => self.run(index, false)?.map(|ns| found.decode_ns.push(ns)),
        };
        found.failure = result.err();
        Ok(())
    }

    /// Measures the capacity of each cell over its best number of connections.
    pub(super) fn capacities(&mut self, found: &mut [CellLaunch]) -> Result<(), ProcessFailure> {
        for (index, found) in found.iter_mut().enumerate() {
            let known = self.options.connections.get(index).copied().flatten();
            let connections = match known {
                Some(connections) => Ok(connections),
                None if found.failure.is_some() => continue,
                None => self.find_connections(index)?,
            };
            let carried = match connections {
                Ok(connections) if found.failure.is_none() => {
                    self.measure_capacity(index, connections)?
                }
                Ok(_) => continue,
                Err(why) => Err(why),
            };
            match carried {
                Ok(capacity) => found.capacity = Some(capacity),
                Err(why) => found.failure = Some(why),
            }
        }
        Ok(())
    }

    /// Raises the number of connections until they carry no more, and returns the best number.
    fn find_connections(&mut self, index: usize) -> Attempt<usize> {
        let mut best: Option<Capacity> = None;
        for connections in LADDER {
            let capacity = match self.measure_capacity(index, connections)? {
                Ok(capacity) => capacity,
                Err(why) => return Ok(Err(why)),
            };
            match best {
                Some(best) if capacity.requests_per_s < best.requests_per_s * (1.0 + FLAT) => {
                    break;
                }
                _ => best = Some(capacity),
            }
        }
        Ok(best.map(|best| best.connections).ok_or_else(|| "no connections to try".to_owned()))
    }

    fn measure_capacity(&mut self, index: usize, connections: usize) -> Attempt<Capacity> {
        let duration = self.options.slice_duration(self.options.effort.step(), &self.cells[index]);
        let slice = self.ask(index, Meter::EndToEnd, connections, None, duration)?;
        Ok(slice.map(|slice| {
            let requests = slice.fetched.requests as f64;
            Capacity {
                connections,
                requests_per_s: requests / slice.fetched.wall_ns * 1e9,
                server_cpu_ns: slice.server_cpu_ns,
                client_cpu_ns: slice.fetched.cpu_ns.map(|spent| spent / requests),
            }
        }))
    }

    /// Runs open loops: requests at planned instants, at the same rates for every cell, in random
    /// order.
    pub(super) fn open_loops(
        &mut self,
        rates: &[f64],
        found: &mut [CellLaunch],
    ) -> Result<(), ProcessFailure> {
        for &rate in rates {
            let mut order: Vec<usize> = (0..self.cells.len()).collect();
            self.random.shuffle(&mut order);
            for index in order {
                let found = &mut found[index];
                if found.failure.is_some() {
                    continue;
                }
                let duration =
                    self.options.slice_duration(self.options.effort.open(), &self.cells[index]);
                let slice =
                    self.ask(index, Meter::EndToEnd, OPEN_CONNECTIONS, Some(rate), duration)?;
                match slice {
                    Ok(SliceResult { fetched, .. }) => found.open.push(OpenLoop {
                        rate,
                        latencies_ns: fetched.latencies_ns,
                        lags_ns: fetched.lags_ns,
                    }),
                    Err(why) => found.failure = Some(why),
                }
            }
        }
        Ok(())
    }

    /// Ends both processes.
    pub(super) fn finish(self) -> Result<(), ProcessFailure> {
        self.client.finish().map_err(client_failure)?;
        self.server.map_or(Ok(()), |server| server.finish().map_err(server_failure))
    }

    fn ask(
        &mut self,
        index: usize,
        meter: Meter,
        connections: usize,
        rate: Option<f64>,
        duration: Duration,
    ) -> Attempt<SliceResult> {
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
            connections,
            rate,
            duration,
            timeout: if self.options.link.is_some() { LINE_TIMEOUT } else { TIMEOUT },
        };
        run_slice(&mut self.client, self.server.as_mut(), &request)
    }

    /// Returns the nanoseconds of one operation in a process: the server's encoding, or the
    /// client's decoding.
    fn run(&mut self, index: usize, encode: bool) -> Attempt<f64> {
        let cell = &self.cells[index];
        let payloads = cell.bytes.map_or(0, <[Vec<u8>]>::len);
        let window: Vec<usize> = (0..payloads).collect();
        let (session, subject, operation, side): (_, _, _, fn(_) -> _) = match &mut self.server {
            Some(server) if encode => {
                let Some(library) = cell.server else { return Ok(Err("no server".to_owned())) };
                let operation = cell.coding.map_or(Operation::Encode, Operation::Compress);
                (server, &library.subject, operation, server_failure)
            }
            _ => {
                let operation = cell.coding.map_or(Operation::Decode, Operation::Decompress);
                (&mut self.client, &cell.client.subject, operation, client_failure)
            }
        };
        let mut repeats: u64 = 1;
        let mut costs_ns = Vec::with_capacity(BATCHES);
        while costs_ns.len() < BATCHES {
            let ran = match session.run(subject, operation, &window, repeats).map_err(side)? {
                Ok(ran) => ran,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let cost_ns = ran.wall_ns / repeats as f64;
            if ran.wall_ns >= BATCH_NS / 4.0 || repeats >= REPEATS_MAX {
                costs_ns.push(cost_ns / payloads.max(1) as f64);
                continue;
            }
            // The first batches determine how many operations fill a batch.
            let wanted = (BATCH_NS / cost_ns.max(1.0)).ceil() as u64;
            repeats = wanted.clamp(repeats * 2, REPEATS_MAX);
        }
        Ok(median(&costs_ns).ok_or_else(|| "no batches".to_owned()))
    }
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
