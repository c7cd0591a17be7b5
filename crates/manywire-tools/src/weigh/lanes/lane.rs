//! A lane of `lanes/`, its status on this machine, the reasons to skip it, and the cleaning of builds.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use std::{fmt, thread};

use super::build::{
    BuildError, BuildMonitor, CacheError, IntactBuilds, ProgramNotFound, RemovedBuilds,
};
use super::manifest::{InvalidLane, Manifest, ManifestFault};
use super::source::{Source, UnreadableFolder};
use super::toolchain::ToolStatus;
use super::transport::Transport;
use super::{build, manifest, source, toolchain};
use crate::weigh::subject::Subject;

/// A language runtime that payloads can be weighed in.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The name of the folder; for a lane with one of its further servers, that server's name follows after a
    /// colon.
    name: String,
    /// The transport of the lane's server.
    transport: Transport,
    manifest: Manifest,
    pub(super) source: Source,
    known: Vec<manifest::KnownFailure>,
}

/// The character between the names of a lane and of one of its further servers.
pub const SERVER_SEPARATOR: char = ':';

/// The file with the commands that build a further server after the lane.
const SERVER_BUILD: &str = ".manywire-server";

/// The readiness of a lane on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// The lane is built.
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
    /// The program that a built-in lane is part of, which takes the words of `run` as arguments;
    /// `None` for a lane with a folder.
    program: Option<PathBuf>,
}

/// The reason that a selected lane takes no part in a run.
#[derive(Debug)]
pub enum SkipReason {
    /// The lane is part of `all` only once it has been built by its name.
    ByName,
    /// Programs are missing. Each text names one and says how to get it.
    Toolchain(Vec<String>),
    /// The build failed.
    Build(BuildError),
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The same text for each of these lanes, so that a report has it once.
            SkipReason::ByName => f.write_str(
                "part of `all` only after `manywire lanes build NAME`; `manywire lanes` lists its needs",
            ),
            SkipReason::Toolchain(missing) => f.write_str(&missing.join("; ")),
            SkipReason::Build(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SkipReason {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SkipReason::Build(error) => Some(error),
            SkipReason::ByName | SkipReason::Toolchain(_) => None,
        }
    }
}

/// Returns every lane of this folder. Without a folder, returns those of the checkout, or else
/// those packed into this program.
///
/// # Errors
///
/// Fails if a folder cannot be read, or if a `lane.toml` or `failing.txt` is invalid.
pub fn all(folder: Option<&Path>) -> Result<Vec<Lane>, ReadLanesError> {
    let sources = source::sources(folder).map_err(ReadLanesError::Folder)?;
    let lanes: Result<_, _> = sources.into_iter().map(Lane::read).collect();
    lanes.map_err(ReadLanesError::Lane)
}

/// The error for lanes that cannot be read.
#[derive(Debug)]
pub enum ReadLanesError {
    /// A folder cannot be read.
    Folder(UnreadableFolder),
    /// A file that describes a lane is invalid.
    Lane(InvalidLane),
}

impl fmt::Display for ReadLanesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadLanesError::Folder(error) => error.fmt(f),
            ReadLanesError::Lane(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadLanesError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(match self {
            ReadLanesError::Folder(error) => error,
            ReadLanesError::Lane(error) => error,
        })
    }
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

/// Removes builds that are no longer useful: builds of lanes other than these, builds of their
/// earlier sources, builds with generated types, and incomplete builds. `all` removes every build. A
/// build that is being made stays.
///
/// # Errors
///
/// Fails if the folder of builds cannot be read, or a build cannot be removed.
pub fn clean(lanes: &[Lane], all: bool) -> Result<RemovedBuilds, CacheError> {
    let sources: Vec<&Source> = lanes.iter().map(|lane| &lane.source).collect();
    build::clean(&sources, all)
}

impl Lane {
    fn read(source: Source) -> Result<Lane, InvalidLane> {
        let name = &source.name;
        let text = source.text("lane.toml").ok_or_else(|| InvalidLane::Manifest {
            lane: name.clone(),
            fault: ManifestFault::Unreadable,
        })?;
        let manifest = Manifest::read(name, text)?;
        let known =
            manifest::read_known_failures(name, source.text("failing.txt").unwrap_or_default())?;
        Ok(Lane { name: name.clone(), transport: Transport::Http, manifest, known, source })
    }

    /// Returns the lane with one of its further servers instead of its own; `None` if it has no server of this
    /// name.
    pub(super) fn with_server(&self, server: &str) -> Option<Lane> {
        let manifest = self.manifest.with_server(server)?;
        let transport = self.manifest.server.iter().find(|found| found.name == server)?.transport;
        let mut source = self.source.clone();
        let extra = &manifest.build[self.manifest.build.len()..];
        if !extra.is_empty() {
            // This file changes the fingerprint, so the server has a separate build. All servers
            // with the same commands share it.
            let commands: Vec<String> = extra.iter().map(|words| words.join(" ")).collect();
            source.files.push((SERVER_BUILD.to_owned(), commands.join("\n").into_bytes().into()));
        }
        let name = self.server_name(server);
        Some(Lane { name, transport, manifest, known: self.known.clone(), source })
    }

