//! How soon the command refuses hostile input: nesting of 100,000 levels, lengths of 4 GB, bombs.
//!
//! ```text
//! cargo bench -p manywire-cli --bench hostile              each command on each input, the best of three
//! cargo bench -p manywire-cli --bench hostile -- --smoke   each once, whatever it takes
//! ```
//!
//! Processor time beside what the command takes to start. What is expected is absolute and holds for
//! a core of 2020 or later: 50 ms, and a microsecond for each line of a listing, since `explain`
//! shows all that it can read of what is hostile. That it is refused, and in how little memory, are
//! tests of their own, `tests/hostile`.

#[cfg(unix)]
#[path = "../tests/hostile/command.rs"]
#[expect(dead_code, reason = "the tests look at more of a run than its time")]
mod command;
#[cfg(unix)]
#[path = "../tests/hostile/inputs.rs"]
mod inputs;

#[cfg(not(unix))]
fn main() {
    println!("skipped: what a process took is asked of Unix alone");
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

    /// What a refusal may take.
    const REFUSAL: Duration = Duration::from_millis(50);

    /// What a line of a listing may take on top.
    const LINE: Duration = Duration::from_micros(1);

    /// How many rows are shown: those that come nearest to what they may take.
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
        println!("\n{} refusals, {missed} of them later than expected", rows.len());
        if smoke || missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn show(rows: &[Row]) {
        println!("| of the refusals, those nearest to it | lines | expected | found |");
        println!("|---|--:|--:|--:|");
        for row in &rows[..SHOWN.min(rows.len())] {
            let milliseconds = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
            let (expected, took) = (milliseconds(row.expected()), milliseconds(row.took));
            println!("| {} | {} | ≤ {expected} | {took} |", row.what, row.lines);
        }
    }

    /// The least processor time of some runs, and how many lines were printed.
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
