//! What callgrind writes down of a process: its instructions, and how often it asked for memory.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// The functions of the system by which memory is allocated. Callgrind leaves them as they are, and
/// counts their calls as any other's: no allocator of our own need stand in between.
const ALLOCATORS: [&str; 6] =
    ["malloc", "calloc", "realloc", "aligned_alloc", "memalign", "posix_memalign"];

/// What a process did from its start to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// The instructions it took.
    pub instructions: f64,
    /// How often it allocated, or made an allocation larger.
    pub allocations: f64,
}

/// Whether valgrind can be run.
pub fn is_there() -> bool {
    let status = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// A profile that is written when a process ends.
#[derive(Debug)]
pub struct Profile(PathBuf);

impl Profile {
    /// One that no other process writes at the same time.
    pub fn new(name: &str) -> Self {
        Profile(env::temp_dir().join(format!("manywire-{name}-{}", std::process::id())))
    }

    /// The options of valgrind by which it is written.
    pub fn options(&self) -> [String; 2] {
        let out = format!("--callgrind-out-file={}", self.0.display());
        ["--tool=callgrind".to_owned(), out]
    }

    /// Reads it, and removes it.
    ///
    /// # Errors
    /// When it was not written, or is none.
    pub fn read(self) -> io::Result<Totals> {
        let text = fs::read_to_string(&self.0)?;
        fs::remove_file(&self.0)?;
        totals(&text).ok_or_else(|| {
            io::Error::other(format!("{} has no totals of instructions", self.0.display()))
        })
    }
}

/// The totals of a profile (Valgrind's manual, "Callgrind Format Specification"): a line names what
/// is called, by a number once its name is known, and the next says how often.
fn totals(text: &str) -> Option<Totals> {
    let instructions =
        text.lines().find_map(|line| line.strip_prefix("totals: ")?.trim().parse().ok())?;
    let mut names = HashMap::new();
    let mut called = "";
    let mut allocations = 0.0;
    for line in text.lines() {
        let (is_call, reference) = match (line.strip_prefix("cfn="), line.strip_prefix("fn=")) {
            (Some(reference), _) => (true, reference),
            (None, Some(reference)) => (false, reference),
            (None, None) => {
                let count = line.strip_prefix("calls=").and_then(|rest| rest.split(' ').next());
                if let Some(count) = count.filter(|_| ALLOCATORS.contains(&called)) {
                    allocations += count.parse::<f64>().ok()?;
                }
                continue;
            }
        };
        let name = match reference.split_once(' ') {
            Some((number, name)) => {
                names.insert(number, name);
                name
            }
            None => names.get(reference).copied().unwrap_or(reference),
        };
        if is_call {
            called = name;
        }
    }
    Some(Totals { instructions, allocations })
}
