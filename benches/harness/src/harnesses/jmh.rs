//! JMH, the harness of Java.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use manywire_tools::weigh::lanes::BuiltLane;
use serde_json::Value;

use super::harness::{Harness, output};
use crate::comparison::{CASES, Comparison};

/// The options of a fork: a warm-up of 2 s, after which the optimising compiler is done, then about
/// the time that a launch of the lane spends on one case.
const LENGTH: [&str; 12] =
    ["-f", "1", "-wi", "4", "-w", "500ms", "-i", "3", "-r", "200ms", "-foe", "true"];

/// JMH: a fork for each benchmark, with the classes and the options of the lane.
pub(crate) struct Jmh {
    classes: OsString,
    /// The options of the lane's virtual machine.
    options: String,
    payload: PathBuf,
    result: PathBuf,
    libraries: [&'static str; 2],
    version: String,
}

impl Jmh {
    pub(super) fn new(comparison: &Comparison, built: &BuiltLane) -> Result<Jmh, String> {
        let (sources, jars) =
            (comparison.root.join("benches/harness/java"), comparison.work.join("jars"));
        let mut fetch = Command::new("mvn");
        fetch.args(["--batch-mode", "--quiet", "--no-transfer-progress", "--file"]);
        fetch.arg(sources.join("pom.xml")).arg("dependency:copy-dependencies");
        let mut folder = OsString::from("-DoutputDirectory=");
        folder.push(&jars);
        output(fetch.arg(folder))?;
        let (compiled, lane) = (comparison.work.join("classes"), built.folder().join("target"));
        let parts =
            [compiled.clone(), jars.join("*"), lane.join("lane.jar"), lane.join("lib").join("*")];
        let classes = std::env::join_paths(parts).map_err(|error| error.to_string())?;
        drop(std::fs::remove_dir_all(&compiled));
        let mut compile = Command::new("javac");
        compile.arg("-cp").arg(&classes).arg("-d").arg(&compiled);
        output(compile.arg(sources.join("Agree.java")))?;
        let run = &built.lane().manifest().run;
        let options = run.iter().skip(1).take_while(|word| *word != "-jar").cloned();
        Ok(Jmh {
            classes,
            options: options.collect::<Vec<_>>().join(" "),
            payload: comparison.payload.clone(),
            result: comparison.work.join("result.json"),
            libraries: comparison.libraries,
            version: version(&jars)?,
        })
    }
}

/// Returns the version of JMH: `jmh-core-1.37.jar` is JMH 1.37.
fn version(jars: &std::path::Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", jars.display());
    for entry in std::fs::read_dir(jars).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if let Some(rest) = name.strip_prefix("jmh-core-") {
            return Ok(format!("JMH {}", rest.trim_end_matches(".jar")));
        }
    }
    Err(format!("{}: no jmh-core in it", jars.display()))
}

impl Harness for Jmh {
    fn version(&self) -> &str {
        &self.version
    }

    fn process(&mut self) -> Result<[f64; 4], String> {
        drop(std::fs::remove_file(&self.result));
        let mut command = Command::new("java");
        command.arg("-cp").arg(&self.classes).args(["org.openjdk.jmh.Main", "Agree"]).args(LENGTH);
        command.arg("-p").arg(format!("library={}", self.libraries.join(",")));
        command.arg("-jvmArgsAppend").arg(&self.options);
        command.args(["-v", "SILENT", "-rf", "json", "-rff"]).arg(&self.result);
        output(command.env("MANYWIRE_PAYLOAD", &self.payload))?;
        let text = std::fs::read(&self.result).map_err(|error| error.to_string())?;
        let result: Value = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
        let mut ns = [0.0; 4];
        for (case, time) in CASES.iter().zip(&mut ns) {
            let library = self.libraries[case.library];
            let operation = case.operation.to_string();
            let found = score(&result, library, &operation);
            *time = found.ok_or_else(|| format!("JMH says nothing of {library} {operation}"))?;
        }
        Ok(ns)
    }
}

/// Returns the average time of a benchmark in nanoseconds.
fn score(result: &Value, library: &str, operation: &str) -> Option<f64> {
    let is_it = |benchmark: &&Value| {
        let name = benchmark["benchmark"].as_str().unwrap_or_default();
        name.rsplit('.').next() == Some(operation) && benchmark["params"]["library"] == library
    };
    let metric = &result.as_array()?.iter().find(is_it)?["primaryMetric"];
    (metric["scoreUnit"] == "ns/op").then(|| metric["score"].as_f64())?
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::score;

    #[test]
    fn finds_scores_by_operation_and_library() {
        let of = |operation: &str, library: &str, score: f64, unit: &str| {
            json!({
                "benchmark": format!("manywire.lane.Agree.{operation}"),
                "params": { "library": library },
                "primaryMetric": { "score": score, "scoreUnit": unit },
            })
        };
        let result = json!([
            of("decode", "a", 1.0, "ns/op"),
            of("encode", "a", 2.0, "ns/op"),
            of("encode", "b", 3.0, "ops/s"),
        ]);
        assert_eq!(score(&result, "a", "encode"), Some(2.0));
        assert_eq!(score(&result, "b", "encode"), None, "no time");
        assert_eq!(score(&result, "b", "decode"), None);
    }
}
