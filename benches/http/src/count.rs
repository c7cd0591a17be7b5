//! Instructions a request costs a server, counted by callgrind: what a process takes for many
//! requests less what it takes for few, so that neither starting nor ending counts.

use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::{env, fs};

use super::{Scenario, client};

const FEW: usize = 200;
const MANY: usize = 1_200;

/// The argument by which the process knows that it is a server.
pub const SERVE: &str = "--serve";

/// Instructions a request; `None` where there is no valgrind.
///
/// # Errors
/// When the server fails, answers wrongly, or valgrind cannot be read.
pub fn instructions(stack: &str, scenario: Scenario) -> io::Result<Option<f64>> {
    let mut totals = [0.0; 2];
    for (total, times) in totals.iter_mut().zip([FEW, MANY]) {
        match run(stack, scenario, times)? {
            Some(found) => *total = found,
            None => return Ok(None),
        }
    }
    Ok(Some((totals[1] - totals[0]) / (MANY - FEW) as f64))
}

fn run(stack: &str, scenario: Scenario, times: usize) -> io::Result<Option<f64>> {
    let out = env::temp_dir().join(format!("manywire-http-{}", std::process::id()));
    let spawned = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(env::current_exe()?)
        .args([SERVE, stack, scenario.name()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut server = match spawned {
        Ok(server) => server,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let result = address(&mut server).and_then(|address| {
        let (request, body) = scenario.exchange();
        client::exchange(&address, &request, &body, times)
    });
    // The server ends with its first connection; if there was none, it must be ended.
    if result.is_err() {
        drop(server.kill());
    }
    let status = server.wait()?;
    result?;
    if !status.success() {
        return Err(io::Error::other(format!("{stack}: {status}")));
    }
    let total = total(&out);
    fs::remove_file(&out)?;
    total.map(Some)
}

/// The line that a server prints first.
pub fn address(server: &mut Child) -> io::Result<String> {
    let stdout = server.stdout.take().ok_or_else(|| io::Error::other("no standard output"))?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    Ok(line.trim().to_owned())
}

/// The instructions of the run, which are in its line of totals.
fn total(path: &Path) -> io::Result<f64> {
    let text = fs::read_to_string(path)?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")?.trim().parse().ok());
    total.ok_or_else(|| io::Error::other(format!("{} has no totals", path.display())))
}
