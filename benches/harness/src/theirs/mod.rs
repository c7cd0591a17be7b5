//! The harnesses of runtimes.

mod go_test;
mod pyperf;

use std::path::Path;
use std::process::{Command, Stdio};

use crate::matter::Matter;

/// A harness that is ready to measure.
pub(crate) trait Harness {
    /// Its name and version.
    fn version(&self) -> &str;

    /// Nanoseconds an operation of each case, as it reports them, from new processes.
    ///
    /// # Errors
    /// Why it does not run, or that it says something else than expected.
    fn process(&mut self) -> Result<[f64; 4], String>;
}

/// Builds the harness of a lane.
pub(crate) fn of(matter: &Matter) -> Result<Box<dyn Harness>, String> {
    Ok(match matter.lane {
        "python" => Box::new(pyperf::Pyperf::new(matter)?),
        _ => Box::new(go_test::GoTest::new(matter)?),
    })
}

/// What a command prints, if it succeeds.
fn output(command: &mut Command) -> Result<String, String> {
    let ended = command.stdin(Stdio::null()).output();
    let failed = |why: String| format!("{command:?}: {why}");
    let output = ended.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        return Err(failed(format!("{}\n{}", output.status, String::from_utf8_lossy(&said))));
    }
    String::from_utf8(output.stdout).map_err(|error| failed(error.to_string()))
}

/// A folder and all that is in it, at another place; what a build left behind stays.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", from.display());
    std::fs::create_dir_all(to).map_err(failed)?;
    for entry in std::fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let target = to.join(entry.file_name());
        if entry.file_type().map_err(failed)?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target).map_err(failed)?;
        }
    }
    Ok(())
}
