//! The tables and the record of a run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use serde::Serialize;

use crate::launch::Launch;
use crate::statistics::{Ratio, median};
use crate::targets::{TARGETS, Target};

/// The results of a run.
#[derive(Default, Serialize)]
pub struct Report {
    /// Command, host and versions.
    pub run: BTreeMap<&'static str, String>,
    /// Bytes written or read, by subject.
    pub size_bytes: BTreeMap<String, usize>,
    /// The launches, if time was measured.
    pub launches: Vec<Launch>,
    /// Instructions per operation by subject, if they were counted.
    pub instructions: BTreeMap<String, f64>,
}

impl Report {
    /// Returns the report as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        self.targets(&mut text);
        self.subjects(&mut text);
        text
    }

    fn targets(&self, text: &mut String) {
        text.push_str("| group | ours / peer | expected | measured | |\n|---|---|--:|--:|---|\n");
        for target in TARGETS {
            if let Some(ratio) = self.ratio(target) {
                let unit = if target.instructions { " instructions" } else { "" };
                let _ = writeln!(
                    text,
                    "| {} | {} / {}{unit} | ≥ {:.2} | {:.2} ({:.2}–{:.2}) | {} |",
                    target.group,
                    target.ours,
                    target.peer,
                    target.at_least,
                    ratio.mean,
                    ratio.low,
                    ratio.high,
                    verdict(ratio, target.at_least),
                );
            }
        }
    }

    /// Returns the ratio of the peer's cost to ours.
    fn ratio(&self, target: &Target) -> Option<Ratio> {
        if target.instructions {
            let count = |name| self.instructions.get(&format!("{}/{name}", target.group));
            let log = (count(target.peer)? / count(target.ours)?).ln();
            return Some(Ratio::from_logs(&[log]));
        }
        let id = target.id();
        let logs: Vec<f64> =
            self.launches.iter().filter_map(|launch| launch.log_ratio.get(&id).copied()).collect();
        (!logs.is_empty()).then(|| Ratio::from_logs(&logs))
    }

    fn subjects(&self, text: &mut String) {
        let mut last_group = "";
        for (id, size) in &self.size_bytes {
            let Some((group, name)) = id.rsplit_once('/') else { continue };
            if group != last_group {
                let _ = writeln!(
                    text,
                    "\n| {group} | bytes | CPU ns | instructions |\n|---|--:|--:|--:|"
                );
                last_group = group;
            }
            let mut times: Vec<f64> = self
                .launches
                .iter()
                .filter_map(|launch| launch.median_ns.get(id).copied())
                .collect();
            let time =
                if times.is_empty() { "n/a".into() } else { format!("{:.0}", median(&mut times)) };
            let count = self.instructions.get(id);
            let count = count.map_or("n/a".into(), |count| format!("{count:.0}"));
            let _ = writeln!(text, "| {name} | {size} | {time} | {count} |");
        }
    }

    /// Writes the tables and the data into a directory.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be written.
    pub fn record(&self, directory: &Path) -> io::Result<()> {
        fs::create_dir_all(directory)?;
        let mut text = String::new();
        for (what, value) in &self.run {
            let _ = writeln!(text, "- {what}: {value}");
        }
        text.push('\n');
        text.push_str(&self.markdown());
        fs::write(directory.join("README.md"), text)?;
        fs::write(directory.join("run.json"), serde_json::to_vec(self)?)
    }
}

/// Returns the verdict of the estimate, and says if the interval contains the target.
fn verdict(ratio: Ratio, at_least: f64) -> &'static str {
    match (ratio.mean >= at_least, ratio.low >= at_least, ratio.high < at_least) {
        (true, true, _) => "met",
        (true, false, _) => "met, but the interval straddles it",
        (false, _, true) => "**not met**",
        (false, _, false) => "**not met**, but the interval straddles it",
    }
}

/// Returns the facts needed to repeat the run: command, host, compiler and versions of the
/// libraries.
pub fn run_info() -> BTreeMap<&'static str, String> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let command =
        format!("cargo bench -p manywire-benches --bench wire -- {}", arguments.join(" "));
    let cpu = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let rustc = std::process::Command::new("rustc").arg("--version").output().ok();
    let rustc = rustc.and_then(|output| String::from_utf8(output.stdout).ok());
    BTreeMap::from([
        ("command", command.trim_end_matches([' ', '-']).to_owned()),
        ("host", format!("{}, {cores} cores", cpu.unwrap_or_else(|| "n/a".into()))),
        ("compiler", rustc.map_or("n/a".into(), |version| version.trim().to_owned())),
        ("versions", versions()),
    ])
}

/// Returns the versions of the compared libraries from the lock file of this build.
fn versions() -> String {
    const PEERS: &[&str] = &[
        "bson",
        "cbor2",
        "prost",
        "rmp-serde",
        "rmpv",
        "serde",
        "serde_avro_fast",
        "serde_cbor_2",
        "serde_json",
        "zerompk",
    ];
    let lock = include_str!("../../Cargo.lock");
    let version = |peer: &&str| {
        let (_, after) = lock.split_once(&format!("name = \"{peer}\"\nversion = \""))?;
        Some(format!("{peer} {}", after.split_once('"')?.0))
    };
    PEERS.iter().filter_map(version).collect::<Vec<_>>().join(", ")
}