    /// Returns the names of the further servers, each after the lane's name: `rust:axum`.
    pub fn server_names(&self) -> Vec<String> {
        self.manifest.server.iter().map(|server| self.server_name(&server.name)).collect()
    }

    /// Returns the names of the further servers over a transport.
    pub fn server_names_over(&self, transport: Transport) -> Vec<String> {
        let servers = self.manifest.server.iter().filter(|server| server.transport == transport);
        servers.map(|server| self.server_name(&server.name)).collect()
    }

    fn server_name(&self, server: &str) -> String {
        format!("{}{SERVER_SEPARATOR}{server}", self.name)
    }

    /// Returns whether the lane has one of its further servers instead of its own. Such a lane
    /// takes part in a trial as a server only.
    pub(crate) fn is_server_variant(&self) -> bool {
        self.name != self.manifest.name
    }

    /// Returns the transport of the lane's server.
    pub(crate) fn transport(&self) -> Transport {
        self.transport
    }

    /// Returns the name, such as `rust` or `rust:axum`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name for people; the name or the transport of a further server follows in
    /// parentheses.
    pub fn title(&self) -> String {
        match self.name.split_once(SERVER_SEPARATOR) {
            Some((_, server)) if server == self.transport.name() => {
                format!("{} ({})", self.manifest.title, self.transport.title())
            }
            Some((_, server)) => format!("{} ({server})", self.manifest.title),
            None => self.manifest.title.clone(),
        }
    }

    /// The contents of `lane.toml`.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The entries of `failing.txt`.
    pub fn known_failures(&self) -> &[manifest::KnownFailure] {
        &self.known
    }

    /// Returns every subject of the lane, sorted by kind of value and format.
    pub fn subjects(&self) -> Vec<Subject> {
        self.manifest.subjects()
    }

    /// Returns the fingerprint of the folder's content, which names its build: sixteen hexadecimal
    /// digits.
    pub fn fingerprint(&self) -> String {
        self.source.fingerprint()
    }

    /// Finds the version of each program that the lane needs, by running the program, and looks for
    /// a build.
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
    pub fn build(&self, interrupted: &AtomicBool) -> Result<BuiltLane, SkipReason> {
        if let Readiness::Missing(missing) = self.status().readiness {
            return Err(SkipReason::Toolchain(missing));
        }
        let monitor = BuildMonitor {
            interrupted,
            on_command: &|_| {},
            on_damage: &|_| {},
            intact: &IntactBuilds::default(),
        };
        self.build_with_toolchain(monitor).map_err(SkipReason::Build)
    }

    /// Builds the lane without checking its toolchain.
    pub(super) fn build_with_toolchain(
        &self,
        monitor: BuildMonitor<'_>,
    ) -> Result<BuiltLane, BuildError> {
        let (source, commands) = (&self.source, &self.manifest.build);
        let folder = build::build(source, source, commands, self.idle_limit(), monitor)?;
        Ok(BuiltLane::new(self.clone(), folder))
    }

    /// Returns the time limit of a build command without progress.
    pub(super) fn idle_limit(&self) -> Duration {
        Duration::from_secs(self.manifest.build_idle_limit_s)
    }

    /// Returns whether `all` includes the lane.
    pub(super) fn is_in_all(&self) -> bool {
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
        let lane = Lane {
            name: manifest.name.clone(),
            transport: Transport::Http,
            manifest,
            source,
            known: Vec::new(),
        };
        BuiltLane { lane, folder: PathBuf::new(), program: Some(program) }
    }

    /// Returns whether the lane is built into this program.
    pub(crate) fn is_built_in(&self) -> bool {
        self.program.is_some()
    }

    /// Returns the command of the lane's process.
    pub(super) fn command(&self) -> Result<Command, ProgramNotFound> {
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

#[cfg(test)]
mod tests {
    use super::{Lane, all, source};

    #[test]
    fn packed_lanes_equal_those_of_the_checkout() {
        let read = |source| Lane::read(source).expect("a valid lane");
        let packed: Vec<Lane> = source::carried().into_iter().map(read).collect();
        let ours = all(None).expect("every lane has a manifest that can be read");
        let names = |lanes: &[Lane]| -> Vec<String> {
            lanes.iter().map(|lane| lane.name().to_owned()).collect()
        };
        assert_eq!(names(&packed), names(&ours));
        for (packed, ours) in packed.iter().zip(&ours) {
            // Identical sources are built once, regardless of their origin.
            assert_eq!(packed.fingerprint(), ours.fingerprint(), "{}", ours.name());
            assert_eq!(packed.subjects(), ours.subjects());
        }
    }
}
