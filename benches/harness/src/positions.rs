//! A comparison of six identical subjects, which should measure alike.
//!
//! The lane is a copy to which one of its subjects is added five times, under other names. Each
//! subject has its own values in memory, as any two libraries have. If a subject is faster or
//! slower than the others, its position in the lane is the cause: the order of loading, of warming
//! up, or of the rounds. Every library of a report would have that error.

use std::path::{Path, PathBuf};
use std::{fs, io};

use manywire_tools::weigh::lanes::BuiltLane;
use manywire_tools::weigh::statistics::{Interval, Verdict, judge};
use manywire_tools::weigh::subject::{Operation, Subject};

use crate::lane::{self, LaneUnderTest, over_rounds};
use crate::lane_copy::{Edit, copy_with_edits};

/// The number of identical subjects.
const POSITIONS: usize = 6;

/// The operations that are timed.
const OPERATIONS: [Operation; 2] = [Operation::Encode, Operation::Decode];

/// The largest difference from the mean of all positions at which a position is alike, as a share.
const DIFFERENCE_MAX: f64 = 0.01;

/// The result of a comparison, by the intervals of all positions.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub(crate) enum Outcome {
    /// Every interval lies within [`DIFFERENCE_MAX`], and no verdict calls a copy faster or slower.
    Alike,
    /// An interval lies outside of [`DIFFERENCE_MAX`], or a verdict calls a copy faster or slower.
    Different,
    /// An interval is too wide to decide, or there were fewer than two launches.
    Undecided,
}

/// δ of a lane's rows in a report, as a share: below it, verdicts call two subjects the same.
const DELTA: f64 = 0.05;

/// A lane that can be copied with more subjects.
struct CopiedLane {
    name: &'static str,
    /// The JSON library whose subject is copied.
    library: &'static str,
    edits: &'static [Edit],
}

