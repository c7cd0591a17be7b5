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
    /// The link between both, if it is not loopback.
    pub(crate) link: Option<&'a Link>,
    /// The best closed loop of each cell, if an earlier launch found it.
    pub(crate) closed_loops: &'a [Option<ClosedLoop>],
    /// The rates of open loops, the same for every cell, if an earlier launch found them.
    pub(crate) rates: &'a [f64],
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
    /// The times of encoding alone in the server's process, likewise.
    pub(crate) encode_ns: Vec<f64>,
    /// The closed loop with the number of connections that carries the most requests.
    pub(crate) capacity: Option<ClosedLoopRate>,
    /// Open loops by rate.
    pub(crate) open: Vec<OpenLoop>,
    /// The clocks of all batches of encoding and decoding alone.
    pub(crate) clocks: Clocks,
    /// A note for the reader.
    pub(crate) note: Option<String>,
    /// The reason that there are no further results.
    pub(crate) failure: Option<CellError>,
}

/// The time of batches by the clock and in CPU time, of those whose CPU time is known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clocks {
    pub(crate) wall_ns: f64,
    pub(crate) cpu_ns: f64,
}

/// A slice of one request at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sequential {
    /// The median.
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

/// Launches both processes, measures every cell, and ends them.
pub(crate) fn launch(
    pair: &Pair<'_>,
    cells: &[Cell<'_>],
    options: &LaunchOptions<'_>,
    interrupted: &AtomicBool,
) -> Result<Vec<CellLaunch>, ProcessError> {
    let mut found = vec![CellLaunch::default(); cells.len()];
    let mut pair_launch = PairLaunch::start(pair, cells, options, &mut found, interrupted)?;
    pair_launch.warm_up(warm_up(pair).max(options.effort.slice()), &mut found)?;
    pair_launch.rounds(&mut found)?;
    if let Server::Service(_) = pair.server {
        // The capacity of a running service is not tested.
        pair_launch.finish()?;
        return Ok(found);
    }
    pair_launch.capacities(&mut found)?;
    let rates = match options.rates {
        [] => rates(&found, options.effort),
        known => known.to_vec(),
    };
    pair_launch.open_loops(&rates, &mut found)?;
    pair_launch.finish()?;
    Ok(found)
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

/// Returns the rates of open loops: shares of the capacity of the slowest cell.
pub(crate) fn rates(found: &[CellLaunch], effort: Effort) -> Vec<f64> {
    let capacities = found.iter().filter_map(|cell| Some(cell.capacity?.requests_per_s));
    let Some(slowest) = capacities.reduce(f64::min) else { return Vec::new() };
    effort.loads().iter().map(|load| (slowest * load).floor().max(1.0)).collect()
}
