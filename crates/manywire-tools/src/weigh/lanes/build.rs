use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::cache;
use super::command::{self, Ended};
use super::source::Source;
use super::toolchain;

/// A build downloads its libraries: on a slow line that takes minutes.
const BUILD_LIMIT: Duration = Duration::from_secs(15 * 60);

/// Builds the sources, unless that was done before: those of a lane, or those with types added. Of
/// several programs at once, one builds.
///
/// # Errors
///
/// The command that failed, and its last words.
pub(super) fn build(
    source: &Source,
    lane: &Source,
    commands: &[Vec<String>],
    interrupted: &AtomicBool,
) -> Result<PathBuf, String> {
    let folder = cache::folder(source)?;
    if cache::is_done(&folder) {
        cache::touch(&folder);
        return Ok(folder);
    }
    let unusable = |error: io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder.parent().unwrap_or(&folder)).map_err(unusable)?;
    let lock = cache::lock(&folder).map_err(unusable)?;
    lock.lock().map_err(unusable)?;
    if cache::is_done(&folder) {
        return Ok(folder);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(unusable)?;
    }
    // Held while commands run: what they share must not become that of other sources meanwhile.
    let building = cache::lock_all(&source.name)?;
    building.lock().map_err(unusable)?;
    let of = lane.fingerprint();
    let written = cache::written(&source.name, &of)?;
    source.write(&folder).and_then(|()| lane.date(&folder, source, written)).map_err(unusable)?;
    for words in commands {
        match command::run(command(words, &folder)?, BUILD_LIMIT, interrupted) {
            Ended::Done(_) => {}
            Ended::Failed(why) => return Err(format!("`{}` failed: {why}", words.join(" "))),
            Ended::Interrupted => return Err("interrupted".to_owned()),
        }
    }
    cache::finish(&folder, &of).map_err(unusable)?;
    cache::prune(&source.name);
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