const LANES: [CopiedLane; 4] = [
    CopiedLane {
        name: "go",
        library: "encoding/json",
        edits: &[
            Edit {
                file: "main.go",
                from: "subjects: slices.Concat(",
                to: "subjects: withCopies(slices.Concat(",
            },
            Edit { file: "main.go", from: "typedSubjects()),", to: "typedSubjects()))," },
        ],
    },
    CopiedLane {
        name: "node",
        library: "JSON",
        edits: &[
            Edit {
                file: "src/main.mjs",
                from: "import { FrameReader",
                to: "import { withCopies } from \"./copies.mjs\";\nimport { FrameReader",
            },
            Edit {
                file: "src/main.mjs",
                from: "const SUBJECTS = [",
                to: "const SUBJECTS = withCopies([",
            },
            Edit { file: "src/main.mjs", from: "...bson];", to: "...bson]);" },
        ],
    },
    CopiedLane {
        name: "python",
        library: "json",
        edits: &[
            Edit {
                file: "lane/subjects/__init__.py",
                from: "from lane.subjects import",
                to: "import dataclasses\n\nfrom lane.subjects import",
            },
            Edit {
                file: "lane/subjects/__init__.py",
                from: "    *bson.SUBJECTS,\n]",
                to: "    *bson.SUBJECTS,\n    \
                     *(dataclasses.replace(json.SUBJECTS[0], library=f\"json {number}\") for number in range(2, 7)),\n]",
            },
        ],
    },
    CopiedLane {
        name: "rust",
        library: "serde_json",
        edits: &[Edit {
            file: "src/subjects/mod.rs",
            from: ".chain(typed::all()).collect()",
            to: ".chain(typed::all()).chain(
        [\"serde_json 2\", \"serde_json 3\", \"serde_json 4\", \"serde_json 5\", \"serde_json 6\"]
            .map(|name| crate::subject::dynamic(name, \"json\", json::dynamic().remove(0).load)),
    ).collect()",
        }],
    },
];

/// The differences of all positions, launch by launch.
pub(crate) struct Positions {
    /// The logarithms of a position's time relative to the mean of all, by operation and position.
    logs: [[Vec<f64>; POSITIONS]; OPERATIONS.len()],
    /// The logarithms of a copy's time relative to the first subject, by operation and copy.
    pairs: [[Vec<f64>; POSITIONS - 1]; OPERATIONS.len()],
}

/// Measures the positions of a lane.
///
/// # Errors
/// Returns an error if the lane is unknown, cannot be copied or built, or if a launch fails.
pub(crate) fn measure(lane: &str, launches: usize) -> Result<Positions, String> {
    let copied = LANES.iter().find(|known| known.name == lane).ok_or_else(|| {
        let names: Vec<&str> = LANES.iter().map(|lane| lane.name).collect();
        format!("positions of {lane} cannot be measured; there are {}", names.join(", "))
    })?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let lane = LaneUnderTest::new(copied.build(&root)?, &root.join("examples/people.json"))?;
    let subjects = (0..POSITIONS).map(|position| lane.subject(&copied.name_of(position)));
    let subjects: Vec<Subject> = subjects.collect::<Result<_, _>>()?;
    let cases =
        subjects.iter().flat_map(|subject| OPERATIONS.map(|operation| (subject, operation)));
    let cases: Vec<(&Subject, Operation)> = cases.collect();
    let mut found = Positions { logs: Default::default(), pairs: Default::default() };
    let mut random = fastrand::Rng::new();
    for number in 1..=launches {
        found.add(&lane.launch(&cases, random.u64(..))?)?;
        eprintln!("launch {number} of {launches}");
    }
    Ok(found)
}

impl CopiedLane {
    fn name_of(&self, position: usize) -> String {
        match position {
            0 => self.library.to_owned(),
            _ => format!("{} {}", self.library, position + 1),
        }
    }

    fn build(&self, root: &Path) -> Result<BuiltLane, String> {
        let work = root.join("target/positions").join(self.name);
        let added = root.join("benches/harness/positions").join(self.name);
        let lanes = copy_with_edits(self.name, root, &work, &added, self.edits)?;
        self.declare_copies(&lanes).map_err(|error| format!("{}: {error}", lanes.display()))?;
        lane::build(&lanes, self.name)
    }

    /// Adds the copies to the lane's manifest.
    fn declare_copies(&self, lanes: &Path) -> io::Result<()> {
        let manifest: PathBuf = lanes.join(self.name).join("lane.toml");
        let mut text = fs::read_to_string(&manifest)?;
        for position in 1..POSITIONS {
            let name = self.name_of(position);
            text.push_str(&format!(
                "\n[[subject]]\nlibrary = \"{name}\"\nformats = [\"json\"]\ntargets = [\"dynamic\"]\n"
            ));
        }
        fs::write(&manifest, text)
    }
}

impl Positions {
    /// Adds a launch: the nanoseconds of each position and operation in each round, the operations of
    /// one position next to each other.
    fn add(&mut self, times: &[Vec<f64>]) -> Result<(), String> {
        for operation in 0..OPERATIONS.len() {
            let log = |position: usize, round: usize| {
                times[position * OPERATIONS.len() + operation][round].ln()
            };
            let mut from_round = [0.0; POSITIONS];
            for (position, median) in from_round.iter_mut().enumerate() {
                *median = over_rounds(times, |round| {
                    let all = (0..POSITIONS).map(|other| log(other, round));
                    log(position, round) - all.sum::<f64>() / POSITIONS as f64
                })?;
            }
            // If a disturbance slows one batch of a round, the five others are below the mean of
            // that round. The medians would therefore lie below 0 at every position.
            let mean = from_round.iter().sum::<f64>() / POSITIONS as f64;
            for (logs, median) in self.logs[operation].iter_mut().zip(from_round) {
                logs.push(median - mean);
            }
            for position in 1..POSITIONS {
                let from_first = over_rounds(times, |round| log(position, round) - log(0, round))?;
                self.pairs[operation][position - 1].push(from_first);
            }
        }
        Ok(())
    }

    /// Returns the 95 % interval of a position's difference from the mean of all, in logarithms, or
    /// `None` for fewer than two launches.
    fn difference(&self, operation: usize, position: usize) -> Option<Interval> {
        Interval::of(&self.logs[operation][position])
    }

    /// Returns the number of verdicts that call a copy faster or slower than the first subject.
    fn false_verdicts(&self) -> usize {
        let all = self.pairs.iter().flatten();
        let intervals: Vec<Interval> = all.filter_map(|logs| Interval::of(logs)).collect();
        let is_false = |verdict| matches!(verdict, Verdict::Faster | Verdict::Slower);
        judge(&intervals, DELTA).iter().filter(|judged| is_false(judged.verdict)).count()
    }

    /// Returns the outcome by the intervals of all positions and the verdicts about the copies.
    pub(crate) fn outcome(&self) -> Outcome {
        let all = (0..OPERATIONS.len()).flat_map(|it| (0..POSITIONS).map(move |at| (it, at)));
        let intervals: Option<Vec<Interval>> =
            all.map(|(operation, position)| self.difference(operation, position)).collect();
        let Some(intervals) = intervals else {
            return Outcome::Undecided;
        };
        let max = DIFFERENCE_MAX.ln_1p();
        let is_within = |interval: &Interval| interval.mean.abs() + interval.half_width <= max;
        let is_outside = |interval: &Interval| interval.mean.abs() - interval.half_width > max;
        if self.false_verdicts() > 0 || intervals.iter().any(is_outside) {
            Outcome::Different
        } else if intervals.iter().all(is_within) {
            Outcome::Alike
        } else {
            Outcome::Undecided
        }
    }

    /// Returns the results as a table.
    pub(crate) fn table(&self) -> String {
        let mut text = String::from(
            "difference from the mean of six identical subjects; expected within 1 %\n",
        );
        for (index, operation) in OPERATIONS.iter().enumerate() {
            let cells = (0..POSITIONS).map(|position| {
                let Some(interval) = self.difference(index, position) else {
                    return "n/a".to_owned();
                };
                let percent = |log: f64| 100.0 * log.exp_m1();
                format!("{:+.2} ±{:.2} %", percent(interval.mean), percent(interval.half_width))
            });
            let cells: Vec<String> = cells.collect();
            text.push_str(&format!("{operation:?}: {}\n", cells.join(" | ")));
        }
        text.push_str(&format!(
            "verdicts that call a copy faster or slower: {}\n",
            self.false_verdicts()
        ));
        text.push_str(match self.outcome() {
            Outcome::Alike => "alike: every interval lies within 1 %\n",
            Outcome::Different => "different: the position changes what is measured\n",
            Outcome::Undecided => "undecided: more launches are needed, or a quieter machine\n",
        });
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(ns: [f64; POSITIONS]) -> Vec<Vec<f64>> {
        ns.into_iter().flat_map(|ns| [vec![ns; 3], vec![2.0 * ns; 3]]).collect()
    }

    #[test]
    fn intervals_decide() {
        let mut equal = Positions { logs: Default::default(), pairs: Default::default() };
        let mut slower = Positions { logs: Default::default(), pairs: Default::default() };
        let mut unclear = Positions { logs: Default::default(), pairs: Default::default() };
        for launch in 0..25 {
            let noise = 1.0 + f64::from(launch % 5) / 1_000.0;
            let noisy = if launch % 2 == 0 { 110.0 } else { 90.0 };
            equal.add(&times([100.0, 100.0 * noise, 100.0, 100.0, 100.0, 100.0])).unwrap();
            slower.add(&times([106.0, 100.0 * noise, 100.0, 100.0, 100.0, 100.0])).unwrap();
            unclear.add(&times([noisy, 100.0, 100.0, 100.0, 100.0, 100.0])).unwrap();
        }
        assert_eq!(equal.outcome(), Outcome::Alike, "{}", equal.table());
        assert_eq!(slower.outcome(), Outcome::Different, "{}", slower.table());
        assert_eq!(unclear.outcome(), Outcome::Undecided, "{}", unclear.table());
        let difference = slower.difference(0, 0).unwrap().mean.exp_m1();
        assert!((difference - 0.0485).abs() < 0.001, "{}", slower.table());
    }

    /// In every round, a disturbance slows another position.
    #[test]
    fn disturbances_move_no_position() {
        let mut disturbed = Positions { logs: Default::default(), pairs: Default::default() };
        let of_position = |position: usize| {
            let ns = (0..POSITIONS).map(|round| if round == position { 200.0 } else { 100.0 });
            [ns.clone().collect(), ns.collect()]
        };
        let times: Vec<Vec<f64>> = (0..POSITIONS).flat_map(of_position).collect();
        for _ in 0..2 {
            disturbed.add(&times).unwrap();
        }
        for position in 0..POSITIONS {
            let mean = disturbed.difference(0, position).unwrap().mean;
            assert!(mean.abs() < 1e-9, "{}", disturbed.table());
        }
    }

    /// The edits must still apply after a change of the lane's files.
    #[test]
    fn edits_apply_to_the_lanes() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for lane in &LANES {
            let work = std::env::temp_dir().join(format!(
                "positions-{}-{}",
                lane.name,
                std::process::id()
            ));
            let added = root.join("benches/harness/positions").join(lane.name);
            let lanes = copy_with_edits(lane.name, &root, &work, &added, lane.edits).unwrap();
            lane.declare_copies(&lanes).unwrap();
            let found = &manywire_tools::weigh::lanes::all(Some(&lanes)).unwrap()[0];
            let copies =
                found.subjects().iter().filter(|it| it.library.starts_with(lane.library)).count();
            assert!(copies >= POSITIONS, "{}: {copies}", lane.name);
            fs::remove_dir_all(&work).unwrap();
        }
    }
}
