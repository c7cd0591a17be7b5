//! A lane under measurement: its build, and launches as in any run of the command.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use manywire_format::Format;
use manywire_tools::payload::Payload;
use manywire_tools::weigh::lanes::{self, BuiltLane, LaneInput, LaneLaunch, TimedOperation};
use manywire_tools::weigh::statistics::median;
use manywire_tools::weigh::subject::{Operation, Subject, ValueKind};

/// A build or a launch is interrupted only by ending the process.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The duration of a launch, about that of a harness process.
const BUDGET: Duration = Duration::from_secs(1);

/// The maximum duration of the warm-up of a launch.
const WARM_UP_MAX: Duration = Duration::from_secs(5);

/// Builds the lane with this name of a folder of lanes.
pub(crate) fn build(folder: &Path, name: &str) -> Result<BuiltLane, String> {
    let lanes = lanes::all(Some(folder)).map_err(|error| error.to_string())?;
    let lane = lanes.into_iter().find(|lane| lane.name() == name);
    let lane = lane.ok_or_else(|| format!("there is no lane {name}"))?;
    lane.build(&INTERRUPTED).map_err(|error| error.to_string())
}

/// A lane with its payload.
pub(crate) struct LaneUnderTest {
    built: BuiltLane,
    lane_input: LaneInput,
    bytes: Vec<Vec<u8>>,
}

impl LaneUnderTest {
    /// Reads the payload, which is JSON.
    pub(crate) fn new(built: BuiltLane, payload: &Path) -> Result<LaneUnderTest, String> {
        let bytes =
            std::fs::read(payload).map_err(|error| format!("{}: {error}", payload.display()))?;
        let payload = Payload::new("payload", Format::Json, bytes.clone());
        let lane_input = LaneInput::new(&[payload], None, &[Format::Json]);
        let lane_input = lane_input.map_err(|error| error.to_string())?;
        Ok(LaneUnderTest { built, lane_input, bytes: vec![bytes] })
    }

    /// Returns the subject of a library for dynamic values in JSON.
    pub(crate) fn subject(&self, library: &str) -> Result<Subject, String> {
        let is_it = |subject: &Subject| {
            subject.library == library
                && subject.format == Format::Json
                && subject.target == ValueKind::Dynamic
        };
        let subject = self.built.lane().subjects().into_iter().find(is_it);
        subject.ok_or_else(|| format!("the lane has no {library}"))
    }

    /// Runs one launch: a new process with all cases, in random order round by round. Returns the
    /// nanoseconds per operation of each case in each round.
    pub(crate) fn launch(
        &self,
        cases: &[(&Subject, Operation)],
        seed: u64,
    ) -> Result<Vec<Vec<f64>>, String> {
        let entries = cases.iter().map(|&(subject, operation)| TimedOperation {
            subject,
            operation,
            bytes: &self.bytes,
            inflation: 1.0,
        });
        let entries: Vec<TimedOperation<'_>> = entries.collect();
        let launch = LaneLaunch { seed, budget: BUDGET, warm_up_max: WARM_UP_MAX };
        let timing = lanes::time(&self.built, &entries, &self.lane_input, &launch, &INTERRUPTED)
            .map_err(|error| error.to_string())?;
        let mut times = Vec::new();
        for batches in timing.entries {
            let batches = batches.map_err(|refusal| refusal.to_string())?;
            times.push(batches.iter().map(|batch| batch.wall_ns / batch.operations).collect());
        }
        Ok(times)
    }
}

/// Returns the median over the rounds of a launch.
pub(crate) fn over_rounds(
    times: &[Vec<f64>],
    of_round: impl Fn(usize) -> f64,
) -> Result<f64, String> {
    let rounds = times.iter().map(Vec::len).min().unwrap_or(0);
    let values: Vec<f64> = (0..rounds).map(of_round).collect();
    median(&values).ok_or_else(|| "a launch without rounds".to_owned())
}
