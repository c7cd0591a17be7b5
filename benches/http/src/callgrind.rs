//! Counting with callgrind: the profile of a process, and the cost of a request.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, fs, io};

use crate::exchange::Exchange;
use crate::process::Server;
use crate::{Scenario, client};

/// The allocation functions of the C library. Callgrind counts their calls like all others, so no
/// counting allocator is needed.
const ALLOCATORS: [&str; 6] =
    ["malloc", "calloc", "realloc", "aligned_alloc", "memalign", "posix_memalign"];

/// The totals of a process from start to end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// The number of instructions.
    pub instructions: f64,
    /// The number of allocations and reallocations.
    pub allocations: f64,
}

/// Returns true if valgrind is installed.
pub fn is_installed() -> bool {
    let status = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// A profile that callgrind writes when a process ends.
#[derive(Debug)]
pub struct Profile(PathBuf);

impl Profile {
    /// Creates a profile at a path that no other process uses.
    pub fn new(name: &str) -> Self {
        Profile(env::temp_dir().join(format!("manywire-{name}-{}", std::process::id())))
    }

    /// Returns the options of valgrind for this profile.
    pub fn options(&self) -> [String; 2] {
        let out = format!("--callgrind-out-file={}", self.0.display());
        ["--tool=callgrind".to_owned(), out]
    }

    /// Reads the totals and removes the file.
    ///
    /// # Errors
    /// Returns an error if the profile is missing or invalid.
    pub fn read(self) -> io::Result<Totals> {
        let text = fs::read_to_string(&self.0)?;
        fs::remove_file(&self.0)?;
        totals(&text).ok_or_else(|| {
            io::Error::other(format!("{} has no totals of instructions", self.0.display()))
        })
    }
}

/// Parses the totals of a profile (Valgrind's manual, "Callgrind Format Specification"). A line
/// names the called function, by a number once its name is known, and the next line has the number
/// of calls.
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

/// The numbers of requests of two runs. The difference of their costs does not contain the start of
/// the server. This start varies by 150,000 instructions between runs, because the allocator may
/// tidy up once more.
const FEW: usize = 200;
const MANY: usize = 5_200;

/// Returns the totals of one request.
///
/// # Errors
/// Returns an error if the server fails or responds wrongly, or if valgrind fails.
pub fn request(stack: &str, scenario: Scenario) -> io::Result<Totals> {
    let exchange = Exchange::for_scenario(scenario);
    let run = |times| -> io::Result<Totals> {
        let profile = Profile::new("http");
        let [tool, out] = profile.options();
        let server = Server::start(&["valgrind", &tool, &out], stack, scenario)?;
        client::exchange(&server.address, &exchange, times)?;
        server.end()?;
        profile.read()
    };
    let (few, many) = (run(FEW)?, run(MANY)?);
    let each = |few: f64, many: f64| (many - few) / (MANY - FEW) as f64;
    Ok(Totals {
        instructions: each(few.instructions, many.instructions),
        allocations: each(few.allocations, many.allocations),
    })
}
