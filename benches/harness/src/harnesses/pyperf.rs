//! pyperf, the usual harness of Python.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::harness::{Harness, output};
use crate::comparison::{CASES, Comparison};

/// The release of pyperf with which the records were measured.
const PYPERF: &str = "pyperf==2.10.0";

/// `pyperf`: a worker process for each benchmark; the mean of its values is its result.
pub(crate) struct Pyperf {
    python: PathBuf,
    lane: PathBuf,
    script: PathBuf,
    payload: PathBuf,
    result: PathBuf,
    libraries: [&'static str; 2],
}

impl Pyperf {
    pub(crate) fn new(comparison: &Comparison) -> Result<Pyperf, String> {
        let (venv, lane) = (comparison.work.join("venv"), comparison.root.join("lanes/python"));
        let python = venv.join("bin/python");
        if !python.is_file() {
            output(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        }
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        let locked = lane.join("requirements.txt");
        // Installs the lane's libraries in the versions of the lane, and the harness.
        output(Command::new(&python).args(pip).arg("--require-hashes").arg("-r").arg(locked))?;
        output(Command::new(&python).args(pip).arg(PYPERF))?;
        Ok(Pyperf {
            python,
            lane,
            script: comparison.root.join("benches/harness/python/agree.py"),
            payload: comparison.payload.clone(),
            result: comparison.work.join("result.json"),
            libraries: comparison.libraries,
        })
    }
}

impl Harness for Pyperf {
    fn version(&self) -> &str {
        PYPERF
    }

    fn process(&mut self) -> Result<[f64; 4], String> {
        // pyperf does not overwrite a result.
        drop(std::fs::remove_file(&self.result));
        let mut command = Command::new(&self.python);
        command.arg(&self.script).args(["--processes=1", "--values=3", "--warmups=1"]);
        command.args(["--min-time=0.03", "--quiet", "--output"]).arg(&self.result);
        command.arg("--inherit-environ=PYTHONPATH,MANYWIRE_PAYLOAD,MANYWIRE_LIBRARIES");
        command.env("PYTHONPATH", &self.lane).env("MANYWIRE_PAYLOAD", &self.payload);
        command.env("MANYWIRE_LIBRARIES", self.libraries.join(","));
        output(&mut command)?;
        let text = std::fs::read_to_string(&self.result).map_err(|error| error.to_string())?;
        let result: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let mut ns = [0.0; 4];
        for (case, time) in CASES.iter().zip(&mut ns) {
            let name = format!("{}:{}", self.libraries[case.library], case.operation);
            let found = seconds(&result, &name);
            *time = found.ok_or_else(|| format!("pyperf says nothing of {name}"))? * 1e9;
        }
        Ok(ns)
    }
}

/// Returns the mean of a benchmark's values in seconds. A calibration run has no values.
fn seconds(result: &Value, name: &str) -> Option<f64> {
    let benchmarks = result["benchmarks"].as_array()?;
    // The metadata that all benchmarks of a file share are outside of the benchmarks.
    let is_it = |benchmark: &&Value| {
        let own = &benchmark["metadata"]["name"];
        (if own.is_null() { &result["metadata"]["name"] } else { own }) == name
    };
    let runs = benchmarks.iter().find(is_it)?["runs"].as_array()?;
    let values: Vec<f64> = runs
        .iter()
        .filter_map(|run| run["values"].as_array())
        .flatten()
        .filter_map(Value::as_f64)
        .collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
