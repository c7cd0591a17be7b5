//! The replay of a lane: a program that repeats a published measurement with the libraries and the
//! harness that it was made with.
//!
//! `lane.toml` has the commands that build and run the program. Each launch runs the program once.
//! The program prints figures, not intervals: the orchestrator computes intervals over launches.

use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::Deserialize;

use super::build;
use super::lane::BuiltLane;
use super::toolchain::{self, Limit, ProcessOutcome, ToolStatus};

/// The output of one launch.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ReplayOutput {
    /// The figures, in the order in which they were measured.
    pub figures: Vec<ReplayFigure>,
}

/// A figure of one launch.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ReplayFigure {
    /// The name, which is unique within the lane.
    pub name: String,
    /// The runtime and the libraries, with their versions.
    pub system: String,
    /// The value: nanoseconds of one operation, or bytes of a document or allocated by one operation.
    pub value: f64,
    /// The CPU time of the process for one operation, in nanoseconds, if the value is a time and the
    /// harness measures it.
    #[serde(default)]
    pub cpu: Option<f64>,
}

/// The reason that a lane has no replay, or that a launch of it has no figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaneReplayError {
    /// The lane has no `[replay]`.
    None,
    /// Programs are missing. Each text names one and says how to get it.
    MissingTools(Vec<String>),
    /// A command did not start, failed or hung, with parts of its output.
    Command {
        /// The words of the command.
        command: String,
        /// The reason.
        reason: String,
    },
    /// The folder of the build cannot be used, with the system's message.
    Folder(String),
    /// The output is not a valid [`ReplayOutput`].
    Output(String),
    /// The user interrupted.
    Interrupted,
}

impl fmt::Display for LaneReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaneReplayError::None => f.write_str("no [replay] in lane.toml"),
            LaneReplayError::MissingTools(missing) => f.write_str(&missing.join("; ")),
            LaneReplayError::Command { command, reason } => write!(f, "`{command}`: {reason}"),
            LaneReplayError::Folder(reason) => f.write_str(reason),
            LaneReplayError::Output(reason) => write!(f, "invalid output of the replay: {reason}"),
            LaneReplayError::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for LaneReplayError {}

/// The file that marks a built replay in the folder of the lane.
const MARK: &str = ".manywire-replay-built";

impl BuiltLane {
    /// Builds the replay in the folder of the lane, unless it is built.
    ///
    /// # Errors
    ///
    /// Fails if the lane has no replay, if a program is missing, or if a command fails.
    pub fn build_replay(&self, interrupted: &AtomicBool) -> Result<(), LaneReplayError> {
        let replay = self.lane().manifest().replay.as_ref().ok_or(LaneReplayError::None)?;
        let missing = replay.toolchain.iter().filter_map(|tool| match toolchain::find(tool) {
            ToolStatus::Missing(why) => Some(why),
            ToolStatus::Ready(_) => None,
        });
        let missing: Vec<String> = missing.collect();
        if !missing.is_empty() {
            return Err(LaneReplayError::MissingTools(missing));
        }
        let folder = self.folder();
        let unusable = |error: std::io::Error| {
            LaneReplayError::Folder(format!("{}: {error}", folder.display()))
        };
        let lock = build::lock(folder).map_err(unusable)?;
        lock.lock().map_err(unusable)?;
        let mark = folder.join(MARK);
        if mark.is_file() {
            return Ok(());
        }
        for words in &replay.build {
            self.run_command(words, &[], interrupted)?;
        }
        fs::write(mark, "").map_err(unusable)
    }

    /// Runs one launch of the replay, which has been built.
    ///
    /// # Errors
    ///
    /// Fails if the command fails, or prints anything but figures.
    pub fn replay(
        &self,
        examples: &Path,
        interrupted: &AtomicBool,
    ) -> Result<ReplayOutput, LaneReplayError> {
        let replay = self.lane().manifest().replay.as_ref().ok_or(LaneReplayError::None)?;
        let output = self.run_command(&replay.run, &[examples], interrupted)?;
        read_output(&output)
    }

    fn run_command(
        &self,
        words: &[String],
        arguments: &[&Path],
        interrupted: &AtomicBool,
    ) -> Result<String, LaneReplayError> {
        let failed = |reason: String| LaneReplayError::Command { command: words.join(" "), reason };
        let command = build::command(words, self.folder());
        let mut command = command.map_err(|error| failed(error.to_string()))?;
        command.args(arguments);
        match toolchain::run(command, Limit::Idle(self.lane().idle_limit()), interrupted) {
            ProcessOutcome::Done(output) => Ok(output),
            ProcessOutcome::Exited(reason) | ProcessOutcome::Failed(reason) => Err(failed(reason)),
            ProcessOutcome::Interrupted => Err(LaneReplayError::Interrupted),
        }
    }
}

/// Reads the JSON object that the output of a launch begins with. Standard error follows it.
fn read_output(text: &str) -> Result<ReplayOutput, LaneReplayError> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<ReplayOutput>();
    let output = match values.next() {
        Some(Ok(output)) => output,
        Some(Err(error)) => return Err(LaneReplayError::Output(error.to_string())),
        None => return Err(LaneReplayError::Output("no figures".to_owned())),
    };
    for (index, figure) in output.figures.iter().enumerate() {
        let invalid = |value: &f64| !(value.is_finite() && *value > 0.0);
        if let Some(value) = [figure.value].into_iter().chain(figure.cpu).find(invalid) {
            let reason = format!("{} is {value}, expected a number above 0", figure.name);
            return Err(LaneReplayError::Output(reason));
        }
        if output.figures[..index].iter().any(|other| other.name == figure.name) {
            let reason = format!("two figures have the name {:?}", figure.name);
            return Err(LaneReplayError::Output(reason));
        }
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::{LaneReplayError, read_output};

    fn figure(value: &str) -> String {
        format!(r#"{{"name": "a", "system": "S 1", "value": {value}}}"#)
    }

    #[test]
    fn output_begins_with_the_figures() {
        let text = format!("{{\"figures\": [{}]}}\na warning of the runtime", figure("1.5"));
        let output = read_output(&text).expect("figures");
        assert_eq!(output.figures.len(), 1);
        assert_eq!(output.figures[0].value, 1.5);
    }

    #[test]
    fn invalid_output_is_an_error_with_the_reason() {
        let twice = format!("{},{}", figure("1"), figure("2"));
        for (text, reason) in [
            (String::new(), "no figures"),
            ("done".to_owned(), "expected value at line 1 column 1"),
            (format!("{{\"figures\": [{}]}}", figure("0")), "a is 0, expected a number above 0"),
            (
                format!("{{\"figures\": [{}]}}", figure("1, \"cpu\": -2")),
                "a is -2, expected a number above 0",
            ),
            (format!("{{\"figures\": [{twice}]}}"), "two figures have the name \"a\""),
        ] {
            let expected = LaneReplayError::Output(reason.to_owned());
            assert_eq!(read_output(&text), Err(expected), "{text}");
        }
    }
}
