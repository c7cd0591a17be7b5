//! Server and client on cores of their own: two processes that share cores measure each other.

/// The cores of a server and of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cores {
    /// The server's; none in particular if empty.
    pub(crate) server: Vec<usize>,
    /// The client's.
    pub(crate) client: Vec<usize>,
}

impl Cores {
    /// The first half of the cores that this process may use, and the other half.
    pub(crate) fn divide() -> Cores {
        let all = own();
        let (server, client) = all.split_at(all.len() / 2);
        match server {
            [] => Cores::default(),
            server => Cores { server: server.to_vec(), client: client.to_vec() },
        }
    }
}

#[cfg(target_os = "linux")]
fn own() -> Vec<usize> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let Ok(set) = sched_getaffinity(None) else { return Vec::new() };
    (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect()
}

#[cfg(not(target_os = "linux"))]
fn own() -> Vec<usize> {
    Vec::new()
}

/// Does something that starts a process, on these cores: a process inherits those of the thread
/// that starts it.
#[cfg(target_os = "linux")]
pub(crate) fn on<T>(cores: &[usize], start: impl FnOnce() -> T) -> T {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let Ok(before) = sched_getaffinity(None) else { return start() };
    let mut set = CpuSet::new();
    cores.iter().for_each(|&core| set.set(core));
    // Where the system refuses, the process has every core: the report says which it was given.
    let moved = !cores.is_empty() && sched_setaffinity(None, &set).is_ok();
    let started = start();
    if moved {
        let _ = sched_setaffinity(None, &before);
    }
    started
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn on<T>(_: &[usize], start: impl FnOnce() -> T) -> T {
    start()
}
