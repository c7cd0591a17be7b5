//! The lanes of a run: those that the user selects, each built for every group of payloads.

use std::panic::resume_unwind;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use super::build::{BuildMonitor, IntactBuilds};
use super::checksums::Damage;
use super::lane::{BuiltLane, Lane, ReadLanesError, Readiness, SERVER_SEPARATOR, SkipReason, all};
use super::lane_input::LaneInput;
use super::typed::PreparedLane;
use crate::weigh::progress::Progress;
use crate::weigh::report::{BUILT_IN_LANE, LaneNote, Status};

/// The lanes that a user selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Every lane whose toolchain is installed. A lane that is built by its name is included only
    /// if it has been built.
    All,
    /// The named lanes. An unknown name is an error, and a lane that could not be built sets
    /// [`LaneSet::missing`].
    Named(Vec<String>),
}

/// The error for an invalid selection of lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSelection(String);

impl fmt::Display for InvalidSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: write all, or names such as go,node", self.0)
    }
}

impl std::error::Error for InvalidSelection {}

impl FromStr for Selection {
    type Err = InvalidSelection;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        match names.as_slice() {
            [name] if name == "all" => Ok(Selection::All),
            names if names.iter().any(|name| name.is_empty() || name == "all") => {
                Err(InvalidSelection(text.to_owned()))
            }
            _ => Ok(Selection::Named(names)),
        }
    }
}

/// The error for lanes that cannot be selected.
#[derive(Debug)]
pub enum PrepareLanesError {
    /// The lanes cannot be read.
    Read(ReadLanesError),
    /// There is no lane of this name.
    Unknown {
        /// The name.
        name: String,
        /// The names of all lanes.
        known: Vec<String>,
    },
    /// The lane has no further server of this name.
    UnknownServer {
        /// The lane.
        lane: String,
        /// The name of the server.
        name: String,
        /// The names of all further servers of the lane, such as `rust:axum`.
        known: Vec<String>,
    },
}

impl fmt::Display for PrepareLanesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrepareLanesError::Read(error) => error.fmt(f),
            PrepareLanesError::Unknown { name, known } => {
                write!(f, "no lane {name:?}; there are {}", known.join(", "))
            }
            PrepareLanesError::UnknownServer { lane, name, known } if known.is_empty() => {
                write!(f, "no server {name:?}: the only server of the lane {lane} is {lane}")
            }
            PrepareLanesError::UnknownServer { lane, name, known } => {
                write!(f, "no server {name:?} of the lane {lane}; there are {lane}")?;
                known.iter().try_for_each(|known| write!(f, ", {known}"))
            }
        }
    }
}

impl std::error::Error for PrepareLanesError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PrepareLanesError::Read(error) => Some(error),
            PrepareLanesError::Unknown { .. } | PrepareLanesError::UnknownServer { .. } => None,
        }
    }
}

/// The lanes of one run.
#[derive(Debug, Default)]
pub struct LaneSet {
    lanes: Vec<SelectedLane>,
    /// The reason that the selected lane that replaces the built-in one was skipped, so that the
    /// built-in lane is measured instead.
    replacement_skipped: Option<SkipReason>,
    /// True if a lane that was named is missing or could not be built.
    pub missing: bool,
}

/// A lane of a run.
#[derive(Debug)]
struct SelectedLane {
    name: String,
    title: String,
    builds: Builds,
}

/// The builds of a selected lane.
#[derive(Debug)]
enum Builds {
    /// One build for each group of payloads, in order; a single one without types if there are no
    /// payloads.
    EachGroup(Vec<PreparedLane>),
    /// One build for all groups: the built-in lane has no types of the payloads.
    AllGroups(Box<PreparedLane>),
    /// No build, because the lane takes no part in the run.
    Skipped(SkipReason),
}

impl LaneSet {
    /// Returns the set of the built-in lane alone.
    pub fn built_in(lane: BuiltLane) -> LaneSet {
        LaneSet::default().with_built_in(lane)
    }

    fn add(&mut self, lane: &Lane, builds: Builds) {
        let (name, title) = (lane.name().to_owned(), lane.title());
        self.lanes.push(SelectedLane { name, title, builds });
    }

    /// Puts the Rust lane first: the selected lane of that name if it was built, otherwise `lane`,
    /// which is built into this program. A report has rows of only one of them.
    #[must_use]
    pub fn with_built_in(mut self, lane: BuiltLane) -> LaneSet {
        let (name, title) = (lane.lane().name().to_owned(), lane.lane().title());
        let selected = self.lanes.iter().position(|selected| selected.name == name);
        let selected = selected.map(|index| self.lanes.remove(index));
        let built = match selected {
            Some(SelectedLane { builds: Builds::Skipped(reason), .. }) => {
                self.replacement_skipped = Some(reason);
                None
            }
            selected => selected,
        };
        let first = built.unwrap_or_else(|| {
            let prepared = PreparedLane { built: lane, types_error: None };
            SelectedLane { name, title, builds: Builds::AllGroups(Box::new(prepared)) }
        });
        self.lanes.insert(0, first);
        self
    }

