//! The harnesses of runtimes.

mod criterion;
mod go_test;
mod jmh;
mod pyperf;

use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use manywire_tools::weigh::lanes::{self, Built};

use crate::beside::{Edit, beside};
use crate::matter::Matter;

/// Nobody interrupts a build but by ending it.
static NEVER: AtomicBool = AtomicBool::new(false);

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

/// Builds a lane, with its harness in it where that is one program.
pub(crate) fn build(matter: &Matter) -> Result<Built, String> {
    let folder = match edits(matter.lane) {
        [] => matter.root.join("lanes"),
        edits => beside(matter, edits)?,
    };
    let lane = lanes::all(Some(&folder))?.into_iter().find(|lane| lane.name() == matter.lane);
    lane.ok_or_else(|| format!("there is no lane {}", matter.lane))?.build(&NEVER)
}

/// What puts a harness into the program of its lane; nothing where it runs the lane's code as it is.
pub(crate) fn edits(lane: &str) -> &'static [Edit] {
    match lane {
        "go" => &go_test::EDITS,
        "rust" => &criterion::EDITS,
        _ => &[],
    }
}

/// The harness of a lane.
pub(crate) fn of(matter: &Matter, built: &Built) -> Result<Box<dyn Harness>, String> {
    Ok(match matter.lane {
        "python" => Box::new(pyperf::Pyperf::new(matter)?),
        "java" => Box::new(jmh::Jmh::new(matter, built)?),
        "rust" => Box::new(criterion::Criterion::new(matter, built)),
        _ => Box::new(go_test::GoTest::new(matter, built)?),
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
