use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread;

use super::manifest::{Manifest, Subject};
use super::source::{self, Source};
use super::toolchain::{self, Found};
use super::{build, cache, known};

/// A language runtime that payloads can be weighed in.
#[derive(Clone, Debug)]
pub struct Lane {
    manifest: Manifest,
    pub(super) source: Source,
    known: Vec<known::Failure>,
}

/// How far a lane is from being measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Built.
    Ready,
    /// Everything is there; building it is all that is left.
    Buildable,
    /// Programs are missing: which, and how to get them.
    Missing(Vec<String>),
}

/// A lane as this machine has it.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The programs it needs, in their order, and whether they are there.
    pub tools: Vec<(String, Found)>,
    /// How far it is from being measured.
    pub readiness: Readiness,
}

/// A lane that can be launched.
#[derive(Clone, Debug)]
pub struct Built {
    pub(super) lane: Lane,
    pub(super) folder: PathBuf,
}

/// Every lane: of this folder, or else of the checkout, or else those this program carries.
///
/// # Errors
///
/// A folder that cannot be read, or a `lane.toml` or `failing.txt` with something wrong in it.
pub fn all(folder: Option<&Path>) -> Result<Vec<Lane>, String> {
    source::sources(folder)?.into_iter().map(Lane::read).collect()
}

/// The lanes that this program carries, wherever it came from.
///
/// # Errors
///
/// As [`all`].
pub fn carried() -> Result<Vec<Lane>, String> {
    source::carried().into_iter().map(Lane::read).collect()
}

/// How lanes stand, in their order. All are asked at the same time: a Java program takes half a
/// second to say its version.
pub fn standings(lanes: &[Lane]) -> Vec<Standing> {
    thread::scope(|scope| {
        let asked: Vec<_> = lanes.iter().map(|lane| scope.spawn(|| lane.standing())).collect();
        let told = asked.into_iter().map(|asked| asked.join());
        told.map(|standing| standing.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

impl Lane {
    fn read(source: Source) -> Result<Lane, String> {
        let name = &source.name;
        let text = source
            .text("lane.toml")
            .ok_or_else(|| format!("lanes/{name}/lane.toml: not there, or no text"))?;
        let manifest = Manifest::read(name, text)?;
        let known = known::read(name, source.text("failing.txt").unwrap_or_default())?;
        Ok(Lane { manifest, known, source })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    /// What people call it.
    pub fn title(&self) -> &str {
        &self.manifest.title
    }

    /// What `lane.toml` says.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What is missing in it or known to fail.
    pub fn known_failures(&self) -> &[known::Failure] {
        &self.known
    }

    /// Every row it can fill.
    pub fn subjects(&self) -> Vec<Subject> {
        self.manifest.subjects()
    }

    /// What a build of it is cached under: sixteen hexadecimal digits, by the content of its folder.
    pub fn fingerprint(&self) -> String {
        self.source.fingerprint()
    }

    /// Asks each program that it needs for its version, and looks for a build.
    pub fn standing(&self) -> Standing {
        let tools = self.manifest.toolchain.iter();
        let tools: Vec<(String, Found)> =
            tools.map(|tool| (tool.program.clone(), toolchain::find(tool))).collect();
        let missing = tools.iter().filter_map(|(_, found)| match found {
            Found::Missing(why) => Some(why.clone()),
            Found::Ready(_) => None,
        });
        let missing: Vec<String> = missing.collect();
        let readiness = match cache::folder(&self.source) {
            _ if !missing.is_empty() => Readiness::Missing(missing),
            Ok(folder) if cache::is_done(&folder) => Readiness::Ready,
            _ => Readiness::Buildable,
        };
        Standing { tools, readiness }
    }

    /// Builds it, unless that was done before.
    ///
    /// # Errors
    ///
    /// The programs that are missing, or the command that failed with its last words.
    pub fn build(&self, interrupted: &AtomicBool) -> Result<Built, String> {
        match self.standing().readiness {
            Readiness::Missing(missing) => Err(missing.join("; ")),
            Readiness::Ready | Readiness::Buildable => self.make(interrupted),
        }
    }

    /// Builds it with a toolchain that is there.
    pub(super) fn make(&self, interrupted: &AtomicBool) -> Result<Built, String> {
        let folder = build::build(&self.source, &self.source, &self.manifest.build, interrupted)?;
        Ok(Built { lane: self.clone(), folder })
    }
}

impl Built {
    /// The lane.
    pub fn lane(&self) -> &Lane {
        &self.lane
    }

    /// The folder that it was built in, a copy of its sources and what came of them.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}
