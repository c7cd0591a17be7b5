//! The lane's side of a comparison: launches, as in any run of the command.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use manywire_format::Format;
use manywire_tools::payload::Payload;
use manywire_tools::weigh::lanes::{self, BuiltLane, LaneInput, LaneLaunch, TimedOperation};
use manywire_tools::weigh::launch::{Batch, Refusal};
use manywire_tools::weigh::statistics::median;
use manywire_tools::weigh::subject::{Operation, Subject, ValueKind};

use crate::comparison::{CASES, Comparison, PAIRS};

/// A run is interrupted only by ending the process.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The duration of a launch, about that of a harness process.
const BUDGET: Duration = Duration::from_secs(1);

/// The lane with its payload.
pub(crate) struct LaneUnderTest {
    built: BuiltLane,
    lane_input: LaneInput,
    subjects: [Subject; 2],
    bytes: Vec<Vec<u8>>,
}

/// The result of one launch.
pub(crate) struct Launch {
    /// The logarithm of the second library's time relative to the first: the median over the
    /// rounds.
    pub(crate) log_ratios: [f64; 2],
    /// The nanoseconds per operation of each case: the median over the rounds.
    pub(crate) ns: [f64; 4],
}

impl LaneUnderTest {
    pub(crate) fn new(comparison: &Comparison, built: BuiltLane) -> Result<LaneUnderTest, String> {
        let lane = built.lane();
        let subject = |library: &str| {
            let is_it = |subject: &Subject| {
                subject.library == library
                    && subject.format == Format::Json
                    && subject.target == ValueKind::Dynamic
            };
            lane.subjects().into_iter().find(is_it).ok_or_else(|| format!("no {library} in it"))
        };
        let subjects = [subject(comparison.libraries[0])?, subject(comparison.libraries[1])?];
        let bytes = std::fs::read(&comparison.payload)
            .map_err(|error| format!("{}: {error}", comparison.payload.display()))?;
        let payload = Payload::new("payload", Format::Json, bytes.clone());
        let lane_input = LaneInput::new(&[payload], None, &[Format::Json]);
        let lane_input = lane_input.map_err(|error| error.to_string())?;
        Ok(LaneUnderTest { built, lane_input, subjects, bytes: vec![bytes] })
    }

    /// Runs one launch: a new process with all cases, in random order round by round.
    pub(crate) fn launch(&self, seed: u64) -> Result<Launch, String> {
        let entries = CASES.map(|case| TimedOperation {
            subject: &self.subjects[case.library],
            operation: match case.operation {
                "encode" => Operation::Encode,
                _ => Operation::Decode,
            },
            bytes: &self.bytes,
            inflation: 1.0,
        });
        let warm_up_max = Duration::from_secs(5);
        let round = LaneLaunch { seed, budget: BUDGET, warm_up_max };
        let timing = lanes::time(&self.built, &entries, &self.lane_input, &round, &INTERRUPTED)
            .map_err(|error| error.to_string())?;
        let batches: Result<Vec<Vec<Batch>>, Refusal> = timing.entries.into_iter().collect();
        let batches = batches.map_err(|refusal| refusal.to_string())?;
        let time = |case: usize, round: usize| {
            let batch = batches[case].get(round)?;
            Some(batch.wall_ns / batch.operations)
        };
        let rounds = batches.iter().map(Vec::len).min().unwrap_or(0);
        let over_rounds = |of: &dyn Fn(usize) -> Option<f64>| {
            let values: Vec<f64> = (0..rounds).filter_map(of).collect();
            median(&values).ok_or_else(|| "a launch without rounds".to_owned())
        };
        let mut launch = Launch { log_ratios: [0.0; 2], ns: [0.0; 4] };
        for (place, (_, [first, second])) in PAIRS.iter().enumerate() {
            launch.log_ratios[place] =
                over_rounds(&|round| Some((time(*second, round)? / time(*first, round)?).ln()))?;
        }
        for case in 0..CASES.len() {
            launch.ns[case] = over_rounds(&|round| time(case, round))?;
        }
        Ok(launch)
    }
}
