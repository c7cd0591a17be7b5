use std::path::{Path, PathBuf};

/// What is measured on either side.
pub(crate) struct Matter {
    /// The lane.
    pub(crate) lane: &'static str,
    /// The two libraries: the ratio is of the second to the first.
    pub(crate) libraries: [&'static str; 2],
    /// The payload, compact JSON.
    pub(crate) payload: PathBuf,
    /// Where lanes and this folder are.
    pub(crate) root: PathBuf,
    /// Where the harness is built.
    pub(crate) work: PathBuf,
}

/// One thing that is timed: a library and an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) library: usize,
    pub(crate) operation: &'static str,
}

/// In the order of every list of times.
pub(crate) const CASES: [Case; 4] = [
    Case { library: 0, operation: "encode" },
    Case { library: 0, operation: "decode" },
    Case { library: 1, operation: "encode" },
    Case { library: 1, operation: "decode" },
];

/// The operations, and where both libraries' cases of each stand in [`CASES`].
pub(crate) const PAIRS: [(&str, [usize; 2]); 2] = [("encode", [0, 2]), ("decode", [1, 3])];

/// The library that users have and the fast one, both for values without types of their own.
const LANES: [(&str, [&str; 2]); 4] = [
    ("go", ["encoding/json", "goccy/go-json"]),
    ("java", ["jackson-databind", "fastjson2"]),
    ("python", ["json", "orjson"]),
    ("rust", ["serde_json", "sonic-rs"]),
];

impl Matter {
    pub(crate) fn of(lane: &str) -> Result<Matter, String> {
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
        Ok(Matter { lane, libraries, payload, root, work })
    }
}
