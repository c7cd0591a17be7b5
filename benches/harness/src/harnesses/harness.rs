//! The interface of a harness.

use std::process::{Command, Stdio};

/// A harness that is ready to measure.
pub(crate) trait Harness {
    /// Returns the name and version of the harness.
    fn version(&self) -> &str;

    /// Runs new processes. Returns the reported nanoseconds per operation of each case.
    ///
    /// # Errors
    /// Returns an error if the harness fails or prints anything unexpected.
    fn process(&mut self) -> Result<[f64; 4], String>;
}

/// Returns the output of a command that succeeds.
pub(super) fn output(command: &mut Command) -> Result<String, String> {
    let ended = command.stdin(Stdio::null()).output();
    let failed = |why: String| format!("{command:?}: {why}");
    let output = ended.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        let text = [output.stdout, output.stderr].concat();
        return Err(failed(format!("{}\n{}", output.status, String::from_utf8_lossy(&text))));
    }
    String::from_utf8(output.stdout).map_err(|error| failed(error.to_string()))
}
