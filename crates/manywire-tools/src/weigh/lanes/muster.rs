use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use super::given::Given;
use super::lane::{self, Lane, Readiness};
use super::typed::Fitted;
use crate::weigh::measure::{HOUSE, Progress};
use crate::weigh::report::LaneNote;

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
    /// Those that can be launched, each built for every one of the payloads, in their order.
    pub fitted: Vec<Vec<Fitted>>,
    /// A note for each that was asked for.
    pub notes: Vec<LaneNote>,
    /// Whether one that was asked for by name is missing or could not be built.
    pub missing: bool,
}

impl Muster {
    /// The lanes as they were built for the payloads at an index.
    pub fn of(&self, index: usize) -> impl Iterator<Item = &Fitted> {
        self.fitted.iter().filter_map(move |lane| lane.get(index))
    }
}

/// Finds lanes and builds them for each of some payloads, or by themselves if there are none.
/// `delta` is δ within each.
///
/// They are built at the same time: much of a build is waiting for a registry, or a compiler that
/// has work for one core only.
///
/// # Errors
///
/// A name that no lane has, or a folder of lanes with something wrong in it.
pub fn muster(
    selection: &Selection,
    folder: Option<&Path>,
    delta: f64,
    given: &[Given],
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Result<Muster, String> {
    let lanes = lane::all(folder)?;
    let (lanes, named) = match selection {
        Selection::All => (lanes, false),
        Selection::Named(names) => (pick(lanes, names)?, true),
    };
    let (sender, news) = channel();
    let built: Vec<Result<Vec<Fitted>, String>> = thread::scope(|scope| {
        let builds: Vec<_> = lanes
            .iter()
            .map(|lane| {
                let news = sender.clone();
                scope.spawn(move || build(lane, given, &news, interrupted))
            })
            .collect();
        drop(sender);
        let mut building: Vec<&str> = Vec::new();
        for News { lane, is_building } in news {
            building.retain(|other| *other != lane);
            building.extend(is_building.then_some(lane));
            if !building.is_empty() {
                progress.say(&format!("building lanes: {}", building.join(", ")));
            }
        }
        let failed = |_| Err("building it failed in an unforeseen way".to_owned());
        builds.into_iter().map(|build| build.join().unwrap_or_else(failed)).collect()
    });
    let mut muster = Muster::default();
    for (lane, built) in lanes.iter().zip(built) {
        let status = match built {
            Ok(fitted) => {
                muster.fitted.push(fitted);
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

/// A lane that is being built from now on, or no longer.
struct News<'a> {
    lane: &'a str,
    is_building: bool,
}

/// Builds one lane, and says so where that takes its time.
fn build<'a>(
    lane: &'a Lane,
    given: &[Given],
    news: &Sender<News<'a>>,
    interrupted: &AtomicBool,
) -> Result<Vec<Fitted>, String> {
    let readiness = lane.standing().readiness;
    if let Readiness::Missing(missing) = readiness {
        return Err(missing.join("; "));
    }
    // Nobody listens any more if the caller is gone, and then nobody needs to.
    let tell = |is_building| drop(news.send(News { lane: lane.name(), is_building }));
    let has_types = lane.manifest().typed.is_some() && !given.is_empty();
    tell(readiness == Readiness::Buildable || has_types);
    let built = match given {
        [] => lane.make(interrupted).map(|_| Vec::new()),
        given => given.iter().map(|given| lane.fit(given, interrupted)).collect(),
    };
    tell(false);
    built
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
