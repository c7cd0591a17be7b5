//! A lane of `lanes/`, its status on this machine, and the set of lanes that is built for a run.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::build::BuildMonitor;
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
            Readiness::Ready | Readiness::Buildable => {
                self.build_with_toolchain(BuildMonitor { interrupted, on_command: &|_| {} })
            }
        }
    }

    /// Builds the lane without checking its toolchain.
    pub(super) fn build_with_toolchain(
        &self,
        monitor: BuildMonitor<'_>,
    ) -> Result<BuiltLane, String> {
        let (source, commands) = (&self.source, &self.manifest.build);
        let folder = build::build(source, source, commands, self.idle_limit(), monitor)?;
        Ok(BuiltLane::new(self.clone(), folder))
    }

    /// Returns the time limit of a build command without progress.
    pub(super) fn idle_limit(&self) -> Duration {
        Duration::from_secs(self.manifest.build_idle_limit_s)
    }

    /// Returns whether `all` includes the lane.
    fn is_in_all(&self) -> bool {
        !self.manifest.by_name || build::folder(&self.source).is_ok_and(|it| build::is_done(&it))
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
    /// Every lane whose toolchain is there, but of those that are built by name only the built ones.
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
    let (lanes, left_out, named) = match selection {
        Selection::All => {
            let (included, left_out) = lanes.into_iter().partition(Lane::is_in_all);
            (included, left_out, false)
        }
        Selection::Named(names) => (select_lanes(lanes, names)?, Vec::new(), true),
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
        show_builds(&news, progress);
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
        lane_set.notes.push(note(lane, status, delta));
    }
    for lane in &left_out {
        lane_set.notes.push(note(lane, BY_NAME.to_owned(), delta));
    }
    Ok(lane_set)
}

/// The status of a lane that `all` leaves out. It is the same for each of them, so that a report has it
/// once.
const BY_NAME: &str = "skipped: part of `all` only after `manywire lanes build NAME`; `manywire lanes` lists its needs";

fn note(lane: &Lane, status: String, delta: f64) -> LaneNote {
    let (name, title) = (lane.name().to_owned(), lane.title().to_owned());
    LaneNote { lane: name, title, runtime: None, status, delta }
}

/// A command of a lane's build that has started, or `None` at the end of the build.
struct BuildEvent<'a> {
    lane: &'a str,
    command: Option<String>,
}

/// The interval between updates of the time that builds have taken.
const BUILD_REFRESH: Duration = Duration::from_secs(1);

/// The longest command that is shown in full, in characters.
const COMMAND_WIDTH: usize = 30;

/// Shows the running builds until all of them have ended: the lane, its command, and the time since the
/// command started.
fn show_builds(news: &Receiver<BuildEvent<'_>>, progress: &mut dyn Progress) {
    let mut running: Vec<(&str, String, Instant)> = Vec::new();
    loop {
        match news.recv_timeout(BUILD_REFRESH) {
            Ok(BuildEvent { lane, command }) => {
                running.retain(|(other, ..)| *other != lane);
                running.extend(command.map(|command| (lane, command, Instant::now())));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let builds = running.iter().map(|(lane, command, start)| {
            let short: String = command.chars().take(COMMAND_WIDTH).collect();
            let cut = if short.len() < command.len() { "…" } else { "" };
            format!("{lane} ({short}{cut}, {} s)", start.elapsed().as_secs())
        });
        let builds: Vec<String> = builds.collect();
        if !builds.is_empty() {
            progress.say(&format!("building lanes: {}", builds.join(", ")));
        }
    }
}

/// Builds one lane, and reports its commands if the build may take long.
fn build<'a>(
    lane: &'a Lane,
    lane_input: &[LaneInput],
    news: &Sender<BuildEvent<'a>>,
    interrupted: &AtomicBool,
) -> Result<Vec<PreparedLane>, String> {
    if let Readiness::Missing(missing) = lane.status().readiness {
        return Err(missing.join("; "));
    }
    // Sending fails only if the caller has gone, and then nobody needs the event.
    let tell = |command| drop(news.send(BuildEvent { lane: lane.name(), command }));
    let on_command = |command: &str| tell(Some(command.to_owned()));
    let monitor = BuildMonitor { interrupted, on_command: &on_command };
    let built = match lane_input {
        [] => lane.build_with_toolchain(monitor).map(|_| Vec::new()),
        lane_input => {
            lane_input.iter().map(|lane_input| lane.prepare(lane_input, monitor)).collect()
        }
    };
    tell(None);
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
