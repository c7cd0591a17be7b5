//! Builds lanes in a cache folder, and cleans that folder.
//!
//! The name of a build's folder ends in the fingerprint of its sources, so unchanged sources are
//! built once. Locks keep two programs from building or removing the same folder at once.
//! A build whose files were damaged is made again.

use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use std::{env, fmt, fs, io};

use super::checksums::{self, Damage};
use super::source::Source;
use super::toolchain;
use super::toolchain::{Limit, ProcessOutcome};

/// The observer of a build.
#[derive(Clone, Copy)]
pub(super) struct BuildMonitor<'a> {
    /// Ends the build when it becomes true.
    pub(super) interrupted: &'a AtomicBool,
    /// Called with each command when it starts.
    pub(super) on_command: &'a dyn Fn(&str),
    /// Called with the reason before a damaged build is made again.
    pub(super) on_damage: &'a dyn Fn(&Damage),
    /// The builds that are known to be intact.
    pub(super) intact: &'a IntactBuilds,
}

/// The folders of builds that have been compared with their checksums, or made, since the program
/// started. Groups of payloads share builds, and reading every file again for each group takes time.
#[derive(Debug, Default)]
pub(super) struct IntactBuilds(Mutex<HashSet<PathBuf>>);

impl IntactBuilds {
    /// Compares a complete build with its checksums, unless this has been done.
    fn find_damage(&self, folder: &Path) -> Option<Damage> {
        let intact = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if intact().contains(folder) {
            return None;
        }
        let damage = checksums::find_damage(folder);
        if damage.is_none() {
            intact().insert(folder.to_owned());
        }
        damage
    }
}

/// The error for a lane that was not built.
#[derive(Debug)]
pub enum BuildError {
    /// A command refused the sources: it ran to its end and failed.
    Refused {
        /// The command.
        command: String,
        /// The exit status of the command, with parts of its output.
        reason: String,
    },
    /// A command did not start, or did not end in time.
    Failed {
        /// The command.
        command: String,
        /// The reason, with parts of its output.
        reason: String,
    },
    /// The program of a command is missing.
    Program(ProgramNotFound),
    /// The folder of builds cannot be used.
    Cache(CacheError),
    /// The user interrupted.
    Interrupted,
}

/// The error for a command whose program is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramNotFound(String);

/// The error for the folder of builds.
#[derive(Debug)]
pub enum CacheError {
    /// The environment does not say where the folder is.
    NoFolder,
    /// A file or a folder cannot be used.
    Unusable {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

impl CacheError {
    /// Returns a function that adds a path to an error of the system.
    fn at(path: &Path) -> impl Fn(io::Error) -> CacheError + Copy {
        |error| CacheError::Unusable { path: path.to_owned(), error }
    }
}

impl BuildError {
    /// Returns whether the build ended because the user interrupted, and did not fail.
    pub fn is_interrupt(&self) -> bool {
        matches!(self, BuildError::Interrupted)
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Refused { command, reason } | BuildError::Failed { command, reason } => {
                write!(f, "`{command}` failed: {reason}")
            }
            BuildError::Program(error) => error.fmt(f),
            BuildError::Cache(error) => error.fmt(f),
            BuildError::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BuildError::Program(error) => Some(error),
            BuildError::Cache(error) => Some(error),
            BuildError::Refused { .. } | BuildError::Failed { .. } | BuildError::Interrupted => {
                None
            }
        }
    }
}

impl From<CacheError> for BuildError {
    fn from(error: CacheError) -> Self {
        BuildError::Cache(error)
    }
}

impl fmt::Display for ProgramNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: not found", self.0)
    }
}

impl std::error::Error for ProgramNotFound {}

impl fmt::Display for CacheError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CacheError::NoFolder => {
                f.write_str("no folder for caches: set MANYWIRE_CACHE, XDG_CACHE_HOME or HOME")
            }
            CacheError::Unusable { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for CacheError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CacheError::NoFolder => None,
            CacheError::Unusable { error, .. } => Some(error),
        }
    }
}

