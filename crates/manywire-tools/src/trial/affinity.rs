//! Puts server and client on separate cores. Two processes on the same cores would slow each other
//! down.

use crate::trial::capacity::Circumstances;

/// The cores of a server and of a client, as numbers of hardware threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cores {
    /// The server's threads; the system chooses if empty.
    pub(crate) server: Vec<usize>,
    /// The client's threads.
    pub(crate) client: Vec<usize>,
    /// True if both share the only core.
    pub(crate) one_core: bool,
}

/// A hardware thread, and the text that identifies its core.
type Thread = (usize, String);

impl Cores {
    /// Divides the cores that this process may use into two halves.
    pub(crate) fn divide() -> Cores {
        Cores::of(available_threads())
    }

    /// Gives each side whole cores if there are at least two, because threads of one core wait for
    /// each other.
    fn of(threads: Vec<Thread>) -> Cores {
        let mut cores: Vec<(String, Vec<usize>)> = Vec::new();
        for (number, core) in threads {
            match cores.iter_mut().find(|(known, _)| *known == core) {
                Some((_, threads)) => threads.push(number),
                None => cores.push((core, vec![number])),
            }
        }
        let cores: Vec<Vec<usize>> = cores.into_iter().map(|(_, threads)| threads).collect();
        let (server, client, one_core) = match &cores[..] {
            [threads] => {
                let (server, client) = threads.split_at(threads.len() / 2);
                (server.to_vec(), client.to_vec(), true)
            }
            cores => {
                let (server, client) = cores.split_at(cores.len() / 2);
                (server.concat(), client.concat(), false)
            }
        };
        if server.is_empty() { Cores::default() } else { Cores { server, client, one_core } }
    }

    /// Returns the circumstances of a closed loop on these cores.
    pub(crate) fn circumstances(&self, has_link: bool, is_busy: bool) -> Circumstances {
        let (server_cores, client_cores) = (self.server.len(), self.client.len());
        Circumstances { server_cores, client_cores, has_link, is_busy }
    }
}

/// Returns the hardware threads that this process may use.
#[cfg(target_os = "linux")]
fn available_threads() -> Vec<Thread> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let Ok(set) = sched_getaffinity(None) else { return Vec::new() };
    let core = |number: usize| {
        let path = format!("/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list");
        // The list of threads identifies the core. Without the list, each thread counts as a core.
        std::fs::read_to_string(path).unwrap_or_else(|_| number.to_string())
    };
    let numbers = (0..CpuSet::MAX_CPU).filter(|&number| set.is_set(number));
    numbers.map(|number| (number, core(number))).collect()
}

#[cfg(not(target_os = "linux"))]
fn available_threads() -> Vec<Thread> {
    Vec::new()
}

/// Calls `start`, which starts a process, on these cores. A process inherits the cores of the
/// thread that starts it.
#[cfg(target_os = "linux")]
pub(crate) fn run_on<T>(cores: &[usize], start: impl FnOnce() -> T) -> T {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let Ok(before) = sched_getaffinity(None) else { return start() };
    let mut set = CpuSet::new();
    cores.iter().for_each(|&core| set.set(core));
    // If the system refuses, the process may use every core.
    let moved = !cores.is_empty() && sched_setaffinity(None, &set).is_ok();
    let started = start();
    if moved {
        let _ = sched_setaffinity(None, &before);
    }
    started
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn run_on<T>(_: &[usize], start: impl FnOnce() -> T) -> T {
    start()
}

#[cfg(test)]
mod tests {
    use super::Cores;

    fn divided(threads: &[(usize, &str)]) -> (Vec<usize>, Vec<usize>, bool) {
        let threads = threads.iter().map(|&(number, core)| (number, core.to_owned())).collect();
        let Cores { server, client, one_core } = Cores::of(threads);
        (server, client, one_core)
    }

    #[test]
    fn server_and_client_share_no_core_if_there_are_two() {
        assert_eq!(divided(&[]), (vec![], vec![], false));
        assert_eq!(divided(&[(3, "3")]), (vec![], vec![], false));
        assert_eq!(divided(&[(0, "0"), (1, "1")]), (vec![0], vec![1], false));
        assert_eq!(divided(&[(0, "0-1"), (1, "0-1")]), (vec![0], vec![1], true));
        // Two numberings of threads: the usual one, and that of some cloud machines.
        let apart = [(0, "0,2"), (1, "1,3"), (2, "0,2"), (3, "1,3")];
        assert_eq!(divided(&apart), (vec![0, 2], vec![1, 3], false));
        let beside = [(0, "0-1"), (1, "0-1"), (2, "2-3"), (3, "2-3")];
        assert_eq!(divided(&beside), (vec![0, 1], vec![2, 3], false));
        // The process may use only one thread of one core.
        assert_eq!(divided(&[(1, "0-1"), (2, "2-3"), (3, "2-3")]), (vec![1], vec![2, 3], false));
    }
}
