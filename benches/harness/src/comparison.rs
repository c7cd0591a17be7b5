//! The lane, the libraries and the payload of a comparison.

use std::path::{Path, PathBuf};

use manywire_tools::weigh::subject::Operation;

/// A comparison of a lane with the harness of its language.
pub(crate) struct Comparison {
    /// The name of the lane.
    pub(crate) lane: &'static str,
    /// The two libraries. The ratio is of the second to the first.
    pub(crate) libraries: [&'static str; 2],
    /// The path of the payload, compact JSON.
    pub(crate) payload: PathBuf,
    /// The folder of the repository.
    pub(crate) root: PathBuf,
    /// The folder to build the harness in.
    pub(crate) work: PathBuf,
}

/// A timed case: a library and an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) library: usize,
    pub(crate) operation: Operation,
}

/// The cases in the order of every list of times.
pub(crate) const CASES: [Case; 4] = [
    Case { library: 0, operation: Operation::Encode },
    Case { library: 0, operation: Operation::Decode },
    Case { library: 1, operation: Operation::Encode },
    Case { library: 1, operation: Operation::Decode },
];

/// The operations, each with the indices of its two cases in [`CASES`].
pub(crate) const PAIRS: [(Operation, [usize; 2]); 2] =
    [(Operation::Encode, [0, 2]), (Operation::Decode, [1, 3])];

/// The most used library of each lane and the fastest one, both for untyped values.
const LANES: [(&str, [&str; 2]); 4] = [
    ("go", ["encoding/json", "goccy/go-json"]),
    ("java", ["jackson-databind", "fastjson2"]),
    ("python", ["json", "orjson"]),
    ("rust", ["serde_json", "sonic-rs"]),
];

impl Comparison {
    pub(crate) fn for_lane(lane: &str) -> Result<Comparison, String> {
        let known = LANES.iter().find(|(name, _)| *name == lane);
        let (lane, libraries) = *known.ok_or_else(|| {
            let names: Vec<&str> = LANES.iter().map(|(name, _)| *name).collect();
            format!("no harness for {lane}; there are {}", names.join(", "))
        })?;
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let root = root.canonicalize().map_err(|error| format!("{}: {error}", root.display()))?;
        let payload = root.join("examples/people.json");
        let work = root.join("target/harness").join(lane);
        std::fs::create_dir_all(&work).map_err(|error| format!("{}: {error}", work.display()))?;
        Ok(Comparison { lane, libraries, payload, root, work })
    }
}
