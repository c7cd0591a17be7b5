use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::command::{self, Ended};
use super::source::Source;
use super::toolchain;

/// A build downloads its libraries: on a slow line that takes minutes.
const BUILD_LIMIT: Duration = Duration::from_secs(15 * 60);

/// Written when every command of a build has succeeded.
const MARK: &str = ".manywire-built";

/// The folder that builds are kept in: `MANYWIRE_CACHE`, or else where the system keeps caches.
fn cache() -> Result<PathBuf, String> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || {
        let local = set("LOCALAPPDATA").filter(|_| cfg!(windows));
        local.or_else(|| set("XDG_CACHE_HOME")).or_else(|| Some(set("HOME")?.join(".cache")))
    };
    set("MANYWIRE_CACHE").or_else(|| Some(home()?.join("manywire"))).ok_or_else(|| {
        "no folder for caches: set MANYWIRE_CACHE, XDG_CACHE_HOME or HOME".to_owned()
    })
}

/// The folder of a build of these sources.
pub(super) fn folder(source: &Source) -> Result<PathBuf, String> {
    Ok(cache()?.join("lanes").join(format!("{}-{}", source.name, source.fingerprint())))
}

/// Whether the folder holds a whole build.
pub(super) fn is_done(folder: &Path) -> bool {
    folder.join(MARK).is_file()
}

/// Builds the sources, unless that was done before. Of several programs at once, one builds.
///
/// # Errors
///
/// The command that failed, and its last words.
pub(super) fn build(
    source: &Source,
    commands: &[Vec<String>],
    interrupted: &AtomicBool,
) -> Result<PathBuf, String> {
    let folder = folder(source)?;
    if is_done(&folder) {
        return Ok(folder);
    }
    let unusable = |error: io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder.parent().unwrap_or(&folder)).map_err(unusable)?;
    let lock = File::create(folder.with_extension("lock")).map_err(unusable)?;
    lock.lock().map_err(unusable)?;
    if is_done(&folder) {
        return Ok(folder);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(unusable)?;
    }
    source.write(&folder).map_err(unusable)?;
    for words in commands {
        match command::run(command(words, &folder)?, BUILD_LIMIT, interrupted) {
            Ended::Done(_) => {}
            Ended::Failed(why) => return Err(format!("`{}` failed: {why}", words.join(" "))),
            Ended::Interrupted => return Err("interrupted".to_owned()),
        }
    }
    fs::write(folder.join(MARK), "").map_err(unusable)?;
    Ok(folder)
}

/// A command of a manifest, to be run in the folder of its build.
pub(super) fn command(words: &[String], folder: &Path) -> Result<Command, String> {
    let (program, arguments) = words.split_first().ok_or("a command without a program")?;
    let path =
        toolchain::resolve(program, Some(folder)).ok_or_else(|| format!("{program}: not found"))?;
    let mut command = Command::new(path);
    command.args(arguments).current_dir(folder);
    Ok(command)
}
