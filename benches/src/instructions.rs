//! Instructions per operation, counted by callgrind. The count does not depend on the load of the
//! machine.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs, io};

use crate::Subject;

/// The argument of a process whose instructions callgrind counts.
pub const UNDER_CALLGRIND: &str = "--under-callgrind";

/// The symbol of [`counted_region`].
const REGION: &str = concat!(module_path!(), "::counted_region");

/// The number of operations, enough to hide the cost of the first ones.
const OPERATIONS: u64 = 10;

/// Counts the instructions per operation of each subject. Returns `None` without valgrind.
///
/// # Errors
///
/// Returns an error if valgrind fails or its output cannot be parsed.
pub fn count(subjects: &[String], filter: &str) -> io::Result<Option<BTreeMap<String, f64>>> {
    let directory = env::temp_dir().join(format!("manywire-benches-{}", std::process::id()));
    fs::create_dir_all(&directory)?;
    let out = directory.join("out");
    let status = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(format!("--callgrind-out-file={}", out.display()))
        // Counting is limited to the region, and each pass through the region writes a file.
        .arg(format!("--toggle-collect={REGION}"))
        .arg(format!("--dump-after={REGION}"))
        .arg(env::current_exe()?)
        .args(["--bench", UNDER_CALLGRIND, filter])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let counts = match status {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
        Ok(status) if !status.success() => Err(io::Error::other(format!("valgrind: {status}"))),
        Ok(_) => subjects
            .iter()
            .enumerate()
            .map(|(at, id)| {
                let dump = total(&directory.join(format!("out.{}", at + 1)))?;
                Ok((id.clone(), dump / OPERATIONS as f64))
            })
            .collect::<io::Result<_>>()
            .map(Some),
    };
    fs::remove_dir_all(&directory)?;
    counts
}

/// Runs every subject in the region that callgrind counts, after two uncounted operations.
pub fn run(subjects: Vec<Subject>) {
    for mut subject in subjects {
        subject.run(2);
        counted_region(&mut subject, OPERATIONS);
    }
}

#[inline(never)]
fn counted_region(subject: &mut Subject, times: u64) {
    subject.run(times);
}

/// Returns the instructions of one dump, from its line of totals.
fn total(path: &Path) -> io::Result<f64> {
    let text = fs::read_to_string(path)?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")?.trim().parse().ok());
    total.ok_or_else(|| io::Error::other(format!("{} has no totals", path.display())))
}