/// Builds `source`, which is the sources of a lane or those with generated types added, unless an
/// intact build of it exists. `lane` has the sources without generated types. If several programs
/// want the same build, one of them makes it. A command that makes no progress for `idle_limit`
/// fails.
///
/// # Errors
///
/// Returns the command that failed, with the end of its output.
pub(super) fn build(
    source: &Source,
    lane: &Source,
    commands: &[Vec<String>],
    idle_limit: Duration,
    monitor: BuildMonitor<'_>,
) -> Result<PathBuf, BuildError> {
    let folder = folder(source)?;
    if is_done(&folder) && monitor.intact.find_damage(&folder).is_none() {
        touch(&folder);
        return Ok(folder);
    }
    let unusable = CacheError::at(&folder);
    fs::create_dir_all(folder.parent().unwrap_or(&folder)).map_err(unusable)?;
    let lock = lock(&folder).map_err(unusable)?;
    lock.lock().map_err(unusable)?;
    if is_done(&folder) {
        match monitor.intact.find_damage(&folder) {
            // Another program has made the build meanwhile.
            None => return Ok(folder),
            Some(damage) => (monitor.on_damage)(&damage),
        }
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(unusable)?;
    }
    // The lock is held while commands run: builds of a lane share compiled libraries, which another
    // build must not replace meanwhile.
    let building = lock_all(&source.name)?;
    building.lock().map_err(unusable)?;
    let of = lane.fingerprint();
    let written = source_time(&source.name, &of)?;
    source.write(&folder).and_then(|()| lane.date(&folder, source, written)).map_err(unusable)?;
    for words in commands {
        (monitor.on_command)(&words.join(" "));
        // A build downloads its libraries and compiles them, which may take long.
        let limit = Limit::Idle(idle_limit);
        let process = command(words, &folder).map_err(BuildError::Program)?;
        let command = words.join(" ");
        match toolchain::run(process, limit, monitor.interrupted) {
            ProcessOutcome::Done(_) => {}
            ProcessOutcome::Exited(reason) => return Err(BuildError::Refused { command, reason }),
            ProcessOutcome::Failed(reason) => return Err(BuildError::Failed { command, reason }),
            ProcessOutcome::Interrupted => return Err(BuildError::Interrupted),
        }
    }
    finish(&folder, &of).map_err(unusable)?;
    prune(&source.name);
    Ok(folder)
}

/// Returns a command of a manifest that runs in the build's folder.
pub(super) fn command(words: &[String], folder: &Path) -> Result<Command, ProgramNotFound> {
    // Reading the manifest has checked that every command has a program.
    let program = words.first().map_or("", String::as_str);
    let path = toolchain::resolve(program, Some(folder));
    let path = path.ok_or_else(|| ProgramNotFound(program.to_owned()))?;
    let mut command = Command::new(path);
    command.args(words.iter().skip(1)).current_dir(folder);
    Ok(command)
}

/// The file that marks a complete build. It holds the fingerprint of the lane, which differs from
/// the one in the folder's name if types were added. Its modification time is the last use.
const MARK: &str = ".manywire-built";

/// The maximum number of builds of one lane that stay in the cache: the lane's own, and those with
/// types of recent payloads. Each build takes between a few megabytes and some hundred.
const BUILDS_PER_LANE_MAX: usize = 6;

/// Builds used within this time may still be running, so they are not removed.
const IN_USE: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns the folder of all builds.
fn builds() -> Result<PathBuf, CacheError> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || {
        let local = set("LOCALAPPDATA").filter(|_| cfg!(windows));
        local.or_else(|| set("XDG_CACHE_HOME")).or_else(|| Some(set("HOME")?.join(".cache")))
    };
    let cache = set("MANYWIRE_CACHE")
        .or_else(|| Some(home()?.join("manywire")))
        .ok_or(CacheError::NoFolder)?;
    Ok(cache.join("lanes"))
}

/// Returns the folder of a build of these sources.
pub(super) fn folder(source: &Source) -> Result<PathBuf, CacheError> {
    Ok(builds()?.join(format!("{}-{}", source.name, source.fingerprint())))
}

/// Returns whether the folder holds a complete build.
pub(super) fn is_done(folder: &Path) -> bool {
    folder.join(MARK).is_file()
}

/// Marks a build as complete: records its files and the lane's fingerprint.
fn finish(folder: &Path, lane: &str) -> io::Result<()> {
    checksums::record(folder)?;
    fs::write(folder.join(MARK), lane)
}

/// Sets the time of the last use. If that fails, the build only looks older than it is.
fn touch(folder: &Path) {
    let mark = File::options().write(true).open(folder.join(MARK));
    drop(mark.and_then(|mark| mark.set_modified(SystemTime::now())));
}

/// Opens the lock file of a build, which is held while the build is written or removed.
pub(super) fn lock(folder: &Path) -> io::Result<File> {
    File::create(lock_path(folder))
}

/// Returns the path of the lock file of a build. It lies beside the folder, because it must exist
/// before and after the folder.
fn lock_path(folder: &Path) -> PathBuf {
    // The name of a lane may have a dot, so that the fingerprint is in an extension.
    let mut path = folder.as_os_str().to_owned();
    path.push(".lock");
    path.into()
}

/// Opens the lock file of all builds of a lane, which is held while one of them is made.
fn lock_all(lane: &str) -> Result<File, CacheError> {
    let path = builds()?.join(format!("{lane}.lock"));
    File::create(&path).map_err(CacheError::at(&path))
}

/// Returns the modification time to give to source files.
///
/// Builds of one lane share compiled libraries, and compilers detect changes by modification time.
/// The time stays the same while builds have the same fingerprint. A different fingerprint sets it
/// to now, so that its sources are newer than everything compiled before. The caller must hold the
/// lock of all builds of the lane.
fn source_time(lane: &str, fingerprint: &str) -> Result<SystemTime, CacheError> {
    let path = builds()?.join(format!("{lane}.last"));
    let failed = CacheError::at(&path);
    if !fs::read_to_string(&path).is_ok_and(|last| last == fingerprint) {
        fs::write(&path, fingerprint).map_err(failed)?;
    }
    fs::metadata(&path).and_then(|metadata| metadata.modified()).map_err(failed)
}