    /// Appends the lanes of another set.
    pub fn append(&mut self, other: LaneSet) {
        self.lanes.extend(other.lanes);
        self.missing |= other.missing;
    }

    /// Returns the lanes that take part, as built for the group of payloads at `index`, which is 0
    /// for lanes that were built without payloads.
    pub fn of(&self, index: usize) -> impl Iterator<Item = &PreparedLane> {
        self.lanes.iter().filter_map(move |lane| match &lane.builds {
            Builds::EachGroup(builds) => builds.get(index),
            Builds::AllGroups(build) => Some(&**build),
            Builds::Skipped(_) => None,
        })
    }

    /// Returns the names of the lanes that take part.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let taking_part = |lane: &&SelectedLane| !matches!(lane.builds, Builds::Skipped(_));
        self.lanes.iter().filter(taking_part).map(|lane| lane.name.as_str())
    }

    /// Returns the lanes that take no part, each with its reason.
    pub fn skipped(&self) -> impl Iterator<Item = (&str, &SkipReason)> {
        let replaced = self.replacement_skipped.iter().map(|reason| (BUILT_IN_LANE, reason));
        let skipped = self.lanes.iter().filter_map(|lane| match &lane.builds {
            Builds::Skipped(reason) => Some((lane.name.as_str(), reason)),
            _ => None,
        });
        replaced.chain(skipped)
    }

    /// Returns the note of each lane for a report. `delta` returns δ within the lane of a name.
    pub(crate) fn notes(&self, delta: impl Fn(&str) -> f64) -> Vec<LaneNote> {
        let note = |lane: &SelectedLane| LaneNote {
            lane: lane.name.clone(),
            title: lane.title.clone(),
            runtime: None,
            status: match &lane.builds {
                Builds::Skipped(reason) => Status::Failed(format!("skipped: {reason}")),
                _ => Status::Ok,
            },
            delta: delta(&lane.name),
        };
        self.lanes.iter().map(note).collect()
    }

    /// Returns a sentence for the report if the built-in lane is measured in place of a selected one.
    pub(crate) fn replacement_note(&self) -> Option<String> {
        let reason = self.replacement_skipped.as_ref()?;
        let title = self.lanes.iter().find(|lane| lane.name == BUILT_IN_LANE);
        let title = title.map_or(BUILT_IN_LANE, |lane| &lane.title);
        Some(format!(
            "{title} has the rows of the built-in lane alone, because the lane {BUILT_IN_LANE} was skipped: {reason}"
        ))
    }
}

