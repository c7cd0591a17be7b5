//! The machine and the build that a report names.

use std::fs;

use crate::weigh::report::{Host, Tool};

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
    }
}

/// Returns a description of this build.
pub fn tool() -> Tool {
    Tool {
        name: "manywire".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        rustc: env!("MANYWIRE_RUSTC").to_owned(),
        profile: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
    }
}
