use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use super::lane::{self, Built, Lane, Readiness};
use crate::measure::{HOUSE, Progress};
use crate::report::LaneNote;

/// Which lanes are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Every lane whose toolchain is there.
    All,
    /// These, whose absence is an error.
    Named(Vec<String>),
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        match names.as_slice() {
            [name] if name == "all" => Ok(Selection::All),
            names if names.iter().any(|name| name.is_empty() || name == "all") => {
                Err(format!("{text:?}: write all, or names such as go,node"))
            }
            _ => Ok(Selection::Named(names)),
        }
    }
}

/// The lanes that turned up.
#[derive(Clone, Debug, Default)]
pub struct Muster {
    /// Those that can be launched.
    pub built: Vec<Built>,
    /// A note for each that was asked for.
    pub notes: Vec<LaneNote>,
    /// Whether one that was asked for by name is missing or could not be built.
    pub missing: bool,
}

/// Finds and builds lanes. `delta` is δ within each.
///
/// # Errors
///
/// A name that no lane has, or a folder of lanes with something wrong in it.
pub fn muster(
    selection: &Selection,
    folder: Option<&Path>,
    delta: f64,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Result<Muster, String> {
    let lanes = lane::all(folder)?;
    let (lanes, named) = match selection {
        Selection::All => (lanes, false),
        Selection::Named(names) => (pick(lanes, names)?, true),
    };
    let mut muster = Muster::default();
    for lane in lanes {
        let status = match lane.readiness() {
            Readiness::Missing(missing) => Err(missing.join("; ")),
            readiness => {
                if readiness == Readiness::Buildable {
                    progress.say(&format!("building the {} lane", lane.name()));
                }
                lane.build(interrupted)
            }
        };
        let status = match status {
            Ok(built) => {
                muster.built.push(built);
                "ok".to_owned()
            }
            Err(why) => {
                // A build that fails although all it needs is there is nothing to pass over.
                muster.missing |= named;
                format!("skipped: {why}")
            }
        };
        let (name, title) = (lane.name().to_owned(), lane.title().to_owned());
        muster.notes.push(LaneNote { lane: name, title, runtime: None, status, delta });
    }
    Ok(muster)
}

fn pick(mut lanes: Vec<Lane>, names: &[String]) -> Result<Vec<Lane>, String> {
    let known: Vec<String> = lanes.iter().map(|lane| lane.name().to_owned()).collect();
    // Rows of our own are always there, whether or not a lane of that name adds others.
    let unknown = names.iter().find(|name| !known.contains(name) && *name != HOUSE);
    if let Some(name) = unknown {
        return Err(format!("no lane {name:?}; there are {}", known.join(", ")));
    }
    lanes.retain(|lane| names.iter().any(|name| name == lane.name()));
    Ok(lanes)
}
