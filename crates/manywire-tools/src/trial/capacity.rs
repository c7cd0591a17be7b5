//! The closed loop with the most requests per second, and what limits it.
//!
//! The requests per second of a closed loop are the capacity of the server only if the server is the
//! limit. One client process is often slower than the server, so further client processes join until
//! they carry no more or the client's cores have no time left. Then the CPU time of both sides says
//! which of them is the limit.

use serde::{Deserialize, Serialize};

/// The numbers of connections and of client processes of a closed loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClosedLoop {
    /// The connections of each client process.
    pub(crate) connections: usize,
    pub(crate) client_processes: usize,
    /// True if more client processes were tried and did not carry more requests.
    pub(crate) is_flat: bool,
}

/// The requests of a closed loop, measured once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClosedLoopRate {
    pub(crate) closed_loop: ClosedLoop,
    pub(crate) requests_per_s: f64,
    pub(crate) server_cpu_ns: Option<f64>,
    pub(crate) client_cpu_ns: Option<f64>,
}

/// The share of the time of its cores at which a side counts as saturated. A saturated side limits
/// the loop. The rest of the time is taken by the scheduler, and by the end of a slice, when only
/// the last request is under way.
const SATURATED: f64 = 0.9;

/// The maximum number of client processes.
pub(crate) const CLIENT_PROCESSES_MAX: usize = 4;

/// The resource that limits a closed loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CapacityLimit {
    /// The server: the requests per second are its capacity.
    Server,
    /// The client, whose cores have no time left.
    Client,
    /// The link between both.
    Link,
    /// Unknown: other programs use the cores, both sides share cores, the client's CPU time is not
    /// measured, or no side is saturated and the search did not show that more clients carry no
    /// more.
    Unknown,
}

impl CapacityLimit {
    /// Returns the name of the resource.
    pub fn name(self) -> &'static str {
        match self {
            CapacityLimit::Server => "server",
            CapacityLimit::Client => "client",
            CapacityLimit::Link => "link",
            CapacityLimit::Unknown => "unknown",
        }
    }
}

/// The circumstances of a closed loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circumstances {
    /// The number of hardware threads of the server; 0 if the server may use those of the client.
    pub(crate) server_cores: usize,
    pub(crate) client_cores: usize,
    pub(crate) has_link: bool,
    /// True if other programs use the cores, too.
    pub(crate) is_busy: bool,
}

impl ClosedLoopRate {
    /// Returns the CPU time of a side as a share of the time of its cores; `None` if it is unknown.
    fn share(&self, cpu_ns: Option<f64>, cores: usize) -> Option<f64> {
        (cores > 0).then_some(cpu_ns? * self.requests_per_s / 1e9 / cores as f64)
    }

    /// Returns whether further client processes may carry more requests.
    pub(crate) fn has_room(&self, circumstances: &Circumstances) -> bool {
        let has_time =
            |cpu_ns, cores| self.share(cpu_ns, cores).is_none_or(|share| share < SATURATED);
        self.closed_loop.client_processes < CLIENT_PROCESSES_MAX
            && circumstances.server_cores > 0
            && !circumstances.has_link
            && has_time(self.server_cpu_ns, circumstances.server_cores)
            && has_time(self.client_cpu_ns, circumstances.client_cores)
    }

    /// Returns what limits this closed loop.
    pub(crate) fn limit(&self, circumstances: &Circumstances) -> CapacityLimit {
        let is_saturated =
            |cpu_ns, cores| self.share(cpu_ns, cores).is_some_and(|share| share >= SATURATED);
        if is_saturated(self.server_cpu_ns, circumstances.server_cores) {
            CapacityLimit::Server
        } else if is_saturated(self.client_cpu_ns, circumstances.client_cores) {
            CapacityLimit::Client
        } else if circumstances.has_link {
            CapacityLimit::Link
        } else if circumstances.is_busy || circumstances.server_cores == 0 {
            CapacityLimit::Unknown
        } else if self.closed_loop.is_flat && self.client_cpu_ns.is_some() {
            // The client's cores have time left, and more clients carry no more: the server uses
            // fewer threads than it has cores.
            CapacityLimit::Server
        } else if self.closed_loop.client_processes == CLIENT_PROCESSES_MAX {
            CapacityLimit::Client
        } else {
            CapacityLimit::Unknown
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CapacityLimit, Circumstances, ClosedLoop, ClosedLoopRate};

    const TWO_CORES: Circumstances =
        Circumstances { server_cores: 1, client_cores: 1, has_link: false, is_busy: false };

    /// Returns a closed loop of 1,000 requests per second, with these shares of a core.
    fn rate(client_processes: usize, is_flat: bool, server: f64, client: f64) -> ClosedLoopRate {
        ClosedLoopRate {
            closed_loop: ClosedLoop { connections: 4, client_processes, is_flat },
            requests_per_s: 1_000.0,
            server_cpu_ns: Some(server * 1e6),
            client_cpu_ns: Some(client * 1e6),
        }
    }

    #[test]
    fn only_the_server_makes_a_capacity() {
        let quiet = TWO_CORES;
        let busy = Circumstances { is_busy: true, ..quiet };
        let link = Circumstances { has_link: true, ..quiet };
        let wide = Circumstances { server_cores: 4, client_cores: 4, ..quiet };
        let shared = Circumstances { server_cores: 0, client_cores: 0, ..quiet };
        for (rate, circumstances, expected) in [
            (rate(1, false, 0.97, 0.5), quiet, CapacityLimit::Server),
            (rate(1, false, 0.97, 0.5), busy, CapacityLimit::Server),
            (rate(1, false, 0.3, 0.98), quiet, CapacityLimit::Client),
            // The server has one thread for four cores, and the clients have time left.
            (rate(2, true, 1.0, 1.2), wide, CapacityLimit::Server),
            (rate(4, false, 1.0, 3.0), wide, CapacityLimit::Client),
            (rate(4, true, 1.0, 3.9), wide, CapacityLimit::Client),
            (rate(2, true, 0.5, 0.4), busy, CapacityLimit::Unknown),
            (rate(1, false, 0.2, 0.2), link, CapacityLimit::Link),
            (rate(1, false, 0.5, 0.5), shared, CapacityLimit::Unknown),
        ] {
            assert_eq!(rate.limit(&circumstances), expected, "{rate:?} {circumstances:?}");
        }
        let unknown = ClosedLoopRate { client_cpu_ns: None, ..rate(2, true, 0.5, 0.0) };
        assert_eq!(unknown.limit(&quiet), CapacityLimit::Unknown);
    }

    #[test]
    fn clients_join_while_both_sides_have_time() {
        assert!(rate(1, false, 0.5, 0.5).has_room(&TWO_CORES));
        assert!(!rate(1, false, 0.95, 0.5).has_room(&TWO_CORES));
        assert!(!rate(1, false, 0.5, 0.95).has_room(&TWO_CORES));
        assert!(!rate(4, false, 0.5, 0.5).has_room(&TWO_CORES));
        let unknown = ClosedLoopRate { client_cpu_ns: None, ..rate(1, false, 0.5, 0.0) };
        assert!(unknown.has_room(&TWO_CORES));
    }
}
