//! Measures how fast the command refuses hostile input: nesting of 100,000 levels, lengths of 4 GB,
//! decompression bombs.
//!
//! ```text
//! cargo bench -p manywire-cli --bench hostile              runs each command on each input three times and takes the minimum
//! cargo bench -p manywire-cli --bench hostile -- --smoke   runs each once without limits
//! ```
//!
//! The figure is processor time minus the start-up time of the command. The expected time is absolute,
//! for a core of 2020 or later: 50 ms, and a microsecond for each line of a listing, because `explain`
//! shows everything it can read before the fault. `tests/hostile` tests the refusal and its memory.

#[cfg(unix)]
#[path = "../tests/hostile/command.rs"]
#[expect(dead_code, reason = "the tests use more of a run than its time")]
mod command;
#[cfg(unix)]
#[path = "../tests/hostile/inputs.rs"]
mod inputs;

#[cfg(not(unix))]
fn main() {
    println!("skipped: the time of a process is measured on Unix only");
}

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    measuring::main()
}

#[cfg(unix)]
mod measuring {
    use std::fs::{self, File};
    use std::path::Path;
    use std::process::ExitCode;
    use std::time::Duration;

    use crate::command::{run_to, temporary, written};
    use crate::inputs::{self, Hostile};

    /// The expected time of a refusal.
    const REFUSAL: Duration = Duration::from_millis(50);

    /// The additional expected time of each line of a listing.
    const LINE: Duration = Duration::from_micros(1);

    /// The number of rows that are shown: those nearest to their expected time.
    const SHOWN: usize = 12;

    struct Row {
        what: String,
        lines: u32,
        took: Duration,
    }

    impl Row {
        fn expected(&self) -> Duration {
            REFUSAL + self.lines * LINE
        }

        fn share(&self) -> f64 {
            self.took.as_secs_f64() / self.expected().as_secs_f64()
        }
    }

    pub(crate) fn main() -> ExitCode {
        let smoke = !std::env::args().any(|argument| argument == "--bench");
        let rounds = if smoke { 1 } else { 3 };
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        inputs::write_bombs(folder);
        let (start, _) =
            least(rounds, &["explain", "--from", "json"], &written("start.json", b"1"));
        let mut rows = Vec::new();
        for hostile in inputs::hostile().into_iter().chain(inputs::bombs(folder)) {
            let Hostile { name, extension, options, commands, bytes } = hostile;
            let file = written(&format!("bench.{extension}"), &bytes);
            for command in commands {
                let (took, lines) = least(rounds, &[command, &options[..]].concat(), &file);
                let what = format!("{}: {name}, {extension}", command.join(" "));
                rows.push(Row { what, lines, took: took.saturating_sub(start) });
            }
            fs::remove_file(file).expect("the file goes");
        }
        rows.sort_by(|one, other| other.share().total_cmp(&one.share()));
        show(&rows);
        let missed = rows.iter().filter(|row| row.share() > 1.0).count();
        println!("\n{} refusals, {missed} of them slower than expected", rows.len());
        if smoke || missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn show(rows: &[Row]) {
        println!("| refusals nearest to the expected time | lines | expected | found |");
        println!("|---|--:|--:|--:|");
        for row in &rows[..SHOWN.min(rows.len())] {
            let milliseconds = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
            let (expected, took) = (milliseconds(row.expected()), milliseconds(row.took));
            println!("| {} | {} | ≤ {expected} | {took} |", row.what, row.lines);
        }
    }

    /// Returns the minimum processor time of some runs, and the number of printed lines.
    fn least(rounds: usize, arguments: &[&str], file: &Path) -> (Duration, u32) {
        let printed = temporary("printed");
        let mut least = Duration::MAX;
        for _ in 0..rounds {
            let output = File::create(&printed).expect("a file for what is printed");
            least = least.min(run_to(output.into(), arguments, file).cpu);
        }
        let lines = fs::read(&printed).expect("what was printed");
        fs::remove_file(&printed).expect("the file goes");
        (least, lines.iter().filter(|byte| **byte == b'\n').count() as u32)
    }
}
