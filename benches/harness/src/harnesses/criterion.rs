//! Criterion, the usual harness of Rust.

use std::path::PathBuf;
use std::process::Command;

use manywire_tools::weigh::lanes::BuiltLane;
use serde_json::Value;

use super::harness::{Harness, output};
use crate::comparison::{CASES, Comparison};
use crate::lane_copy::Edit;

/// The edits that add criterion to the lane's program. Other libraries keep the versions of the
/// lane's lock file.
pub(super) const EDITS: [Edit; 4] = [
    Edit {
        file: "Cargo.toml",
        from: "[dependencies]\n# What is measured.",
        to: "[dependencies]\ncriterion = { version = \"=0.8.2\", default-features = false }\n\
             # What is measured.",
    },
    Edit { file: "src/main.rs", from: "mod answer;\n", to: "mod agree;\nmod answer;\n" },
    Edit {
        file: "src/main.rs",
        from: "fn main() -> ExitCode {\n",
        to: "fn main() -> ExitCode {\n    if agree::is_requested() {\n        \
             return match agree::measure() {\n            Ok(()) => ExitCode::SUCCESS,\n            \
             Err(error) => {\n                eprintln!(\"{error}\");\n                \
             ExitCode::FAILURE\n            }\n        };\n    }\n",
    },
    // Without `--locked`, cargo adds criterion to the lock file and changes nothing else.
    Edit {
        file: "lane.toml",
        from: "\"--no-track\", \"--locked\", \"--target-dir\", \"../rust-built\"]]\nrun",
        to: "\"--no-track\", \"--target-dir\", \"../rust-built\"]]\nrun",
    },
];

/// Criterion: a new process runs all benchmarks, one after the other.
pub(crate) struct Criterion {
    program: PathBuf,
    payload: PathBuf,
    home: PathBuf,
    libraries: [&'static str; 2],
    random: fastrand::Rng,
}

impl Criterion {
    pub(super) fn new(comparison: &Comparison, built: &BuiltLane) -> Criterion {
        Criterion {
            program: built.folder().join("bin/lane"),
            payload: comparison.payload.clone(),
            home: comparison.work.join("criterion"),
            libraries: comparison.libraries,
            random: fastrand::Rng::new(),
        }
    }
}

impl Harness for Criterion {
    fn version(&self) -> &str {
        "criterion 0.8.2"
    }

    fn process(&mut self) -> Result<[f64; 4], String> {
        // Criterion would compare with earlier results.
        drop(std::fs::remove_dir_all(&self.home));
        let mut command = Command::new(&self.program);
        command.arg("agree").env("CRITERION_HOME", &self.home);
        command.env("MANYWIRE_PAYLOAD", &self.payload);
        // In random order as in the lane, so that no library always has a heap that no other has used.
        let mut ordered = self.libraries;
        self.random.shuffle(&mut ordered);
        command.env("MANYWIRE_LIBRARIES", ordered.join(","));
        output(&mut command)?;
        let mut ns = [0.0; 4];
        for (case, time) in CASES.iter().zip(&mut ns) {
            let path = self.home.join(self.libraries[case.library]);
            let path = path.join(format!("{}/new/estimates.json", case.operation));
            let failed = |error: String| format!("{}: {error}", path.display());
            let text = std::fs::read(&path).map_err(|error| failed(error.to_string()))?;
            let found: Value =
                serde_json::from_slice(&text).map_err(|error| failed(error.to_string()))?;
            *time = reported_time(&found).ok_or_else(|| failed("no estimate in it".to_owned()))?;
        }
        Ok(ns)
    }
}

/// Returns the time that criterion prints for a benchmark: the slope of time over iterations, or
/// the mean if the number of iterations is fixed.
fn reported_time(estimates: &Value) -> Option<f64> {
    let of = |name: &str| estimates[name]["point_estimate"].as_f64();
    of("slope").or_else(|| of("mean"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::reported_time;

    #[test]
    fn prefers_the_slope_to_the_mean() {
        let estimate = |ns: f64| json!({ "point_estimate": ns, "standard_error": 0.1 });
        let both = json!({ "mean": estimate(12.0), "slope": estimate(11.0) });
        assert_eq!(reported_time(&both), Some(11.0));
        assert_eq!(reported_time(&json!({ "mean": estimate(12.0), "slope": null })), Some(12.0));
        assert_eq!(reported_time(&json!({})), None);
    }
}
