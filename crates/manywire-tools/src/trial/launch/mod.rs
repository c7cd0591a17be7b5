//! One launch: a new server process and a new client process that exchange every cell of a pair.

mod meters;
mod start;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::weigh::lanes::LaneInput;

use crate::trial::affinity::Cores;
use crate::trial::capacity::{Circumstances, ClosedLoop, ClosedLoopRate};
use crate::trial::error::{CellError, ProcessError};
use crate::trial::link::Link;
use crate::trial::options::Effort;
use crate::trial::pair::{Cell, Pair, Server};

use meters::PairLaunch;

/// The meters that need both client and server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Meter {
    Transport,
    Endpoint,
    EndToEnd,
}

/// The settings of one launch.
#[derive(Clone, Copy)]
pub(crate) struct LaunchOptions<'a> {
    pub(crate) effort: Effort,
    pub(crate) seed: u64,
    pub(crate) lane_input: &'a LaneInput,
    pub(crate) cores: &'a Cores,
    /// The link between client and server, if it is not loopback.
    pub(crate) link: Option<&'a Link>,
    /// The best closed loop of each cell, if an earlier launch found it.
    pub(crate) closed_loops: &'a [Option<ClosedLoop>],
}

/// The minimum length of a slice over a slow link, in requests.
const REQUESTS_MIN: u32 = 2;

/// The size of a request, with headers.
const REQUEST_BYTES: u64 = 200;

impl LaunchOptions<'_> {
    /// Returns the circumstances of a closed loop, as far as they are known during a launch.
    fn circumstances(&self) -> Circumstances {
        self.cores.circumstances(self.link.is_some(), false)
    }

    /// Returns the length of a slice, which is longer if requests of this cell need more time over
    /// the link.
    fn slice_duration(&self, duration: Duration, cell: &Cell<'_>) -> Duration {
        let bytes = cell.body_bytes.unwrap_or(0);
        let time = self.link.map(|link| link.time(REQUEST_BYTES, bytes));
        duration.max(time.unwrap_or_default() * REQUESTS_MIN)
    }
}

/// The results of one launch for a cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellLaunch {
    /// The slices of one request at a time, by meter and round.
    pub(crate) meters: [Vec<Sequential>; 3],
    /// The times of decoding alone in the client's process, in nanoseconds per payload, by round.
    pub(crate) decode_ns: Vec<f64>,
    /// The CPU times of the same, by round; `None` where the runtime does not measure it.
    pub(crate) decode_cpu_ns: Vec<Option<f64>>,
    /// The times of encoding alone in the server's process, in nanoseconds per payload, by round.
    pub(crate) encode_ns: Vec<f64>,
    /// The closed loop with the number of connections that carries the most requests.
    pub(crate) capacity: Option<ClosedLoopRate>,
    /// Open loops by rate.
    pub(crate) open: Vec<OpenLoop>,
    /// CPU time of the server for each request at the rate of all servers of its lane, by round, where the
    /// lane has several.
    pub(crate) server_cpu_at_rate_ns: Vec<Option<f64>>,
    /// The clocks of all batches of encoding and decoding alone.
    pub(crate) clocks: Clocks,
    /// A note for the reader.
    pub(crate) note: Option<String>,
    /// The reason that there are no further results.
    pub(crate) failure: Option<CellError>,
}

/// The wall-clock time and the CPU time of the batches whose CPU time is known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clocks {
    pub(crate) wall_ns: f64,
    pub(crate) cpu_ns: f64,
}

/// A slice of one request at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sequential {
    /// The median latency.
    pub(crate) latency_ns: f64,
    pub(crate) server_cpu_ns: Option<f64>,
    pub(crate) client_cpu_ns: Option<f64>,
}

/// A slice of requests at planned instants.
#[derive(Clone, Debug)]
pub(crate) struct OpenLoop {
    pub(crate) rate: f64,
    pub(crate) latencies_ns: Vec<u64>,
    pub(crate) lags_ns: Vec<u64>,
}

/// A launch of which only open loops are left to measure.
pub(crate) struct BegunLaunch<'c, 'i> {
    processes: PairLaunch<'c, 'i>,
    found: Vec<CellLaunch>,
}

/// Launches both processes and measures every cell, except in open loops, whose rates may depend on
/// other pairs.
pub(crate) fn begin<'c, 'i>(
    pair: &Pair<'c>,
    cells: &'c [Cell<'c>],
    options: &'c LaunchOptions<'c>,
    interrupted: &'i AtomicBool,
) -> Result<BegunLaunch<'c, 'i>, ProcessError> {
    let mut found = vec![CellLaunch::default(); cells.len()];
    let mut processes = PairLaunch::start(pair, cells, options, &mut found, interrupted)?;
    processes.warm_up(warm_up(pair).max(options.effort.slice()), &mut found)?;
    processes.rounds(&mut found)?;
    // The capacity of a running service is not tested.
    if let Server::Lane(_) = pair.server {
        processes.capacities(&mut found)?;
    }
    Ok(BegunLaunch { processes, found })
}

impl BegunLaunch<'_, '_> {
    /// Measures the CPU time of the server for a request of each cell, once, at a rate that the servers of a
    /// lane have in common.
    pub(crate) fn measure_server_cpu(&mut self, rate: f64) -> Result<(), ProcessError> {
        self.processes.server_cpu_at_rate(rate, &mut self.found)
    }

    /// Measures every cell in open loops at these rates, and ends both processes.
    pub(crate) fn finish(mut self, rates: &[f64]) -> Result<Vec<CellLaunch>, ProcessError> {
        self.processes.open_loops(rates, &mut self.found)?;
        self.processes.finish()?;
        Ok(self.found)
    }
}

/// Returns the longer warm-up of both lanes.
fn warm_up(pair: &Pair<'_>) -> Duration {
    let of =
        |trial_lane: &crate::trial::pair::TrialLane| trial_lane.built.lane().manifest().warm_up_ms;
    let server = match pair.server {
        Server::Lane(trial_lane) => of(trial_lane),
        Server::Service(_) => 0,
    };
    Duration::from_millis(of(pair.client).max(server))
}

/// Returns the rates of open loops: shares of the capacity of the slowest cell of these launches.
/// Returns no rates if no capacity was measured.
pub(crate) fn rates<'a>(
    begun: impl IntoIterator<Item = &'a BegunLaunch<'a, 'a>>,
    effort: Effort,
) -> Vec<f64> {
    let cells = begun.into_iter().flat_map(|begun| &begun.found);
    let capacities = cells.filter_map(|cell| Some(cell.capacity?.requests_per_s));
    let Some(slowest) = capacities.reduce(f64::min) else { return Vec::new() };
    effort.loads().iter().map(|load| (slowest * load).floor().max(1.0)).collect()
}
