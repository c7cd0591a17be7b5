//! The harness of Go: `go test -bench`.

use std::path::PathBuf;
use std::process::Command;

use manywire_tools::weigh::lanes::BuiltLane;

use super::harness::{Harness, output};
use crate::comparison::{CASES, Comparison};
use crate::lane_copy::Edit;

/// `go test -bench`: one process runs all benchmarks, one after the other.
pub(crate) struct GoTest {
    program: PathBuf,
    payload: PathBuf,
    libraries: [&'static str; 2],
    version: String,
}

/// The edit that links the benchmarks with the whole lane. Without a request for benchmarks the
/// program is the lane.
pub(super) const EDITS: [Edit; 1] = [Edit {
    file: "lane.toml",
    from: r#"build = [["go", "build", "-trimpath", "-o", "bin/lane", "."]]"#,
    to: r#"build = [["go", "test", "-c", "-trimpath", "-o", "bin/lane", "."]]"#,
}];

impl GoTest {
    pub(super) fn new(comparison: &Comparison, built: &BuiltLane) -> Result<GoTest, String> {
        Ok(GoTest {
            program: built.folder().join("bin/lane"),
            payload: comparison.payload.clone(),
            libraries: comparison.libraries,
            version: output(Command::new("go").arg("version"))?.trim().to_owned(),
        })
    }
}

impl Harness for GoTest {
    fn version(&self) -> &str {
        &self.version
    }

    fn process(&mut self) -> Result<[f64; 4], String> {
        let mut command = Command::new(&self.program);
        command.args(["-test.run=^$", "-test.bench=^BenchmarkAgree$", "-test.benchtime=300ms"]);
        command.env("MANYWIRE_PAYLOAD", &self.payload);
        command.env("MANYWIRE_LIBRARIES", self.libraries.join(","));
        let text = output(&mut command)?;
        let mut ns = [0.0; 4];
        for (case, time) in CASES.iter().zip(&mut ns) {
            let library = self.libraries[case.library].replace('/', ".");
            let name = format!("BenchmarkAgree/{library}:{}", case.operation);
            *time = ns_per_op(&text, &name).ok_or_else(|| format!("nothing of {name}:\n{text}"))?;
        }
        Ok(ns)
    }
}

/// Parses `BenchmarkAgree/encoding.json:encode-2     19804  12101 ns/op`. The suffix with the
/// number of processors is absent if it is 1.
fn ns_per_op(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| {
        let rest = line.strip_prefix(name)?;
        rest.starts_with(['-', ' ', '\t']).then_some(rest)
    })?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let unit = words.iter().position(|word| *word == "ns/op")?;
    words.get(unit.checked_sub(1)?)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::ns_per_op;

    #[test]
    fn parses_benchmark_lines() {
        let text = "goos: linux\nBenchmarkAgree/a:encode-2  \t 100\t 12.5 ns/op\n\
            BenchmarkAgree/a:decode \t 100\t 7 ns/op\t 3 B/op\nPASS\n";
        assert_eq!(ns_per_op(text, "BenchmarkAgree/a:encode"), Some(12.5));
        assert_eq!(ns_per_op(text, "BenchmarkAgree/a:decode"), Some(7.0));
        assert_eq!(ns_per_op(text, "BenchmarkAgree/a"), None);
    }
}
