//! A lane of `lanes/`, its status on this machine, and the set of lanes that is built for a run.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use super::lane_input::LaneInput;
use super::manifest::Manifest;
use super::source::Source;
use super::toolchain::ToolStatus;
use super::typed::PreparedLane;
use super::{build, manifest, source, toolchain};
use crate::weigh::progress::Progress;
use crate::weigh::report::{BUILT_IN_LANE, LaneNote};
use crate::weigh::subject::Subject;

/// A language runtime that payloads can be weighed in.
#[derive(Clone, Debug)]
pub struct Lane {
    manifest: Manifest,
    pub(super) source: Source,
    known: Vec<manifest::KnownFailure>,
}

/// The readiness of a lane on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Built.
    Ready,
    /// The toolchain is there, but the lane is not built.
    Buildable,
    /// Programs are missing. Each text names one and says how to get it.
    Missing(Vec<String>),
}

/// The status of a lane on this machine.
#[derive(Clone, Debug)]
pub struct LaneStatus {
    /// The programs that the lane needs, in the order of the manifest, with their status.
    pub tools: Vec<(String, ToolStatus)>,
    /// The readiness of the lane.
    pub readiness: Readiness,
}

/// A lane that can be launched.
#[derive(Clone, Debug)]
pub struct BuiltLane {
    pub(super) lane: Lane,
    pub(super) folder: PathBuf,
    /// The program of a lane that is built into one. It takes the words of `run` as arguments.
    program: Option<PathBuf>,
}

/// Returns every lane of this folder. Without a folder, returns those of the checkout, or else
/// those packed into this program.
///
/// # Errors
///
/// Fails if a folder cannot be read, or if a `lane.toml` or `failing.txt` is invalid.
pub fn all(folder: Option<&Path>) -> Result<Vec<Lane>, String> {
    source::sources(folder)?.into_iter().map(Lane::read).collect()
}

/// Returns the lanes that are packed into this program.
///
/// # Errors
///
/// Fails as [`all`] does.
pub fn carried() -> Result<Vec<Lane>, String> {
    source::carried().into_iter().map(Lane::read).collect()
}