/// A build in the cache.
struct CachedBuild {
    folder: PathBuf,
    lane: String,
    /// The fingerprint in the folder's name.
    fingerprint: String,
    /// True if the build is complete and has no generated types.
    is_plain: bool,
    used: SystemTime,
}

/// The builds that were removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemovedBuilds {
    /// The number of builds.
    pub builds: u64,
    /// The size of the removed files in bytes.
    pub bytes: u64,
}

/// Removes builds of sources other than these, builds with generated types, and incomplete builds.
/// `all` removes every build. A build that is being made stays.
///
/// # Errors
///
/// Fails if the folder cannot be read, or a build cannot be removed.
pub(super) fn clean(sources: &[&Source], all: bool) -> Result<RemovedBuilds, CacheError> {
    let mut cleaned = RemovedBuilds::default();
    for build in cached_builds(&builds()?)? {
        let is_of = |source: &&Source| {
            source.name == build.lane && source.fingerprint() == build.fingerprint
        };
        if all || !build.is_plain || !sources.iter().any(is_of) {
            remove(&build.folder, &mut cleaned)?;
        }
    }
    if all {
        remove_shared(&builds()?, &mut cleaned)?;
    }
    Ok(cleaned)
}

/// Removes the folders that builds of a lane share, such as `rust-built`.
fn remove_shared(builds: &Path, cleaned: &mut RemovedBuilds) -> Result<(), CacheError> {
    for entry in fs::read_dir(builds).into_iter().flatten().flatten() {
        let folder = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && fs::metadata(lock_path(&folder)).is_err() {
            let bytes = size(&folder);
            fs::remove_dir_all(&folder).map_err(CacheError::at(&folder))?;
            cleaned.bytes += bytes;
        }
    }
    Ok(())
}

/// Removes the oldest builds of the lane beyond [`BUILDS_PER_LANE_MAX`], if they were not used
/// within [`IN_USE`]. Failures are ignored, since weighing can go on without the space.
fn prune(lane: &str) {
    let Ok(builds) = builds().and_then(|folder| cached_builds(&folder)) else { return };
    let mut same: Vec<CachedBuild> =
        builds.into_iter().filter(|build| build.lane == lane).collect();
    same.sort_by_key(|build| std::cmp::Reverse(build.used));
    for build in same.iter().skip(BUILDS_PER_LANE_MAX) {
        if build.used.elapsed().is_ok_and(|unused| unused > IN_USE) {
            drop(remove(&build.folder, &mut RemovedBuilds::default()));
        }
    }
}

/// Returns the builds in a folder: subfolders whose names end in a fingerprint.
fn cached_builds(folder: &Path) -> Result<Vec<CachedBuild>, CacheError> {
    let unreadable = CacheError::at(folder);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unreadable)?,
    };
    let mut builds = Vec::new();
    for entry in entries {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some((lane, fingerprint)) = name.rsplit_once('-') else { continue };
        let is_fingerprint =
            fingerprint.len() == 16 && fingerprint.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_fingerprint || !entry.file_type().map_err(unreadable)?.is_dir() {
            continue;
        }
        let (folder, mark) = (entry.path(), entry.path().join(MARK));
        let used = fs::metadata(&mark).or_else(|_| entry.metadata());
        let used = used.and_then(|metadata| metadata.modified()).map_err(unreadable)?;
        builds.push(CachedBuild {
            is_plain: fs::read_to_string(&mark).is_ok_and(|of| of == fingerprint),
            lane: lane.to_owned(),
            fingerprint: fingerprint.to_owned(),
            folder,
            used,
        });
    }
    Ok(builds)
}

fn remove(folder: &Path, cleaned: &mut RemovedBuilds) -> Result<(), CacheError> {
    let failed = CacheError::at(folder);
    let lock = lock(folder).map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(()),
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    let bytes = size(folder);
    // The mark goes first, so that a removal that stops halfway leaves an incomplete build.
    match fs::remove_file(folder.join(MARK)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    fs::remove_dir_all(folder).map_err(failed)?;
    cleaned.builds += 1;
    cleaned.bytes += bytes;
    Ok(())
}

/// Returns the size of all files below the folder; unreadable files count as 0.
fn size(folder: &Path) -> u64 {
    let mut open = vec![folder.to_owned()];
    let mut bytes = 0;
    while let Some(here) = open.pop() {
        for entry in fs::read_dir(here).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => open.push(entry.path()),
                Ok(metadata) => bytes += metadata.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::lock_path;

    #[test]
    fn each_build_has_a_lock_with_its_whole_name() {
        for (folder, lock) in [
            ("lanes/node-0123456789abcdef", "lanes/node-0123456789abcdef.lock"),
            ("lanes/node.next-0123456789abcdef", "lanes/node.next-0123456789abcdef.lock"),
        ] {
            assert_eq!(lock_path(Path::new(folder)), Path::new(lock));
        }
    }
}
