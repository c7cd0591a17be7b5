//! Launches: each process is one sample of the effects that vary between processes.

use std::env;
use std::io::{self, Write};
use std::process::{Command, Stdio};

use crate::measure::Launch;

/// The argument that makes a process a launch; a seed follows.
pub const LAUNCH: &str = "--launch";

/// Runs this program `launches` times, one after the other.
///
/// # Errors
///
/// Returns an error if a launch fails, or prints anything other than its figures.
pub fn run(launches: u64, filter: &str) -> io::Result<Vec<Launch>> {
    let mut done = Vec::new();
    for seed in 1..=launches {
        eprint!("\rlaunch {seed} of {launches} ");
        io::stderr().flush()?;
        let output = Command::new(env::current_exe()?)
            .args(["--bench", LAUNCH, &seed.to_string(), filter])
            // The size of the environment shifts the stack, and with it the alignment.
            .env("MANYWIRE_BENCHES_PADDING", "x".repeat((seed as usize * 397) % 4096))
            .stderr(Stdio::inherit())
            .output()?;
        if !output.status.success() {
            return Err(io::Error::other(format!("launch {seed}: {}", output.status)));
        }
        done.push(serde_json::from_slice(&output.stdout)?);
    }
    eprintln!();
    Ok(done)
}
