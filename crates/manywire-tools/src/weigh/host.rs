//! The machine and the build that a report names, and the load that other programs put on it.

use std::fs;
use std::thread;
use std::time::Duration;

use manywire_format::Coding;

use crate::weigh::report::{Host, Profile, Tool};

/// The libraries that compress, with their versions. A test compares them with the lock file.
const CODING_LIBRARIES: [(Coding, &str); 4] = [
    (Coding::Gzip, "flate2 1.1.10 with zlib-rs 0.6.8"),
    (Coding::Deflate, "flate2 1.1.10 with zlib-rs 0.6.8"),
    (Coding::Zstd, "zstd 0.14.3 with zstd-sys 2.1.2+zstd.1.5.7"),
    (Coding::Brotli, "brotli 9.1.1"),
];

/// Returns a description of this machine. Unknown values are absent.
pub fn host() -> Host {
    let read = |path: &str| fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let cpu = read("/proc/cpuinfo").and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    Host {
        os: std::env::consts::OS.to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
        cpu,
        cores: std::thread::available_parallelism().ok().map(usize::from),
        kernel: read("/proc/sys/kernel/osrelease"),
        governor: read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        load: None,
    }
}

/// The number of readings of one sample of the load.
const READINGS: u32 = 5;

/// The time between two readings, a few slices of the scheduler.
const READING_INTERVAL: Duration = Duration::from_millis(4);

/// Returns the number of runnable threads of other programs, as a mean of a few readings within
/// 20 ms; `None` if the system does not report it. The caller must have no other running thread and
/// no running child process.
///
/// The load averages of the system would include what this program did in the last minute.
pub fn sample_load() -> Option<f64> {
    let mut threads = 0.0;
    for _ in 0..READINGS {
        thread::sleep(READING_INTERVAL);
        threads += runnable(&fs::read_to_string("/proc/loadavg").ok()?)?;
    }
    Some(threads / f64::from(READINGS))
}

/// Reads the number of runnable threads, less the one that reads, from the fourth field of
/// `/proc/loadavg`: `0.20 0.18 0.12 1/80 11206`.
fn runnable(text: &str) -> Option<f64> {
    let (runnable, _) = text.split_whitespace().nth(3)?.split_once('/')?;
    Some(runnable.parse::<u32>().ok()?.saturating_sub(1).into())
}

/// Returns the number of processors of the machine, even those that this process may not use;
/// `None` if the system does not report it.
pub fn processors() -> Option<usize> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    let is_one = |line: &&str| {
        line.strip_prefix("cpu")
            .is_some_and(|rest| rest.starts_with(|it: char| it.is_ascii_digit()))
    };
    Some(text.lines().filter(is_one).count()).filter(|&count| count > 0)
}

/// The unit of CPU time in `/proc/PID/stat`: a hundredth of a second on every machine of today.
const TICK: Duration = Duration::from_millis(10);

/// Returns the CPU time of the processes of a group, with that of the children that they have waited
/// for; `None` if the system does not report it.
pub(crate) fn group_cpu_time(group: u32) -> Option<Duration> {
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let times = processes.filter_map(|process| {
        // A process may end meanwhile.
        let text = fs::read_to_string(process.path().join("stat")).ok()?;
        ticks_in_group(&text, group)
    });
    // The group is running, so if none of its processes is found, `/proc` does not list the
    // processes of this system.
    let ticks = times.reduce(|sum, ticks| sum.saturating_add(ticks))?;
    Some(TICK.saturating_mul(ticks))
}

/// Reads the CPU time, in [`TICK`]s, of a process from the text of its `stat` (proc(5)); `None` if
/// the process is in another group.
fn ticks_in_group(text: &str, group: u32) -> Option<u32> {
    // The name, in parentheses, may contain spaces and parentheses.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u32>().ok();
    if number(2)? != group {
        return None;
    }
    (11..15).map(number).sum()
}

/// The minimum load per processor at which a machine counts as busy: half of the processors run
/// something else, so one of two processes that wait for each other is often kept waiting.
pub const BUSY_LOAD: f64 = 0.5;

/// Returns a description of this build.
pub fn tool() -> Tool {
    Tool {
        name: "manywire".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        rustc: env!("MANYWIRE_RUSTC").to_owned(),
        profile: if cfg!(debug_assertions) { Profile::Debug } else { Profile::Release },
        codings: CODING_LIBRARIES
            .iter()
            .map(|&(coding, library)| (coding.name().to_owned(), library.to_owned()))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{CODING_LIBRARIES, runnable, ticks_in_group};

    #[test]
    fn the_versions_of_coding_libraries_are_those_of_the_lock_file() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");
        let lock = std::fs::read_to_string(path).expect("the lock file");
        for (coding, text) in CODING_LIBRARIES {
            for library in text.split(" with ") {
                let (name, version) = library.split_once(' ').expect("a version");
                let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
                assert!(lock.contains(&entry), "{coding}: {library}");
            }
        }
    }

    #[test]
    fn cpu_time_is_read_for_one_group() {
        let text = "712 (a (b) c) S 1 700 1 0 -1 4194560 2 3 4 5 10 20 300 4000 20 0 1 0 86 0\n";
        assert_eq!(ticks_in_group(text, 700), Some(4330));
        assert_eq!(ticks_in_group(text, 1), None);
        assert_eq!(ticks_in_group("712 (a", 700), None);
    }

    #[test]
    fn reader_is_not_part_of_the_load() {
        assert_eq!(runnable("8.55 5.26 2.43 14/188 24819\n"), Some(13.0));
        assert_eq!(runnable("0.00 0.00 0.00 1/80 11206\n"), Some(0.0));
        for text in ["", "0.1 0.2 0.3", "0.1 0.2 0.3 x/80 1"] {
            assert_eq!(runnable(text), None, "{text}");
        }
    }
}