/// Returns the status of each lane, in order. Lanes are checked in parallel: a Java program takes
/// half a second to print its version.
pub fn lane_statuses(lanes: &[Lane]) -> Vec<LaneStatus> {
    thread::scope(|scope| {
        let asked: Vec<_> = lanes.iter().map(|lane| scope.spawn(|| lane.status())).collect();
        let told = asked.into_iter().map(|asked| asked.join());
        told.map(|status| status.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

impl Lane {
    fn read(source: Source) -> Result<Lane, String> {
        let name = &source.name;
        let text = source
            .text("lane.toml")
            .ok_or_else(|| format!("lanes/{name}/lane.toml: missing, or not UTF-8"))?;
        let manifest = Manifest::read(name, text)?;
        let known =
            manifest::read_known_failures(name, source.text("failing.txt").unwrap_or_default())?;
        Ok(Lane { manifest, known, source })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    /// The name that people know it by.
    pub fn title(&self) -> &str {
        &self.manifest.title
    }

    /// The contents of `lane.toml`.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The entries of `failing.txt`.
    pub fn known_failures(&self) -> &[manifest::KnownFailure] {
        &self.known
    }

    /// Returns every row that the lane can fill.
    pub fn subjects(&self) -> Vec<Subject> {
        self.manifest.subjects()
    }

    /// Returns the fingerprint of the folder's content, which names its build: sixteen hexadecimal
    /// digits.
    pub fn fingerprint(&self) -> String {
        self.source.fingerprint()
    }

    /// Runs each needed program for its version, and looks for a build.
    pub fn status(&self) -> LaneStatus {
        let tools = self.manifest.toolchain.iter();
        let tools: Vec<(String, ToolStatus)> =
            tools.map(|tool| (tool.program.clone(), toolchain::find(tool))).collect();
        let missing = tools.iter().filter_map(|(_, found)| match found {
            ToolStatus::Missing(why) => Some(why.clone()),
            ToolStatus::Ready(_) => None,
        });
        let missing: Vec<String> = missing.collect();
        let readiness = match build::folder(&self.source) {
            _ if !missing.is_empty() => Readiness::Missing(missing),
            Ok(folder) if build::is_done(&folder) => Readiness::Ready,
            _ => Readiness::Buildable,
        };
        LaneStatus { tools, readiness }
    }

    /// Builds the lane, unless a build exists.
    ///
    /// # Errors
    ///
    /// Returns the missing programs, or the command that failed with the end of its output.
    pub fn build(&self, interrupted: &AtomicBool) -> Result<BuiltLane, String> {
        match self.status().readiness {
            Readiness::Missing(missing) => Err(missing.join("; ")),
            Readiness::Ready | Readiness::Buildable => self.build_with_toolchain(interrupted),
        }
    }

    /// Builds the lane without checking its toolchain.
    pub(super) fn build_with_toolchain(
        &self,
        interrupted: &AtomicBool,
    ) -> Result<BuiltLane, String> {
        let folder = build::build(&self.source, &self.source, &self.manifest.build, interrupted)?;
        Ok(BuiltLane::new(self.clone(), folder))
    }
}

impl BuiltLane {
    pub(super) fn new(lane: Lane, folder: PathBuf) -> Self {
        BuiltLane { lane, folder, program: None }
    }

    /// Returns a lane that is built into `program`, which takes the words of `run` as arguments.
    pub(crate) fn built_in(manifest: Manifest, program: PathBuf) -> Self {
        let source = Source { name: manifest.name.clone(), files: Vec::new() };
        let lane = Lane { manifest, source, known: Vec::new() };
        BuiltLane { lane, folder: PathBuf::new(), program: Some(program) }
    }

    /// Returns whether the lane is built into this program.
    pub(crate) fn is_built_in(&self) -> bool {
        self.program.is_some()
    }

    /// Returns the command of the lane's process.
    pub(super) fn command(&self) -> Result<Command, String> {
        match &self.program {
            Some(program) => {
                let mut command = Command::new(program);
                command.args(&self.lane.manifest.run);
                Ok(command)
            }
            None => build::command(&self.lane.manifest.run, &self.folder),
        }
    }

    /// The lane.
    pub fn lane(&self) -> &Lane {
        &self.lane
    }

    /// The folder with the copied sources and the build's output.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// The lanes that a user asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Every lane whose toolchain is there.
    All,
    /// The named lanes. A missing one is an error.
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

/// The lanes of one run.
#[derive(Clone, Debug, Default)]
pub struct LaneSet {
    /// The lanes that can be launched. Each is built once for every group of payloads, in order.
    pub prepared: Vec<Vec<PreparedLane>>,
    /// A note for each requested lane.
    pub notes: Vec<LaneNote>,
    /// True if a lane that was named is missing or could not be built.
    pub missing: bool,
}

impl LaneSet {
    /// Returns the lanes as built for the group of payloads at `index`.
    pub fn of(&self, index: usize) -> impl Iterator<Item = &PreparedLane> {
        self.prepared.iter().filter_map(move |lane| lane.get(index))
    }
}

/// Finds lanes and builds them for each group of payloads, or without payloads if there are none.
/// `delta` is δ within each lane.
///
/// Lanes are built in parallel, because a build mostly waits for a registry or for a compiler on
/// one core.
///
/// # Errors
///
/// Returns a message if a name is unknown or a lane in the folder is invalid.
pub fn prepare_lanes(
    selection: &Selection,
    folder: Option<&Path>,
    delta: f64,
    lane_input: &[LaneInput],
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Result<LaneSet, String> {
    let lanes = all(folder)?;
    let (lanes, named) = match selection {
        Selection::All => (lanes, false),
        Selection::Named(names) => (select_lanes(lanes, names)?, true),
    };
    let (sender, news) = channel();
    let built: Vec<Result<Vec<PreparedLane>, String>> = thread::scope(|scope| {
        let builds: Vec<_> = lanes
            .iter()
            .map(|lane| {
                let news = sender.clone();
                scope.spawn(move || build(lane, lane_input, &news, interrupted))
            })
            .collect();
        drop(sender);
        let mut building: Vec<&str> = Vec::new();
        for BuildEvent { lane, is_building } in news {
            building.retain(|other| *other != lane);
            building.extend(is_building.then_some(lane));
            if !building.is_empty() {
                progress.say(&format!("building lanes: {}", building.join(", ")));
            }
        }
        let failed =
            |_| Err("the build thread panicked; this is a bug, please report it".to_owned());
        builds.into_iter().map(|build| build.join().unwrap_or_else(failed)).collect()
    });
    let mut lane_set = LaneSet::default();
    for (lane, built) in lanes.iter().zip(built) {
        let status = match built {
            Ok(prepared) => {
                lane_set.prepared.push(prepared);
                "ok".to_owned()
            }
            Err(why) => {
                // A build that fails with its toolchain present is an error if the lane was named.
                lane_set.missing |= named;
                format!("skipped: {why}")
            }
        };
        let (name, title) = (lane.name().to_owned(), lane.title().to_owned());
        lane_set.notes.push(LaneNote { lane: name, title, runtime: None, status, delta });
    }
    Ok(lane_set)
}

/// The start or end of a lane's build.
struct BuildEvent<'a> {
    lane: &'a str,
    is_building: bool,
}

/// Builds one lane, and reports the start and end if the build may take long.
fn build<'a>(
    lane: &'a Lane,
    lane_input: &[LaneInput],
    news: &Sender<BuildEvent<'a>>,
    interrupted: &AtomicBool,
) -> Result<Vec<PreparedLane>, String> {
    let readiness = lane.status().readiness;
    if let Readiness::Missing(missing) = readiness {
        return Err(missing.join("; "));
    }
    // Sending fails only if the caller has gone, and then nobody needs the event.
    let tell = |is_building| drop(news.send(BuildEvent { lane: lane.name(), is_building }));
    let has_types = lane.manifest().typed.is_some() && !lane_input.is_empty();
    tell(readiness == Readiness::Buildable || has_types);
    let built = match lane_input {
        [] => lane.build_with_toolchain(interrupted).map(|_| Vec::new()),
        lane_input => {
            lane_input.iter().map(|lane_input| lane.prepare(lane_input, interrupted)).collect()
        }
    };
    tell(false);
    built
}

fn select_lanes(mut lanes: Vec<Lane>, names: &[String]) -> Result<Vec<Lane>, String> {
    let known: Vec<String> = lanes.iter().map(|lane| lane.name().to_owned()).collect();
    // Rows of our own are always there, whether or not a lane of that name adds others.
    let unknown = names.iter().find(|name| !known.contains(name) && *name != BUILT_IN_LANE);
    if let Some(name) = unknown {
        return Err(format!("no lane {name:?}; there are {}", known.join(", ")));
    }
    lanes.retain(|lane| names.iter().any(|name| name == lane.name()));
    Ok(lanes)
}