/// Finds lanes and builds them for each group of payloads, or without payloads if there are none.
///
/// Lanes are built in parallel, because a build mostly waits for a registry or for a compiler on
/// one core.
///
/// # Errors
///
/// Fails if a name is unknown or a lane in the folder is invalid.
pub fn prepare_lanes(
    selection: &Selection,
    folder: Option<&Path>,
    lane_input: &[LaneInput],
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Result<LaneSet, PrepareLanesError> {
    let lanes = all(folder).map_err(PrepareLanesError::Read)?;
    let (lanes, left_out, named) = match selection {
        Selection::All => {
            let (included, left_out) = lanes.into_iter().partition(Lane::is_in_all);
            (included, left_out, false)
        }
        Selection::Named(names) => (select_lanes(lanes, names)?, Vec::new(), true),
    };
    let (sender, events) = channel();
    let intact = IntactBuilds::default();
    let built: Vec<Result<Vec<PreparedLane>, SkipReason>> = thread::scope(|scope| {
        let builds: Vec<_> = lanes
            .iter()
            .map(|lane| {
                let (events, intact) = (sender.clone(), &intact);
                scope.spawn(move || build(lane, lane_input, &events, intact, interrupted))
            })
            .collect();
        drop(sender);
        show_builds(&events, progress);
        let built = builds.into_iter().map(|build| build.join());
        built.map(|built| built.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    let mut lane_set = LaneSet::default();
    for (lane, built) in lanes.iter().zip(built) {
        // A named lane that was not built is missing, even if only its toolchain is not installed.
        lane_set.missing |= named && built.is_err();
        lane_set.add(lane, built.map_or_else(Builds::Skipped, Builds::EachGroup));
    }
    for lane in &left_out {
        lane_set.add(lane, Builds::Skipped(SkipReason::ByName));
    }
    Ok(lane_set)
}

/// The progress of one lane's build.
enum BuildEvent {
    /// The build in the cache is damaged, and is made again.
    Damaged(Damage),
    /// A command has started.
    Started(String),
    /// The build has ended.
    Ended,
}

/// The interval between updates of the time that builds have taken.
const BUILD_REFRESH: Duration = Duration::from_secs(1);

/// The longest command that is shown in full, in characters.
const COMMAND_WIDTH: usize = 30;

/// Shows the running builds until all of them have ended: the lane, its command, and the time since the
/// command started.
fn show_builds(events: &Receiver<(&str, BuildEvent)>, progress: &mut dyn Progress) {
    let mut running: Vec<(&str, String, Instant)> = Vec::new();
    loop {
        match events.recv_timeout(BUILD_REFRESH) {
            Ok((lane, event)) => {
                running.retain(|(other, ..)| *other != lane);
                match event {
                    BuildEvent::Damaged(damage) => {
                        progress.note(&format!("lane {lane}: {damage}; the lane is built again"))
                    }
                    BuildEvent::Started(command) => running.push((lane, command, Instant::now())),
                    BuildEvent::Ended => {}
                }
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
    events: &Sender<(&'a str, BuildEvent)>,
    intact: &IntactBuilds,
    interrupted: &AtomicBool,
) -> Result<Vec<PreparedLane>, SkipReason> {
    if let Readiness::Missing(missing) = lane.status().readiness {
        return Err(SkipReason::Toolchain(missing));
    }
    // Sending fails only if the caller has gone, and then nobody needs the event.
    let send = |event| drop(events.send((lane.name(), event)));
    let monitor = BuildMonitor {
        interrupted,
        on_command: &|command| send(BuildEvent::Started(command.to_owned())),
        on_damage: &|damage| send(BuildEvent::Damaged(damage.clone())),
        intact,
    };
    let built = match lane_input {
        [] => {
            let built = lane.build_with_toolchain(monitor);
            built.map(|built| vec![PreparedLane { built, types_error: None }])
        }
        lane_input => {
            lane_input.iter().map(|lane_input| lane.prepare(lane_input, monitor)).collect()
        }
    };
    send(BuildEvent::Ended);
    built.map_err(SkipReason::Build)
}

/// Returns the named lanes in the order of `lanes`, then the named servers in the order of `names`.
fn select_lanes(lanes: Vec<Lane>, names: &[String]) -> Result<Vec<Lane>, PrepareLanesError> {
    let (servers, names): (Vec<&String>, Vec<&String>) =
        names.iter().partition(|name| name.contains(SERVER_SEPARATOR));
    let servers: Vec<Lane> =
        servers.into_iter().map(|name| select_server(&lanes, name)).collect::<Result<_, _>>()?;
    // The Rust lane is known even if `lanes` has no lane of this name, because it is built in.
    let known = |name: &str| lanes.iter().any(|lane| lane.name() == name) || name == BUILT_IN_LANE;
    if let Some(name) = names.iter().find(|name| !known(name)) {
        return Err(unknown(&lanes, name));
    }
    let named = lanes.into_iter().filter(|lane| names.iter().any(|name| *name == lane.name()));
    Ok(named.chain(servers).collect())
}

/// Returns the lane with the server that `lane:server` names.
fn select_server(lanes: &[Lane], name: &str) -> Result<Lane, PrepareLanesError> {
    let (lane, server) = name.split_once(SERVER_SEPARATOR).unwrap_or((name, ""));
    let found = lanes.iter().find(|known| known.name() == lane);
    let found = found.ok_or_else(|| unknown(lanes, lane))?;
    found.with_server(server).ok_or_else(|| PrepareLanesError::UnknownServer {
        lane: lane.to_owned(),
        name: server.to_owned(),
        known: found.server_names(),
    })
}

fn unknown(lanes: &[Lane], name: &str) -> PrepareLanesError {
    let known = lanes.iter().map(|lane| lane.name().to_owned()).collect();
    PrepareLanesError::Unknown { name: name.to_owned(), known }
}

#[cfg(test)]
mod tests {
    use super::{BuildEvent, Damage, Progress, channel, show_builds};

    struct Lines(Vec<String>);

    impl Progress for Lines {
        fn say(&mut self, line: &str) {
            self.0.push(line.to_owned());
        }

        fn note(&mut self, line: &str) {
            self.0.push(format!("note: {line}"));
        }
    }

    #[test]
    fn running_builds_are_shown_with_their_command_and_time() {
        let (sender, events) = channel();
        let start = |command: &str| BuildEvent::Started(command.to_owned());
        for event in [
            ("one", start("npm install --no-save --ignore-scripts")),
            ("two", BuildEvent::Damaged(Damage::Record)),
            ("two", start("go build")),
            ("one", BuildEvent::Ended),
            ("two", BuildEvent::Ended),
        ] {
            sender.send(event).expect("a receiver");
        }
        drop(sender);
        let mut lines = Lines(Vec::new());
        show_builds(&events, &mut lines);
        let one = "one (npm install --no-save --ignore…, 0 s)";
        assert_eq!(
            lines.0,
            [
                format!("building lanes: {one}"),
                format!("note: lane two: {}; the lane is built again", Damage::Record),
                format!("building lanes: {one}"),
                format!("building lanes: {one}, two (go build, 0 s)"),
                "building lanes: two (go build, 0 s)".to_owned(),
            ]
        );
    }
}
